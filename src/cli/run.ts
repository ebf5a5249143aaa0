import type { CommandModule } from "yargs";
import type { ReporterName } from "../scenarios/report.ts";
import { httpUrl } from "./http-url.ts";
import { percentage, SEED_BOUNDS, wholeNumber } from "./whole-number.ts";

export interface RunFlags {
  readonly files?: string[] | undefined;
  readonly reporter: ReporterName;
  readonly out?: string | undefined;
  readonly grep?: string | undefined;
  readonly seed?: number | undefined;
  readonly receiver?: string | undefined;
  readonly target?: string | undefined;
  readonly watch: boolean;
  readonly update: boolean;
  readonly coverage: boolean;
  readonly threshold?: number | undefined;
}

/** `sandbank run`: scenario files; exit 0 all passed, 1 an expectation failed, 2 a file is wrong. */
export const runCommand: CommandModule<object, RunFlags> = {
  command: "run [files..]",
  describe: "Run scenario files",
  builder: (yargs) =>
    yargs
      .positional("files", { type: "string", array: true, describe: "Files, or folders of them" })
      .option("reporter", {
        choices: ["pretty", "json", "junit", "tap"] as const,
        default: "pretty" as const,
        describe: "How to tell the results",
      })
      .option("out", { type: "string", describe: "File to write the report to" })
      .option("grep", { type: "string", describe: "Run only scenarios whose name holds this text" })
      .option("seed", {
        type: "string",
        describe: "Take the place of every file's own seed",
        coerce: wholeNumber("--seed", SEED_BOUNDS),
      })
      .option("receiver", {
        type: "string",
        describe: "Send the webhooks to your own endpoint",
        coerce: httpUrl("--receiver"),
      })
      .option("target", {
        type: "string",
        describe: "Run against a running sandbank (its admin token in SANDBANK_ADMIN_TOKEN)",
        coerce: httpUrl("--target"),
      })
      .option("watch", { type: "boolean", default: false, describe: "Run again after every change" })
      .option("update", {
        type: "boolean",
        default: false,
        describe: "Write what came in the place of what was expected",
      })
      .option("coverage", {
        type: "boolean",
        default: false,
        describe: "Tell which transitions, events, errors, assumptions and faults were exercised",
      })
      .option("threshold", {
        type: "string",
        describe: "Percentage of --coverage below which the run fails",
        coerce: percentage,
      }),
  handler: async (flags) => {
    const { runFiles } = await import("./run-files.ts");
    await runFiles(flags);
  },
};
