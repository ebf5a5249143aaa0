import type { CommandModule } from "yargs";

export interface CalibrateFlags {
  readonly files?: string[] | undefined;
  readonly secret?: string[] | undefined;
  readonly config?: string | undefined;
  readonly reporter: "pretty" | "json";
  readonly out?: string | undefined;
  readonly host?: string | undefined;
  readonly "fail-on"?: "contradicted" | undefined;
}

/** `sandbank calibrate`: what recorded traffic of the platform says about the assumptions. */
export const calibrateCommand: CommandModule<object, CalibrateFlags> = {
  command: "calibrate [files..]",
  describe:
    "Compare recorded traffic of the platform with the assumptions (exit codes: 0, 1 with --fail-on contradicted, 2 a file is wrong)",
  builder: (yargs) =>
    yargs
      .positional("files", { type: "string", array: true, describe: "HAR files" })
      .option("secret", {
        type: "string",
        array: true,
        describe: "Webhook secret, to verify signatures (repeatable; or SANDBANK_WEBHOOK_SECRET)",
      })
      .option("config", { type: "string", describe: "Write the observed values to this configuration file" })
      .option("reporter", {
        choices: ["pretty", "json"] as const,
        default: "pretty" as const,
        describe: "Format of the report",
      })
      .option("out", { type: "string", describe: "Write the report to this file" })
      .option("host", {
        type: "string",
        describe: "Host of the platform; default: the one that the interface is called on most",
      })
      .option("fail-on", {
        choices: ["contradicted"] as const,
        describe: "Exit with 1 where an assumption is contradicted",
      }),
  handler: async (flags) => {
    const { calibrate } = await import("./calibrate-files.ts");
    await calibrate(flags);
  },
};
