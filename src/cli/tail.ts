import type { CommandModule } from "yargs";
import { httpUrl } from "./flags.ts";

export interface TailFlags {
  readonly target?: string | undefined;
  readonly world?: string | undefined;
  readonly json: boolean;
}

/** `sandbank tail`: what happens in a running sandbox, as it happens. */
export const tailCommand: CommandModule<object, TailFlags> = {
  command: "tail",
  describe: "Follow the calls, changes and webhooks of a running sandbox",
  builder: (yargs) =>
    yargs
      .option("target", {
        type: "string",
        describe:
          "URL of the sandbox [default: this machine, port SANDBANK_PORT or 4010] (admin token in SANDBANK_ADMIN_TOKEN)",
        coerce: httpUrl("--target"),
      })
      .option("world", { type: "string", describe: "Id of the world", defaultDescription: "default" })
      .option("json", { type: "boolean", default: false, describe: "Print a JSON object per line" }),
  handler: async (flags) => {
    const { tailWorld } = await import("./tail-world.ts");
    await tailWorld(flags);
  },
};
