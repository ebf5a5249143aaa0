import type { CommandModule } from "yargs";
import { httpUrl, wholeNumber } from "./flags.ts";
import { SEED_BOUNDS } from "../library/setting-types.ts";

export interface TriggerFlags {
  readonly event?: string | undefined;
  readonly to?: string | undefined;
  readonly secret?: string | undefined;
  readonly set?: string[] | undefined;
  readonly seed?: number | undefined;
  readonly target?: string | undefined;
  readonly list: boolean;
}

/** `sandbank trigger`: one real, signed webhook. Exit codes: 0 acknowledged, 1 not acknowledged, 2 wrong use. */
export const triggerCommand: CommandModule<object, TriggerFlags> = {
  command: "trigger [event]",
  describe: "Send one real, signed webhook (exit codes: 0 acknowledged, 1 not acknowledged, 2 wrong usage)",
  builder: (yargs) =>
    yargs
      .positional("event", { type: "string", describe: "Name of the event; --list shows them" })
      .option("list", { type: "boolean", default: false, describe: "List the events" })
      .option("to", {
        type: "string",
        describe: "URL to send it to [default: SANDBANK_WEBHOOK_URL, or that of the company at --target]",
        coerce: httpUrl("--to"),
      })
      .option("secret", {
        type: "string",
        describe: "Secret to sign with [default: SANDBANK_WEBHOOK_SECRET, or that of the company]",
      })
      .option("set", {
        type: "string",
        array: true,
        describe: "Change a field of the body before it is signed: data.status=REJECTED (repeatable)",
      })
      .option("seed", {
        type: "string",
        describe: "Seed of the ids [default: a new one in each run, which is printed]",
        coerce: wholeNumber("--seed", SEED_BOUNDS),
      })
      .option("target", {
        type: "string",
        describe: "Let it happen in a world of this running sandbank (admin token in SANDBANK_ADMIN_TOKEN)",
        coerce: httpUrl("--target"),
      }),
  handler: async (flags) => {
    const { trigger } = await import("./trigger-event.ts");
    await trigger(flags);
  },
};
