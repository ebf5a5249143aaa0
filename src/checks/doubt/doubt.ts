import {
  type Calibrated,
  allMutants,
  byWorth,
  isNamed,
  isReached,
  nameOf,
  writtenMutant,
  type Doubted,
  type DoubtReport,
  type Mutant,
} from "./mutants.ts";
import { systemWall } from "../../base/wall.ts";
import { type TestCommand, type TestRun, runTests } from "./test-run.ts";
import { CommandFailure, FileMistakes, UsageError } from "../../base/failures.ts";
import { defined } from "../../simulator/engine/json.ts";
import { SameTraffic } from "./test-record.ts";
import { commandLine, quoted } from "../../server/control/shell.js";
import { isFinding } from "./words.ts";
import { suggestion } from "../../simulator/engine/suggestion.ts";

export interface DoubtOptions extends TestCommand {
  readonly only?: readonly string[];
  readonly without?: readonly string[];
  readonly family?: Mutant["family"];
  /** The maximum number of mutants to run; default: all. */
  readonly budget?: number;
  /** The maximum time in which new mutants start. */
  readonly timeMs: number;
  /** The maximum time of one run; default: a multiple of the first run. */
  readonly timeoutMs?: number;
  readonly calibrated?: Calibrated;
  /** An earlier report, whose findings are known. */
  readonly baseline?: Pick<DoubtReport, "mutants">;
  readonly seed: number;
  /** The number of simultaneous runs. */
  readonly jobs: number;
  /** Ends the runs at once. The report has the finished ones. Its reason is a `CommandFailure`. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: { done: number; of: number; found: number; name: string }) => void;
}

/** A given limit is at least this many times the duration of the first run. */
const TIMES_FIRST = 3;

/** The default limit of a run is this many times the duration of the first run. */
const TIMES_BY_DEFAULT = 10;
const LIMIT_MIN_MS = 30_000;

/** The longest time for the first run, which has no other limit. */
const FIRST_MAX_MS = 300_000;

/** Returns how long a run with a mutant may take. */
export function limitOf(given: number | undefined, firstMs: number): number {
  return given === undefined
    ? Math.max(LIMIT_MIN_MS, TIMES_BY_DEFAULT * firstMs)
    : Math.max(given, TIMES_FIRST * firstMs);
}

/**
 * Runs the partner's tests once for every alternative behaviour of the platform. Throws `FileMistakes` if the tests
 * already fail without a mutant, or use no sandbox.
 */
export async function doubt(options: DoubtOptions): Promise<DoubtReport> {
  const { command, seed, calibrated, jobs, wall = systemWall } = options;
  const chosen = chosenMutants(options);
  const begunMs = wall.now();
  const base = Object.entries(calibrated?.values ?? {}).map(([id, value]) => `${id}=${String(value)}`);
  const [first, second] = await firstRuns(options, base.join());
  const { recorded, seconds } = first;
  const same = new SameTraffic(recorded, second.recorded);
  const timeoutMs = limitOf(options.timeoutMs, seconds * 1_000);
  const isOverruled = ({ id }: Mutant): boolean => (recorded.set.get(id) ?? 0) >= recorded.worlds;
  const known = new Set((options.baseline?.mutants ?? []).filter((one) => isFinding(one)).map(nameOf));

  const doubted = new Map<Mutant, Doubted>();
  const put = (mutant: Mutant, verdict: Doubted["verdict"], run?: TestRun): void => {
    const replay = replayOf(options, [...base, writtenMutant(mutant)].join());
    const found: Doubted = { ...mutant, verdict, ...resultOf(run, verdict), replay };
    doubted.set(mutant, known.has(nameOf(mutant)) && isFinding(found) ? { ...found, known: true } : found);
  };
  const reached = chosen.filter((mutant) => isReached(mutant, recorded));
  for (const mutant of chosen) if (!reached.includes(mutant)) put(mutant, "not-reached");
  for (const mutant of reached) if (isOverruled(mutant)) put(mutant, "overruled");
  const waiting = byWorth(
    reached.filter((mutant) => !doubted.has(mutant)),
    { budget: options.budget ?? Infinity, seed },
  );
  const of = waiting.length;
  let done = 0;
  // A failure of one job ends the others. Finished jobs are reported.
  const failure = new AbortController();
  const signal = AbortSignal.any([failure.signal, ...(options.signal === undefined ? [] : [options.signal])]);
  const work = async (job: number): Promise<void> => {
    while (wall.now() - begunMs < options.timeMs && !signal.aborted) {
      const mutant = waiting.shift();
      if (mutant === undefined) return;
      const found = [...doubted.values()].filter(isNew).length;
      options.onProgress?.({ done: done++, of, found, name: nameOf(mutant) });
      const written = [...base, writtenMutant(mutant)].join();
      const run = await runTests(options, { mutant: written, timeoutMs, job, signal }).catch(
        (error: unknown) => {
          if (signal.aborted) return;
          if (!(error instanceof CommandFailure)) throw error;
          failure.abort(error);
        },
      );
      if (run !== undefined) put(mutant, verdictOf(mutant, run, same), run);
    }
  };
  await Promise.all(Array.from({ length: jobs }, (_, job) => work(job)));
  const stopped = signal.aborted ? (signal.reason as Error).message : undefined;

  const mutants = chosen.flatMap((mutant) => doubted.get(mutant) ?? []);
  const { events, operations, assumptions } = recorded;
  return {
    test: command,
    seed,
    first: {
      seconds: rounded(seconds),
      events: [...events].toSorted(),
      operations: [...operations].toSorted(),
      assumptions: [...assumptions].toSorted(),
    },
    seconds: rounded((wall.now() - begunMs) / 1_000),
    isComparable: same.isComparable,
    notRun: chosen.filter((mutant) => !doubted.has(mutant)).map(nameOf),
    mutants,
    counts: countsOf(mutants),
    ...(stopped !== undefined && { stopped }),
    verdict: verdictOn(mutants, stopped !== undefined),
  };
}

/** Returns the verdict. Undecided if no mutant was run, or if the runs were stopped before a finding. */
function verdictOn(mutants: readonly Doubted[], isStopped: boolean): DoubtReport["verdict"] {
  if (mutants.some(isNew)) return "failed";
  const isRun = mutants.some(({ seconds }) => seconds !== null);
  return isStopped || !isRun ? "undecided" : "passed";
}

/** Returns true if the baseline does not have this finding. */
function isNew(one: Doubted): boolean {
  return isFinding(one) && one.known !== true;
}

/** Returns the chosen mutants. Throws if a name is unknown. */
function chosenMutants({ calibrated, family, only, without = [] }: DoubtOptions): Mutant[] {
  const all = allMutants(calibrated);
  for (const [flag, names] of [["--only", only ?? []] as const, ["--without", without] as const]) {
    const unknown = names.find((name) => !all.some((mutant) => isNamed(mutant, [name])));
    if (unknown === undefined) continue;
    const ids = [...new Set(all.map(({ id }) => id))];
    throw new UsageError(
      `${flag}: there is no mutant "${unknown}". ${suggestion(unknown, ids, { all: "sandbank assumptions" })}`,
    );
  }
  return all.filter(
    (mutant) =>
      (family === undefined || mutant.family === family) &&
      (only === undefined || isNamed(mutant, only)) &&
      !isNamed(mutant, without),
  );
}

/** Runs the tests twice without a mutant. Both runs have to pass. */
async function firstRuns(options: DoubtOptions, mutant: string): Promise<readonly [TestRun, TestRun]> {
  const { command, timeoutMs = FIRST_MAX_MS, onProgress, signal } = options;
  const run = async (done: number): Promise<TestRun> => {
    onProgress?.({ done, of: 2, found: 0, name: "without a mutant" });
    const given = defined({ signal });
    return runTests(options, { mutant, timeoutMs, job: 0, ...given }).catch((error: unknown) => {
      throw signal?.aborted === true ? new FileMistakes((signal.reason as Error).message) : error;
    });
  };
  const fail = ({ exitCode, lastLines }: TestRun, found: string, advice: string): never => {
    const [why, next] =
      exitCode === undefined
        ? [`they did not end within ${timeoutMs / 1_000} s`, "Allow them more time with --timeout."]
        : [found, advice];
    const lines = lastLines.join("\n");
    const shown = lines === "" ? "They wrote no output." : `Their last lines:\n${lines}`;
    throw new FileMistakes(`Failed to doubt \`${command}\`: ${why}. ${next} ${shown}`);
  };
  const first = await run(0);
  if (first.exitCode !== 0) fail(first, "your tests fail without a mutant", "Make them pass first.");
  if (first.recorded.worlds === 0)
    throw new FileMistakes(
      `Failed to doubt \`${command}\`: your tests opened no sandbox. Open one with createSandbox, or let this command start one with --port 4010. The tests read its URL from SANDBANK_URL.`,
    );
  const second = await run(1);
  if (second.exitCode !== 0)
    fail(second, "of two equal runs one passed and the other failed", "Make the tests deterministic.");
  return [first, second];
}

function verdictOf({ id, family }: Mutant, run: TestRun, same: SameTraffic): Doubted["verdict"] {
  if (run.exitCode === undefined) return "timed-out";
  const isDoubt = family === "doubts";
  if (run.exitCode !== 0) return isDoubt ? "broke" : "noticed";
  if (same.isSame(run.recorded)) return run.recorded.set.has(id) ? "overruled" : "without-effect";
  return isDoubt ? "tolerated" : "unnoticed";
}

function resultOf(run: TestRun | undefined, verdict: Doubted["verdict"]) {
  if (run === undefined || !["broke", "noticed", "timed-out"].includes(verdict))
    return { failed: [], files: [], message: null, output: "", seconds: run ? rounded(run.seconds) : null };
  const { failed, message, lastLines, seconds } = run;
  return {
    failed: failed.map(({ name }) => name),
    files: [...new Set(failed.flatMap(({ file }) => file ?? []))],
    message,
    output: lastLines.join("\n"),
    seconds: rounded(seconds),
  };
}

function countsOf(mutants: readonly Doubted[]): DoubtReport["counts"] {
  const all: readonly Doubted["verdict"][] = [
    "broke",
    "unnoticed",
    "timed-out",
    "tolerated",
    "noticed",
    "without-effect",
    "overruled",
    "not-reached",
  ];
  return Object.fromEntries(
    all.map((one) => [one, mutants.filter(({ verdict }) => verdict === one).length]),
  ) as DoubtReport["counts"];
}

/**
 * Returns a command for the shell: the tests with the mutant. If the mutant is in a server, it is this command with
 * this mutant alone.
 */
function replayOf({ command, port, serve, junit }: DoubtOptions, written: string): string {
  const safe = /^[\w@%+=:,./-]+$/.test(written) ? written : quoted(written);
  if (port === undefined) {
    const isSimple = !/[;&|()<>\n]/.test(command);
    return `SANDBANK_MUTANT=${safe} ${isSimple ? command : `sh -c ${quoted(command)}`}`;
  }
  const only = written.slice(written.lastIndexOf(",") + 1).replace(/^sabotage:/, "");
  return commandLine([
    "sandbank",
    "doubt",
    "--test",
    command,
    "--port",
    String(port),
    ...(serve === undefined ? [] : ["--serve", serve]),
    ...(junit === undefined ? [] : ["--junit", junit]),
    "--only",
    only,
  ]);
}

function rounded(seconds: number): number {
  return Math.round(seconds * 100) / 100;
}
