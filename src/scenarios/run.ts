import type { Difference } from "./expectation.ts";
import type { CoverageReport, ScenarioFailure, ScenarioResult, StepResult, TimelineEntry } from "./result.ts";
import type { ResourceExpectation, Scenario, ScenarioStep } from "./scenario.ts";
import type { Answer } from "./session.ts";
import type { OpenWorld, ScenarioOperations, ScenarioWorld } from "./world.ts";
import { isRecord } from "./source.ts";
import { ExpressionError } from "./expression.ts";
import { observe } from "./observation.ts";
import { complaint, perform } from "./perform.ts";
import { ScriptedReceiver } from "./receiver.ts";
import { titleOf } from "./scenario.ts";
import { Session, StepFailure, idOf } from "./session.ts";
import { performance } from "node:perf_hooks";

export interface RunOptions {
  readonly openWorld: OpenWorld;
  readonly operations: ScenarioOperations;
  /** Takes the place of every file's own seed. */
  readonly seed?: number;
  /** Told what each scenario's world went through. */
  readonly onCoverage?: (coverage: CoverageReport) => void;
}

/** Runs one scenario in a world of its own and says how it went; it never throws for what the world does. */
export async function runScenario(scenario: Scenario, options: RunOptions): Promise<ScenarioResult> {
  const started = performance.now();
  const { steps, ...outcome } = await attempt(scenario, options);
  const reported = scenario.steps.map((step): StepResult => {
    const { number, line, column, note } = step;
    const status = steps.get(number) ?? "skipped";
    return { number, title: titleOf(step), status, line, column, ...(note === undefined ? {} : { note }) };
  });
  const durationMs = performance.now() - started;
  return { name: scenario.name, file: scenario.file, ...outcome, steps: reported, durationMs };
}

type Outcome = Pick<ScenarioResult, "status" | "failure" | "skipped" | "returns" | "digest"> & {
  readonly steps: ReadonlyMap<number, "passed" | "failed">;
};

async function attempt(scenario: Scenario, options: RunOptions): Promise<Outcome> {
  const steps = new Map<number, "passed" | "failed">();
  const seed = options.seed ?? scenario.seed;
  let world: ScenarioWorld;
  try {
    world = await openWorld(scenario, seed, options.openWorld);
  } catch (error) {
    const failure = { step: 0, title: "open a world", line: 1, column: 1, differences: [], before: [] };
    return { status: "failed", steps, failure: { ...failure, message: (error as Error).message } };
  }
  await using _ = world;
  if (world.receiver === undefined && scenario.steps.some(({ verb }) => verb === "receiver")) {
    const skipped =
      "It scripts the built-in receiver, and the webhooks go to an endpoint of the partner's own.";
    return { status: "skipped", skipped, steps };
  }
  const session = new Session(scenario, { world, operations: options.operations, seed: seed ?? 0 });
  try {
    return await takeSteps(session, steps);
  } finally {
    if (options.onCoverage !== undefined)
      options.onCoverage((await session.observe("/sandbox/coverage")) as CoverageReport);
  }
}

async function takeSteps(session: Session, steps: Map<number, "passed" | "failed">): Promise<Outcome> {
  const { scenario, world } = session;
  for (const step of scenario.steps) {
    const failure = await failureOf(step, session);
    steps.set(step.number, failure ? "failed" : "passed");
    if (failure) return { status: "failed", failure, steps, ...(await digestOf(world)) };
  }
  return finish(session, steps);
}

function openWorld(scenario: Scenario, seed: number | undefined, open: OpenWorld): Promise<ScenarioWorld> {
  const { start, fixtures, assumptions, webhookUrl, origin } = scenario;
  return open({
    receiver: new ScriptedReceiver(),
    ...(seed === undefined ? {} : { seed }),
    ...(start === undefined ? {} : { start }),
    ...(fixtures === undefined ? {} : { fixtures }),
    ...(assumptions === undefined ? {} : { assumptions }),
    ...(webhookUrl === undefined ? {} : { webhookUrl }),
    ...(origin === undefined ? {} : { origin }),
  });
}

async function finish(session: Session, steps: Outcome["steps"]): Promise<Outcome> {
  const digest = await digestOf(session.world);
  const { returns, steps: all } = session.scenario;
  if (returns === undefined) return { status: "passed", steps, ...digest };
  try {
    return { status: "passed", steps, returns: await session.fill(returns), ...digest };
  } catch (error) {
    const place = all.at(-1) ?? { line: 1, column: 1 };
    const failure = {
      step: all.length,
      title: "returns",
      line: place.line,
      column: place.column,
      before: [],
    };
    return {
      status: "failed",
      steps,
      failure: { ...failure, message: explained(error), differences: [] },
      ...digest,
    };
  }
}

async function digestOf(world: ScenarioWorld): Promise<{ digest?: string }> {
  const digest = await world.digest?.();
  return digest === undefined ? {} : { digest };
}

async function failureOf(step: ScenarioStep, session: Session): Promise<ScenarioFailure | undefined> {
  try {
    await go(step, session);
    return undefined;
  } catch (error) {
    const { differences, answer } = error instanceof StepFailure ? error : new StepFailure("");
    return {
      step: step.number,
      title: titleOf(step),
      line: step.line,
      column: step.column,
      message: explained(error),
      differences,
      ...(answer === undefined ? {} : { answer: { status: answer.status, body: answer.body } }),
      before: await lastEvents(session),
      ...(await whyOf(step, differences, session)),
    };
  }
}

/** What a world does wrong fails the scenario; what we do wrong is a bug and goes on up. */
function explained(error: unknown): string {
  if (error instanceof StepFailure || error instanceof ExpressionError) return error.message;
  throw error;
}

async function go(step: ScenarioStep, session: Session): Promise<void> {
  const { save, expect, ...rest } = step;
  const filled = (await session.fill(rest)) as ScenarioStep;
  const answer = await perform(filled, session);
  session.subject = subjectOf(filled, answer) ?? session.subject;
  if (save !== undefined && answer !== undefined) session.values.set(save, answer.body);
  const expected = expect === undefined ? {} : await session.fill(expect);
  const looksAtAnswer = "status" in expected || "headers" in expected || "body" in expected;
  const message = answer === undefined || looksAtAnswer ? undefined : complaint(titleOf(step), answer);
  if (message !== undefined) throw new StepFailure(message, { answer });
  const differences = await observe(expected, answer, session);
  if (differences.length === 0) return;
  const count = differences.length === 1 ? "One thing is" : `${differences.length} things are`;
  throw new StepFailure(`${count} not as expected.`, { differences, answer });
}

export interface RunAllOptions extends RunOptions {
  /** How many run side by side, 4 unless given. */
  readonly concurrency?: number;
  /** Told of every scenario as it begins. */
  readonly onStart?: (scenario: Scenario) => void;
  /** Told of every result, in the order of the scenarios, as soon as all before it are there. */
  readonly onResult?: (result: ScenarioResult) => void;
}

/** Runs scenarios side by side, each in its own world; the results come in the order of the scenarios. */
export async function runScenarios(
  scenarios: readonly Scenario[],
  { concurrency = 4, onStart, onResult, ...options }: RunAllOptions,
): Promise<ScenarioResult[]> {
  const results: (ScenarioResult | undefined)[] = scenarios.map(() => undefined);
  let next = 0;
  let told = 0;
  const tell = (): void => {
    for (let result = results[told]; result !== undefined; result = results[told]) {
      onResult?.(result);
      told += 1;
    }
  };
  const work = async (): Promise<void> => {
    for (let index = next++; index < scenarios.length; index = next++) {
      const scenario = scenarios[index];
      if (scenario === undefined) continue;
      onStart?.(scenario);
      results[index] = await runScenario(scenario, options);
      tell();
    }
  };
  const workers = Math.max(1, Math.min(concurrency, scenarios.length));
  await Promise.all(Array.from({ length: workers }, work));
  return results.filter((result) => result !== undefined);
}

/** How many of the last things that happened a failure tells. */
const timelineMax = 12;

/** The last things that happened in the world, oldest first. */
export async function lastEvents(session: Session): Promise<TimelineEntry[]> {
  return (await timeline(session, "")).slice(-timelineMax);
}

/**
 * Why the object that a failure is about is as it is: the last that happened to it, and whatever led there from
 * elsewhere, such as the call, plan or fault that began it. Empty where no object is concerned.
 */
export async function whyOf(
  step: ScenarioStep,
  differences: readonly Difference[],
  session: Session,
): Promise<Pick<ScenarioFailure, "why">> {
  const objectId = (await namedBy(step, session)) ?? differing(differences) ?? session.subject;
  if (objectId === undefined) return {};
  const led = await timeline(session, `?about=${encodeURIComponent(objectId)}`);
  const recent = new Set(led.filter((line) => line.objectId === objectId).slice(-timelineMax));
  const causes = led.filter((line) => line.objectId !== objectId || recent.has(line));
  return causes.length === 0 ? {} : { why: { objectId, causes } };
}

/** The object that a step is about once it is done: what it made, else what it named. */
export function subjectOf(step: ScenarioStep, answer: Answer | undefined): string | undefined {
  if (step.verb !== "call" && step.verb !== "act") return undefined;
  const { status, body } = answer ?? {};
  const made = status === 201 || status === 200 ? textOf(body, "id") : undefined;
  return made ?? idNamed(step);
}

async function namedBy(step: ScenarioStep, session: Session): Promise<string | undefined> {
  try {
    return idNamed(await session.fill(step));
  } catch {
    return undefined;
  }
}

function idNamed(step: ScenarioStep): string | undefined {
  const resource: unknown = step.expect?.resource;
  const looked: unknown = Array.isArray(resource) ? resource[0] : resource;
  const named =
    (looked as ResourceExpectation | undefined)?.id ??
    ("on" in step ? step.on : undefined) ??
    ("path" in step ? Object.values(step.path ?? {})[0] : undefined);
  return named === undefined ? undefined : idOf(named);
}

/** The object or delivery at which what came differs from what was expected, where the expectation names it. */
function differing(differences: readonly Difference[]): string | undefined {
  for (const { expected } of differences) {
    const data = isRecord(expected) ? expected["data"] : undefined;
    const id = textOf(data, "id") ?? textOf(expected, "objectId") ?? textOf(expected, "id");
    if (id !== undefined) return id;
  }
  return undefined;
}

function textOf(value: unknown, field: string): string | undefined {
  const text = isRecord(value) ? value[field] : undefined;
  return typeof text === "string" ? text : undefined;
}

/** The failure itself matters more than the story around it, so one that cannot be read is empty. */
async function timeline(session: Session, query: string): Promise<TimelineEntry[]> {
  try {
    const answer = await session.observe(`/sandbox/timeline${query}`);
    return (answer as { data?: TimelineEntry[] } | undefined)?.data ?? [];
  } catch {
    return [];
  }
}
