import type { CommandModule } from "yargs";
import type { CheckFlags } from "./receiver-check.ts";
import { SEED_BOUNDS, wholeNumber } from "./flags.ts";

const checkCommand: CommandModule<object, CheckFlags> = {
  command: "check <url>",
  describe: "Put a webhook receiver to the test; exit 0 kept, 1 not kept, 2 could not be tried",
  builder: (yargs) =>
    yargs
      .positional("url", { type: "string", demandOption: true, describe: "Where the receiver listens" })
      .option("secret", {
        type: "string",
        describe:
          "The webhook secret it verifies with (or SANDBANK_WEBHOOK_SECRET; acme-webhook-secret unless given)",
      })
      .option("level", {
        choices: ["must", "should"] as const,
        default: "must" as const,
        describe: "The lowest level whose failures count",
      })
      .option("only", {
        type: "string",
        array: true,
        describe: "Make these checks alone, such as I2 (repeatable)",
      })
      .option("seed", {
        type: "string",
        default: "1",
        describe: "What the ids of the events are drawn from",
        coerce: wholeNumber("--seed", SEED_BOUNDS),
      })
      .option("reporter", {
        choices: ["pretty", "json", "junit"] as const,
        default: "pretty" as const,
        describe: "How to tell the results",
      })
      .option("out", { type: "string", describe: "File to write the report to" })
      .option("budget", {
        type: "string",
        default: "250",
        describe: "How many requests may be made",
        coerce: wholeNumber("--budget", { min: 1, max: 100_000 }),
      })
      .option("rate", {
        type: "string",
        describe: "How many requests may be made in a second",
        coerce: wholeNumber("--rate", { min: 1, max: 1_000 }),
      })
      .option("timeout", {
        type: "string",
        default: "10000",
        describe: "How long one answer may take, in milliseconds",
        coerce: wholeNumber("--timeout", { min: 100, max: 120_000 }),
      })
      .option("time", {
        type: "string",
        default: "60",
        describe: "How long all of it may take, in seconds",
        coerce: wholeNumber("--time", { min: 1, max: 86_400 }),
      })
      .option("next-secret", {
        type: "string",
        describe: "The secret after a rotation, which it takes already",
      })
      .option("retired-secret", {
        type: "string",
        describe: "A secret before a rotation, which it takes no more",
      })
      .option("sandbox-port", {
        type: "string",
        describe: "Open the sandbox there that the receiver calls, and see by its calls what it does",
        coerce: wholeNumber("--sandbox-port", { min: 1, max: 65_535 }),
      })
      .option("probe", { type: "string", describe: "Where the receiver tells its state as JSON" })
      .option("settle", {
        type: "string",
        default: "200",
        describe: "How long its work goes on after an answer, in milliseconds",
        coerce: wholeNumber("--settle", { min: 0, max: 60_000 }),
      }),
  handler: async (flags) => {
    const { checkReceiver } = await import("./receiver-check.ts");
    await checkReceiver(flags);
  },
};

/** `sandbank receiver`: what stands at the other end of the webhooks. */
export const receiverCommand: CommandModule = {
  command: "receiver",
  describe: "Put a webhook receiver to the test",
  builder: (yargs) => yargs.command(checkCommand).demandCommand(1, "Name a command: receiver check URL."),
  handler: () => {},
};
