import type { Argv } from "yargs";
import { type FlagsOf, command } from "./command.ts";
import { announcedSeed, seedOrRandom, wallTime, wholeNumber } from "./flags.ts";
import { doubt, type DoubtOptions } from "../tools/doubt/doubt.ts";
import { doubtReports } from "../tools/doubt/report.ts";
import { families } from "../tools/doubt/mutants.ts";
import { isRecord } from "../engine/json.ts";
import { readFileSync } from "node:fs";
import { reporterFlag, requireReports, writeReports } from "./reports.ts";
import { statusLine } from "./output.ts";
import { FileMistakes, UsageError } from "../process/failures.ts";

const doubtFormats = Object.keys(doubtReports) as (keyof typeof doubtReports)[];

/** What applies where no flag says otherwise. */
export const DOUBT_DEFAULTS = {
  sandbank: [process.execPath, ...process.execArgv, process.argv[1] ?? ""],
  timeMs: 3_600_000,
  timeoutMs: 300_000,
  jobs: 1,
};

const flags = (yargs: Argv) =>
  reporterFlag(doubtFormats)(yargs)
    .option("test", { type: "string", demandOption: true, describe: "The command that runs your tests" })
    .option("port", {
      type: "string",
      describe: "Start a sandbox on this port for each run; your tests find it in SANDBANK_URL",
      coerce: wholeNumber("--port", { min: 0, max: 65_535 }),
    })
    .option("serve", { type: "string", describe: "Further flags of that sandbox", implies: "port" })
    .option("only", {
      type: "string",
      describe: "Only these mutants: ids, id=value or globs, with commas",
      coerce: namesIn,
    })
    .option("without", { type: "string", describe: "All but these", coerce: namesIn })
    .option("family", { choices: families, describe: "Only mutants of this family" })
    .option("budget", {
      type: "string",
      describe: "How many mutants are run at most (default: all)",
      coerce: wholeNumber("--budget", { min: 1, max: 1_000_000 }),
    })
    .option("time", {
      type: "string",
      describe: "For how long, as an ISO 8601 duration (default: PT1H)",
      coerce: wallTime("--time"),
    })
    .option("timeout", {
      type: "string",
      describe: "How long one run may take; three times the first one, if that is more (default: PT5M)",
      coerce: wallTime("--timeout"),
    })
    .option("calibrated", {
      type: "string",
      describe: "Report of sandbank calibrate --reporter json: what traffic has confirmed comes last",
    })
    .option("baseline", {
      type: "string",
      describe: "An earlier JSON report: what it found is known and fails nothing",
    })
    .option("junit", { type: "string", describe: "JUnit files of your tests, such as 'reports/*.xml'" })
    .option("jobs", {
      type: "string",
      describe: "How many runs go on at once (default: 1)",
      coerce: wholeNumber("--jobs", { min: 1, max: 64 }),
    })
    .option("seed", {
      type: "string",
      describe: "Draws which mutants --budget leaves out; random draws one and prints it (default: 1)",
      coerce: seedOrRandom,
    })
    .option("out", { type: "string", describe: "Write the report to this file" });

/** `sandbank doubt`: runs the partner's tests against each other way in which the platform could behave. */
export const doubtCommand = command(flags, async (given) => {
  await requireReports(given);
  const report = await doubt(doubtOptions(given));
  await writeReports(given, ({ format, isColoured }) => doubtReports[format](report, isColoured));
  if (report.verdict === "failed") process.exitCode = 1;
});

function doubtOptions(given: FlagsOf<typeof flags>): DoubtOptions {
  const { test, port, serve, only, without, family, budget, junit, calibrated, baseline } = given;
  const { time, timeout, jobs = DOUBT_DEFAULTS.jobs } = given;
  if (test.trim() === "") throw new UsageError("--test must be the command that runs your tests.");
  if (junit !== undefined && jobs > 1)
    throw new UsageError("--junit requires --jobs 1: runs at the same time would overwrite the files.");
  return {
    command: test,
    ...DOUBT_DEFAULTS,
    ...(port !== undefined && { port }),
    ...(serve !== undefined && { serve }),
    ...(only !== undefined && { only }),
    ...(without !== undefined && { without }),
    ...(family !== undefined && { family }),
    ...(budget !== undefined && { budget }),
    ...(junit !== undefined && { junit }),
    ...(calibrated !== undefined && { calibrated: readCalibrated(calibrated) }),
    ...(baseline !== undefined && { baseline: readBaseline(baseline) }),
    ...(time !== undefined && { timeMs: time }),
    ...(timeout !== undefined && { timeoutMs: timeout }),
    jobs,
    seed: announcedSeed(given.seed ?? 1),
    onProgress: progressOf(statusLine()),
  };
}

/** Reads a list with commas. A value may have commas too: `webhook.retry-intervals=PT1M,PT5M,PT30M,PT2H`. */
function namesIn(written: string | undefined): string[] | undefined {
  return written?.split(/,\s*(?=[a-z])/).map((name) => name.trim());
}

/** Reads a report of `sandbank calibrate --reporter json`. */
function readCalibrated(file: string): NonNullable<DoubtOptions["calibrated"]> {
  const { assumptions, config } = readReport("--calibrated", file);
  if (!isRows(assumptions)) throw notReport("--calibrated", file, "sandbank calibrate FILE --reporter json");
  const values = isRecord(config) && isRecord(config["assumptions"]) ? config["assumptions"] : {};
  const verdicts = assumptions.map(({ id, verdict }) => [String(id), String(verdict)] as const);
  return { verdicts: new Map(verdicts), values };
}

/** Reads an earlier report of this command. */
function readBaseline(file: string): NonNullable<DoubtOptions["baseline"]> {
  const { mutants } = readReport("--baseline", file);
  if (!isRows(mutants)) throw notReport("--baseline", file, "sandbank doubt --reporter json");
  return { mutants: mutants as unknown as NonNullable<DoubtOptions["baseline"]>["mutants"] };
}

function readReport(flag: string, file: string): Readonly<Record<string, unknown>> {
  try {
    const read: unknown = JSON.parse(readFileSync(file, "utf8"));
    return isRecord(read) ? read : {};
  } catch (error) {
    throw new FileMistakes(
      `Failed to read ${flag} ${file}: ${(error as Error).message}. Name a JSON report.`,
    );
  }
}

function isRows(value: unknown): value is readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) && value.every(isRecord);
}

function notReport(flag: string, file: string, made: string): FileMistakes {
  return new FileMistakes(
    `Failed to read ${flag} ${file}: it is no such report. Make one: ${made} --out report.json`,
  );
}

function progressOf(show: (line: string) => void): NonNullable<DoubtOptions["onProgress"]> {
  return ({ done, of, found, name }) =>
    show(done === of ? "" : `${done} of ${of} · ${found} found · ${name}`);
}
