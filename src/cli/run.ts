import type { CommandModule } from "yargs";
import type { ReporterName } from "../tools/scenarios/report.ts";
import { httpUrl, percentage, seedOrRandom, wholeNumber } from "./flags.ts";

export interface RunFlags {
  readonly files?: string[] | undefined;
  readonly reporter: ReporterName;
  readonly out?: string | undefined;
  readonly grep?: string | undefined;
  readonly seed?: number | "random" | undefined;
  readonly receiver?: string | undefined;
  readonly secret?: string | undefined;
  readonly target?: string | undefined;
  readonly port?: number | undefined;
  readonly keep?: "failed" | "all" | "none" | undefined;
  readonly watch: boolean;
  readonly update: boolean;
  readonly coverage: boolean;
  readonly threshold?: number | undefined;
  readonly har?: string | undefined;
}

/** `sandbank run`: runs scenario files. Exit codes: 0 passed, 1 an expectation failed, 2 not run. */
export const runCommand: CommandModule<object, RunFlags> = {
  command: "run [files..]",
  describe:
    "Run scenario files (exit codes: 0 passed, 1 an expectation failed, 2 not run: a file is wrong, or nothing is at the URL)",
  builder: (yargs) =>
    yargs
      .positional("files", { type: "string", array: true, describe: "Scenario files or folders" })
      .option("reporter", {
        choices: ["pretty", "json", "junit", "tap"] as const,
        default: "pretty" as const,
        describe: "Format of the report",
      })
      .option("out", { type: "string", describe: "Write the report to this file" })
      .option("grep", { type: "string", describe: "Run only scenarios whose name contains this text" })
      .option("seed", {
        type: "string",
        describe: "Override the seed of every file; random draws and prints one",
        coerce: seedOrRandom,
      })
      .option("receiver", {
        type: "string",
        describe: "Send webhooks to your own endpoint",
        coerce: httpUrl("--receiver"),
      })
      .option("secret", {
        type: "string",
        describe: "The receiver's webhook secret (or SANDBANK_WEBHOOK_SECRET; default: acme-webhook-secret)",
      })
      .option("target", {
        type: "string",
        describe: "Run against a running sandbank (admin token in SANDBANK_ADMIN_TOKEN)",
        coerce: httpUrl("--target"),
      })
      .option("port", {
        type: "string",
        describe: "Serve the world of each scenario here, one after another, for a system that calls it",
        coerce: wholeNumber("--port", { min: 1, max: 65_535 }),
      })
      .option("keep", {
        choices: ["failed", "all", "none"] as const,
        describe: "The scenarios whose worlds stay at --target to be looked at [default: failed]",
      })
      .option("watch", {
        type: "boolean",
        default: false,
        describe: "Run again after every change of a file",
      })
      .option("update", {
        type: "boolean",
        default: false,
        describe: "Update expectations with the actual values",
      })
      .option("coverage", {
        type: "boolean",
        default: false,
        describe: "Report the transitions, events, errors, assumptions and faults that were exercised",
      })
      .option("har", {
        type: "string",
        describe: "Write all calls and webhooks to this HAR file, with the times of the sandbox's clock",
      })
      .option("threshold", {
        type: "string",
        describe: "Fail below this percentage of coverage",
        coerce: percentage,
      }),
  handler: async (flags) => {
    const { runFiles } = await import("./run-files.ts");
    await runFiles(flags);
  },
};
