import type { CommandModule } from "yargs";
import type { ExploreReporter } from "../tools/explore/reporters.ts";
import { addDuration, isDuration } from "../engine/instant.ts";
import { type DeviationKind, deviationKinds, isDeviationKind } from "../tools/explore/deviations.ts";
import { httpUrl, seedOrRandom, wholeNumber } from "./flags.ts";
import { suggestion } from "../engine/suggestion.ts";
import { UsageError } from "./usage-error.ts";

export interface ExploreFlags {
  readonly files?: string[] | undefined;
  readonly receiver?: string | undefined;
  readonly secret?: string | undefined;
  readonly probe?: string | undefined;
  readonly ignore?: string[] | undefined;
  readonly depth?: number | undefined;
  readonly budget?: number | undefined;
  readonly time?: number | undefined;
  readonly only?: DeviationKind[] | undefined;
  readonly without?: DeviationKind[] | undefined;
  readonly reset?: string | undefined;
  readonly "reset-command"?: string | undefined;
  readonly port?: number | undefined;
  readonly settle?: number | undefined;
  readonly seed?: number | "random" | undefined;
  readonly reporter: ExploreReporter;
  readonly out?: string | undefined;
  readonly dashboard?: string | undefined;
  readonly save?: string | undefined;
}

/** `sandbank explore`: tries every way in which webhooks can come. */
export const exploreCommand: CommandModule<object, ExploreFlags> = {
  command: "explore [files..]",
  describe:
    "Try every way the webhooks could come (exit codes: 0 no other state, 1 another state, 2 could not be tried)",
  builder: (yargs) =>
    yargs
      .positional("files", { type: "string", array: true, describe: "Scenario files or folders" })
      .option("receiver", {
        type: "string",
        describe: "Your endpoint for the webhooks",
        coerce: httpUrl("--receiver"),
      })
      .option("secret", {
        type: "string",
        describe: "The receiver's webhook secret (or SANDBANK_WEBHOOK_SECRET; default: acme-webhook-secret)",
      })
      .option("probe", {
        type: "string",
        describe: "Where your system shows its state as JSON (default: probe of the scenario)",
      })
      .option("ignore", {
        type: "string",
        array: true,
        nargs: 1,
        describe: "JSON path of what is not compared; repeatable",
      })
      .option("depth", {
        type: "string",
        describe: "How many things go differently at most in one run (default: 2)",
        coerce: wholeNumber("--depth", { min: 1, max: 5 }),
      })
      .option("budget", {
        type: "string",
        describe: "How many schedules are tried at most (default: 500)",
        coerce: wholeNumber("--budget", { min: 1, max: 1_000_000 }),
      })
      .option("time", {
        type: "string",
        describe: "For how long, as an ISO 8601 duration (default: PT5M)",
        coerce: wallTime,
      })
      .option("only", {
        type: "string",
        describe: `Only these deviations: ${deviationKinds.join(",")}`,
        coerce: kindsOf("--only"),
      })
      .option("without", { type: "string", describe: "All but these", coerce: kindsOf("--without") })
      .option("reset", {
        type: "string",
        describe: "POST to this URL before each run, to empty your system",
        coerce: httpUrl("--reset"),
      })
      .option("reset-command", { type: "string", describe: "Or run this command" })
      .option("port", {
        type: "string",
        describe: "Where your system finds the sandbox, if it calls it",
        coerce: wholeNumber("--port", { min: 1, max: 65_535 }),
      })
      .option("settle", {
        type: "string",
        describe: "Milliseconds for work after the answers (default: 200)",
        coerce: wholeNumber("--settle", { min: 0, max: 600_000 }),
      })
      .option("seed", {
        type: "string",
        describe: "Repeats everything; random draws one and prints it (default: 1)",
        coerce: seedOrRandom,
      })
      .option("reporter", {
        choices: ["pretty", "json", "junit", "html"] as const,
        default: "pretty" as const,
        describe: "Format of the report",
      })
      .option("out", { type: "string", describe: "Write the report to this file" })
      .option("dashboard", {
        type: "string",
        describe:
          "URL of a running sandbox whose dashboard shows the report (admin token in SANDBANK_ADMIN_TOKEN)",
        coerce: httpUrl("--dashboard"),
      })
      .option("save", { type: "string", describe: "Write each divergence to this folder, as a scenario" })
      .conflicts("reset", "reset-command"),
  handler: async (flags) => {
    const { exploreFiles } = await import("./explore-files.ts");
    await exploreFiles(flags);
  },
};

function kindsOf(flag: string) {
  return function readKinds(written: string | string[] | undefined): DeviationKind[] | undefined {
    if (written === undefined) return undefined;
    return [written].flat().flatMap((list) =>
      list.split(",").map((word) => {
        const kind = word.trim();
        if (isDeviationKind(kind)) return kind;
        throw new UsageError(
          `${flag}: there is no deviation "${kind}". ${suggestion(kind, [...deviationKinds])}`,
        );
      }),
    );
  };
}

/** Reads `--time`: an ISO 8601 duration, in milliseconds. */
function wallTime(written: string | undefined): number | undefined {
  if (written === undefined) return undefined;
  const timeMs = isDuration(written) ? addDuration(0, written, "UTC") : 0;
  if (timeMs > 0 && timeMs <= 86_400_000) return timeMs;
  throw new UsageError(`--time must be a duration of a day at most, such as PT5M; found "${written}".`);
}
