import { CommandFailure } from "../base/failures.ts";
import type { Difference } from "./expectation.ts";
import type { Place } from "./source.ts";
import type { OpenWorld, ScenarioWorld } from "./world.ts";
import { defined } from "../simulator/engine/json.ts";
import { lastEvents, whyOf } from "./history.ts";
import {
  type CoverageReport,
  type ScenarioFailure,
  type ScenarioResult,
  type StepResult,
  differencesLine,
} from "./result.ts";
import { lintLines, lintsIn } from "./lints.ts";
import { datesRemark, refusedCalls } from "./refused-calls.ts";
import { type Books, findingLine } from "./books/books.ts";
import { causeOfBooks } from "./books/finding.ts";
import type { Traces } from "./books/traces.ts";
import { booksOf, watchTraces } from "./partner-reading.ts";
import { type PartnerRest, partnerRestOf } from "./partner-rest.ts";
import { probeDifferences, settleMsOf } from "./probe.ts";
import { ScriptedReceiver } from "./receiver.ts";
import { type Scenario, type ScenarioStep, asksPartner, titleOf, withRounds } from "./scenario.ts";
import { Session } from "./session.ts";
import { StepFailure, failedTitle } from "./step-failure.ts";
import type { StepClient } from "./step-client.ts";
import { take } from "./take.ts";
import { SpentTime } from "../base/spent-time.ts";
import { Stop, Stopped } from "../base/stop.ts";
import { systemWall, turns, type Wall } from "../base/wall.ts";

export interface RunOptions {
  /** Measures how long a run takes. */
  readonly wall?: Wall;
  readonly openWorld: OpenWorld;
  /** Overrides the seed of every file. */
  readonly seed?: number;
  /** The value of `${run}`; default: `r1`. */
  readonly run?: string;
  /** Empties the partner's system before each scenario. Throws a `CommandFailure` if that is not possible. */
  readonly reset?: (wall: Wall) => Promise<void>;
  /** The wall time for work of the partner's system after an answer; default: `probe.settle` of a scenario, or 200. */
  readonly settleMs?: number;
  /**
   * The check of the partner's calls: off, warn, or fail the scenario; default: off.
   */
  readonly lint?: "fail" | "warn" | "off";
  /**
   * Plays a scenario that names its deviations, without them and with them. Calls `played` at the end of each run, with
   * a name for it.
   */
  readonly playDeviations?: (
    scenario: Scenario,
    played: (name: string, client: Asking) => Promise<void>,
  ) => Promise<Pick<ScenarioResult, "status" | "failure" | "skipped">>;
  /** Shows the time of a scenario's world during a long advance. Called without a time at its end. */
  readonly onAdvance?: (scenario: Scenario, now?: string) => void;
  /** Called before each step. */
  readonly onStep?: (scenario: Scenario, step: ScenarioStep) => void;
  /** Ends the run at once. A scenario that has not ended by then is skipped. */
  readonly signal?: AbortSignal;
  /** Called with the coverage of each scenario's world. */
  readonly onCoverage?: (coverage: CoverageReport) => void;
  /** Called with the traffic of each scenario's world, a HAR document. */
  readonly onTraffic?: (scenario: Scenario, har: unknown) => void;
  /**
   * The number of scenarios that run at a time: 4 by default, and 1 if the partner's system is emptied for each.
   */
  readonly concurrency?: number;
  /** Called for every scenario as it begins, if there are several. */
  readonly onStart?: (scenario: Scenario) => void;
  /** Called with every result, in the order of the scenarios, if there are several. */
  readonly onResult?: (result: ScenarioResult) => void;
}

/** A client of the world of a run. */
export interface Asking {
  readonly ask: StepClient["ask"];
}

/** Runs one scenario in a new world. Never throws because of an event in the world. */
export async function runScenario(scenario: Scenario, options: RunOptions): Promise<ScenarioResult> {
  const { wall = systemWall } = options;
  const started = wall.now();
  using stop = new Stop(wall, options.signal);
  const statuses: StepStatuses = new Map();
  const result = await unlessStopped(attempt(scenario, statuses, options, stop), stop);
  const steps = scenario.steps.map((step): StepResult => {
    const { number, line, column, note } = step;
    const status = result.status === "skipped" ? "skipped" : (statuses.get(number) ?? "skipped");
    return { number, title: titleOf(step), status, line, column, ...(note === undefined ? {} : { note }) };
  });
  return { name: scenario.name, file: scenario.file, ...result, steps, durationMs: wall.now() - started };
}

/** The result of a scenario without the parts that every scenario has. */
type OwnResult = Omit<ScenarioResult, "name" | "file" | "steps" | "durationMs">;

/** The statuses of the taken steps, by number. The other steps are skipped. */
type StepStatuses = Map<number, StepResult["status"]>;

/** Returns the result of a scenario. After a stop it shows only the stop. */
async function unlessStopped(attempted: Promise<OwnResult>, stop: Stop): Promise<OwnResult> {
  const result = await attempted.catch((error: unknown) => {
    if (!(error instanceof Stopped)) throw error;
  });
  if (result !== undefined && stop.reason === undefined) return result;
  return { status: "skipped", skipped: "The run was interrupted." };
}

async function attempt(
  scenario: Scenario,
  statuses: StepStatuses,
  options: RunOptions,
  stop: Stop,
): Promise<OwnResult> {
  const { lint = "off", playDeviations, run, onAdvance, onStep } = options;
  if (stop.reason !== undefined) throw new Stopped(stop.reason);
  const seed = options.seed ?? scenario.seed;
  if (scenario.deviations !== undefined) {
    if (playDeviations === undefined) return { status: "skipped", skipped: NOT_PLAYED_THERE };
    const played = await playDeviations(scenario, (name, client) =>
      readWorld({ ...scenario, name: `${scenario.name} (${name})` }, client, options),
    );
    if (played.status === "passed") for (const { number } of scenario.steps) statuses.set(number, "passed");
    return played;
  }
  const spent = new SpentTime(stop.wall);
  let world: ScenarioWorld;
  try {
    const { name, start, fixtures, assumptions, webhookUrl, origin } = scenario;
    const given = defined({ seed, start, fixtures, assumptions, webhookUrl, origin });
    const receiver = new ScriptedReceiver();
    world = await spent.during("start", () => options.openWorld({ name, receiver, ...given }));
  } catch (error) {
    return failedWith(failureAt(NOWHERE, [0, "open a world"], (error as Error).message));
  }
  await using _ = world;
  if (world.receiver === undefined && withRounds(scenario.steps).some(({ verb }) => verb === "receiver"))
    return {
      status: "skipped",
      skipped: "It scripts the built-in receiver, but the webhooks are sent to your own endpoint.",
    };
  try {
    await spent.during("reset", async () => options.reset?.(stop.wall));
  } catch (error) {
    return failedWith(failureAt(NOWHERE, [0, "reset"], messageOf(error)));
  }
  const settleMs = options.settleMs ?? settleMsOf(scenario.probe);
  const isSettleNamed = (options.settleMs ?? scenario.probe?.settle) !== undefined;
  const rest = partnerRestOf({ scenario, world, wall: stop.wall, settleMs, isSettleNamed, spent });
  const session = new Session(scenario, {
    world: rest?.world ?? world,
    seed: seed ?? 0,
    wall: stop.wall,
    settleMs,
    isLinted: lint !== "off",
    ...defined({
      run,
      onAdvance: onAdvance && ((now?: string) => onAdvance(scenario, now)),
      onStep: onStep && ((step: ScenarioStep) => onStep(scenario, step)),
    }),
  });
  // Without `await` the world would be closed at once.
  return await stop.until(playIn(session, { statuses, rest, options }));
}

const NOT_PLAYED_THERE =
  "It has deviations, which are played only in a sandbox of this process. Leave --target out.";

/** Reads the coverage and the traffic of a world, if they are wanted. */
async function readWorld(
  scenario: Scenario,
  client: Asking,
  { onCoverage, onTraffic }: RunOptions,
): Promise<void> {
  if (onCoverage !== undefined) onCoverage(await client.ask("GET /sandbox/coverage"));
  if (onTraffic !== undefined)
    onTraffic(scenario, await client.ask("GET /sandbox/requests", { format: "har" }));
}

function failedWith(failure: ScenarioFailure): OwnResult {
  return { status: "failed", failure };
}

/** Takes the steps in an open world, and reads its coverage and its traffic at the end. */
async function playIn(
  session: Session,
  { statuses, rest, options }: Playing & { readonly options: RunOptions },
): Promise<OwnResult> {
  const { lint = "off" } = options;
  const { world } = session;
  const books = booksOf(session);
  const traces = watchTraces(session, books);
  await rest?.begin(session);
  try {
    const taken = await takeSteps(session, { statuses, rest, books });
    const result = await linted(taken, session, { mode: lint, traces });
    const kept = world.keep?.(result.status === "failed" ? "failed" : "passed");
    const { notes = [] } = rest ?? {};
    return {
      ...result,
      ...(notes.length > 0 && { notes }),
      ...(rest !== undefined && { time: rest.time }),
      ...defined({ booksCompared: books?.moments, world: kept }),
    };
  } finally {
    await readWorld(session.scenario, session.client, options);
  }
}

/** Makes a failure of a step, or of the work before and after the steps, with its number and title. */
function failureAt(
  { line, column }: Place,
  [step, title]: readonly [step: number, title: string],
  message: string,
  {
    differences = [],
    before = [],
    why,
    ...details
  }: Partial<Omit<ScenarioFailure, "step" | "title" | "line" | "column" | "message">> = {},
): ScenarioFailure {
  return { step, title, line, column, message, differences, ...details, before, ...defined({ why }) };
}

const NOWHERE = { line: 1, column: 1 };

/** The parts of a run around its session. */
interface Playing {
  readonly statuses: StepStatuses;
  readonly rest: PartnerRest | undefined;
  readonly books?: Books | undefined;
}

async function takeSteps(session: Session, playing: Playing): Promise<OwnResult> {
  const { books } = playing;
  const failure =
    (await stepsFailure(session, playing)) ??
    (await probeFailure(session)) ??
    (await booksFailure(undefined, session, books));
  const digest = defined({ digest: await session.world.digest?.() });
  return { ...(failure === undefined ? await passed(session) : failedWith(failure)), ...digest };
}

/** Takes the steps until one fails. Returns its failure. */
async function stepsFailure(
  session: Session,
  { statuses, rest, books }: Playing,
): Promise<ScenarioFailure | undefined> {
  const [leftover] = (await books?.leftovers()) ?? [];
  if (leftover !== undefined) {
    const message = `Your system was not empty when the scenario began: ${findingLine(leftover)}. Empty it before each scenario with --reset URL.`;
    return failureAt(session.scenario.probe ?? NOWHERE, [0, "begin"], message, { books: [leftover] });
  }
  for (const step of session.scenario.steps) {
    // A world in this process answers without a pause: other work gets its turn between two steps.
    await turns();
    session.onStep?.(step);
    await rest?.begins(step);
    const taken = (): Promise<ScenarioFailure | undefined> => failureOf(step, session);
    const failure =
      (await (rest === undefined ? taken() : rest.during(step, taken))) ??
      (await booksFailure(step, session, books));
    await rest?.ended();
    statuses.set(step.number, failure ? "failed" : "passed");
    if (failure) return failure;
  }
  return undefined;
}

/** Returns the result of a scenario without a failure, with the values that a provider state returns. */
async function passed(session: Session): Promise<OwnResult> {
  const { returns, steps } = session.scenario;
  if (returns === undefined) return { status: "passed" };
  try {
    return { status: "passed", returns: await session.fill(returns) };
  } catch (error) {
    return failedWith(failureAt(steps.at(-1) ?? NOWHERE, [steps.length, "returns"], messageOf(error)));
  }
}

/** Adds the suspicious calls of the partner's system to the result. */
async function linted(
  result: OwnResult,
  session: Session,
  { mode, traces }: { readonly mode: RunOptions["lint"]; readonly traces: Traces | undefined },
): Promise<OwnResult> {
  const lints = [...(await lintsIn(session)), ...((await traces?.lints().catch(() => [])) ?? [])];
  const [first] = lints;
  if (first === undefined) return result;
  if (mode !== "fail" || result.status !== "passed") return { ...result, lints };
  const place = [session.scenario.steps.length + 1, "lints"] as const;
  return { ...result, ...failedWith(failureAt(NOWHERE, place, lintLines(first)[0] ?? "")), lints };
}

/**
 * Finds the mistakes in the state of the partner's system after the last step, if the scenario names the expected
 * state.
 */
async function probeFailure(session: Session): Promise<ScenarioFailure | undefined> {
  const { probe, steps } = session.scenario;
  if (probe?.state === undefined) return undefined;
  const failed = async (message: string, differences: readonly Difference[]): Promise<ScenarioFailure> =>
    failureAt(probe, [steps.length + 1, "probe"], message, {
      differences,
      before: await lastEvents(session.client),
    });
  try {
    const differences = await probeDifferences(probe, session);
    return differences.length === 0 ? undefined : await failed(differencesLine(differences), differences);
  } catch (error) {
    return failed(messageOf(error), []);
  }
}

/** Finds the difference between the partner's books and the ledger after a step. Without a step, at the end. */
async function booksFailure(
  step: ScenarioStep | undefined,
  session: Session,
  books: Books | undefined,
): Promise<ScenarioFailure | undefined> {
  if (books === undefined) return undefined;
  const { probe = NOWHERE, steps } = session.scenario;
  const place = step === undefined ? ([steps.length + 1, "probe"] as const) : numberAndTitle(step);
  const failed = (message: string, details?: Partial<ScenarioFailure>): ScenarioFailure =>
    failureAt(step ?? probe, place, message, details);
  if (session.world.receiver !== undefined) return failed(NO_PARTNER);
  const found = await books.check(step === undefined ? "end" : "step");
  const [first] = found;
  if (first === undefined) return undefined;
  const differences = found.map(({ path, ledger, yours }) => ({ path, expected: ledger, actual: yours }));
  return failed(findingLine(first), { differences, books: found, cause: causeOfBooks(found) });
}

function numberAndTitle(step: ScenarioStep): readonly [number: number, title: string] {
  return [step.number, titleOf(step)];
}

const NO_PARTNER =
  "Your books cannot be compared, because the webhooks went to the built-in receiver. Name your receiver with --receiver.";

async function failureOf(step: ScenarioStep, session: Session): Promise<ScenarioFailure | undefined> {
  try {
    await take(step, session);
    return undefined;
  } catch (error) {
    const { differences = [], answer, at } = error instanceof StepFailure ? error : {};
    const refused = asksPartner(step) && session.isLinted ? await refusedCalls(session) : [];
    const remark = await datesRemark(session, refused);
    const message = [messageOf(error), ...(remark === undefined ? [] : [remark])].join(" ");
    return failureAt(at ?? step, [step.number, failedTitle(titleOf(step), error)], message, {
      differences,
      ...(refused.length > 0 && { refused }),
      ...(answer && { answer: { status: answer.status, body: answer.body } }),
      before: await lastEvents(session.client),
      ...(await whyOf(step, differences, session)),
    });
  }
}

/** Returns the message of a wrong step, which fails the scenario. Throws any other error, because it is a bug. */
function messageOf(error: unknown): string {
  if (error instanceof CommandFailure) return error.message;
  throw error;
}

/** Runs scenarios concurrently, each in a new world. The results are in the order of the scenarios. */
export async function runScenarios(
  scenarios: readonly Scenario[],
  { concurrency = 4, onStart, onResult, ...options }: RunOptions,
): Promise<ScenarioResult[]> {
  const results: (ScenarioResult | undefined)[] = scenarios.map(() => undefined);
  let next = 0;
  let reported = 0;
  const report = (): void => {
    for (let result = results[reported]; result !== undefined; result = results[reported]) {
      onResult?.(result);
      reported += 1;
    }
  };
  const work = async (): Promise<void> => {
    for (let index = next++; index < scenarios.length; index = next++) {
      const scenario = scenarios[index];
      if (scenario === undefined) continue;
      onStart?.(scenario);
      results[index] = await runScenario(scenario, { run: `r${index + 1}`, ...options });
      report();
    }
  };
  const together = options.reset === undefined ? concurrency : 1;
  const workers = Math.max(1, Math.min(together, scenarios.length));
  await Promise.all(Array.from({ length: workers }, work));
  return results.filter((result) => result !== undefined);
}
