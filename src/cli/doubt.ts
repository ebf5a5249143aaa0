import { readUserText } from "../base/user-file.ts";
import { type ValuesOf, command } from "./command.ts";
import { announcedSeed, choice, number, PORTS_OR_FREE, readAs, seed, text, wallTime } from "./flags.ts";
import { doubt, type DoubtOptions } from "../checks/doubt/doubt.ts";
import { doubtReports, mutantsReport } from "../checks/doubt/report.ts";
import { families } from "../checks/doubt/mutants.ts";
import { defined, isRecord } from "../simulator/engine/json.ts";
import { endBy, reporterFlag, requireReports, writeReports } from "./reports.ts";
import { interruption } from "./interruption.ts";
import { statusLine } from "./output.ts";
import { FileMistakes, UsageError } from "../base/failures.ts";

const doubtFormats = Object.keys(doubtReports) as (keyof typeof doubtReports)[];

/** The values of flags that are not given. */
export const DOUBT_DEFAULTS = {
  sandbank: [process.execPath, ...process.execArgv, process.argv[1] ?? ""],
  timeMs: 3_600_000,
  jobs: 1,
};

const flags = {
  reporter: reporterFlag(doubtFormats),
  test: text("Command that runs your tests", { demandOption: true }),
  port: number(
    PORTS_OR_FREE,
    "Start a sandbox on this port for each run; your tests read its URL from SANDBANK_URL",
  ),
  serve: text("Further flags of that sandbox, as for sandbank serve", { implies: "port", isAnyText: true }),
  only: readAs(namesIn, "Run only these mutants: ids, id=value or globs, with commas"),
  without: readAs(namesIn, "Leave out these mutants: ids, id=value or globs, with commas"),
  family: choice(families, "Run only mutants of this family"),
  budget: number([1, 1_000_000], "Maximum number of mutants [default: all]"),
  time: readAs(wallTime, "Maximum duration of all runs: a duration such as PT1H, or seconds [default: PT1H]"),
  timeout: readAs(
    wallTime,
    "Maximum duration of one run, as an ISO 8601 duration [default: ten times the first run, at least PT30S]",
  ),
  calibrated: text(
    "Run the assumptions that this report confirms last (made with sandbank calibrate --reporter json)",
  ),
  baseline: text("Accept the findings of this earlier report (made with --reporter json)"),
  junit: text("JUnit files of your tests, such as 'reports/*.xml'"),
  jobs: number([1, 64], "Maximum number of runs at the same time [default: 1]"),
  seed: seed("Seed for the selection by --budget; random draws and prints one [default: 1]"),
  out: text("Write the report to this file"),
};

/** `sandbank doubt`: runs the partner's tests against every alternative behaviour of the platform. */
export const doubtCommand = command(flags, async (given, wall) => {
  await requireReports(given);
  using interrupted = interruption("doubt");
  const { signal } = interrupted;
  const show = statusLine(wall);
  try {
    const report = await doubt({ ...doubtOptions(given), wall, signal, onProgress: doubtProgress(show) });
    await writeReports(given, ({ format, isColoured }) => doubtReports[format](report, isColoured));
    endBy(mutantsReport(report));
  } finally {
    show("");
  }
});

function doubtOptions(given: ValuesOf<typeof flags>): DoubtOptions {
  const { test, port, serve, only, without, family, budget, junit, calibrated, baseline } = given;
  const { time, timeout, jobs } = given;
  if (test.trim() === "") throw new UsageError("--test must be the command that runs your tests.");
  if (junit !== undefined && (jobs ?? 1) > 1)
    throw new UsageError("--junit requires --jobs 1: runs at the same time would overwrite the files.");
  return {
    command: test,
    ...DOUBT_DEFAULTS,
    ...defined({ port, serve, only, without, family, budget, junit, jobs, timeMs: time, timeoutMs: timeout }),
    ...(calibrated !== undefined && { calibrated: readCalibrated(calibrated) }),
    ...(baseline !== undefined && { baseline: readBaseline(baseline) }),
    seed: announcedSeed(given.seed ?? 1),
  };
}

/** Reads a list with commas. A value may have commas too: `webhook.retry-intervals=PT1M,PT5M,PT30M,PT2H`. */
function namesIn(written: string): string[] {
  return written.split(/,\s*(?=[a-z])/).map((name) => name.trim());
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
    const read: unknown = JSON.parse(readUserText(file));
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
    `Failed to read ${flag} ${file}: it is not a report of this kind. Make one: ${made} --out report.json`,
  );
}

/** Shows how many mutants were run. */
export function doubtProgress(show: (line: string) => void): NonNullable<DoubtOptions["onProgress"]> {
  return ({ done, of, found, name }) =>
    show(done === of ? "" : `${done} of ${of} · ${found} found · ${name}`);
}
