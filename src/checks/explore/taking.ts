import type { Played } from "./played.ts";
import { CommandFailure } from "../../base/failures.ts";
import { originsIn } from "../../partner/states/naming.ts";
import { take } from "../../scenarios/take.ts";
import { failedTitle } from "../../scenarios/step-failure.ts";
import {
  type RequestStep,
  type ScenarioStep,
  titleOf,
  withoutExpectations,
} from "../../scenarios/scenario.ts";
import type { Session } from "../../scenarios/session.ts";

/**
 * Takes the steps one after another. Returns the failure of the first step that fails. A failed step is taken once more
 * if `mayPass` resolves with true.
 */
export async function takeAll(
  session: Session,
  {
    steps = session.scenario.steps,
    begins,
    ended,
    mayPass,
    during = (_, taking) => taking(),
  }: {
    readonly steps?: readonly ScenarioStep[];
    readonly begins?: (step: ScenarioStep) => Promise<void>;
    readonly ended?: () => Promise<void>;
    readonly mayPass?: (step: ScenarioStep) => Promise<boolean>;
    /** Called for each step. `taking` takes the step. */
    readonly during?: <Taken>(step: ScenarioStep, taking: () => Promise<Taken>) => Promise<Taken>;
  },
): Promise<Played["failure"]> {
  for (const step of steps) {
    await begins?.(step);
    const taken = (): Promise<Played["failure"]> => during(step, () => failureOf(step, session));
    let failure = await taken();
    if (failure !== undefined && (await mayPass?.(step)) === true) failure = await taken();
    if (failure !== undefined) return failure;
    await ended?.();
  }
  return undefined;
}

async function failureOf(step: ScenarioStep, session: Session): Promise<Played["failure"]> {
  try {
    await take(step, session);
    return undefined;
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error;
    return { step: step.number, title: failedTitle(titleOf(step), error), message: error.message };
  }
}

/**
 * Returns the nightly jobs among the steps: the requests that are marked with `tick`, the requests that the scenario
 * sends several times unchanged, and the requests that may be a job, because nothing in them names an object.
 */
export function nightlyJobs(steps: readonly ScenarioStep[]): {
  readonly marked: readonly ScenarioStep[];
  readonly others: readonly ScenarioStep[];
  readonly possible: readonly ScenarioStep[];
} {
  // The state that a job waited for may be over when it runs again.
  const requests = steps.flatMap(({ waitFor: _waitFor, ...step }) => (step.verb === "request" ? [step] : []));
  const bySent = Map.groupBy(requests, ({ request, headers, body }) =>
    JSON.stringify([request, headers, body]),
  );
  const isMarked = ({ tick }: RequestStep): boolean => tick === true;
  const unmarked = Array.from(bySent).flatMap(([sent, same]) => {
    const isRead = /^(?:GET|HEAD) /.test(same[0]?.request ?? "");
    const isNamed = sent.includes("${");
    return isRead || isNamed || same.some(isMarked) ? [] : [same];
  });
  const lastOf = (isOften: boolean): RequestStep[] =>
    unmarked.flatMap((same) => (same.length > 1 === isOften ? same.slice(-1) : []));
  return { marked: requests.filter(isMarked), others: lastOf(true), possible: lastOf(false) };
}

/** Returns every text that a session saved or that its steps sent. */
export function originsOf(session: Session): Map<string, string> {
  const origins = new Map<string, string>();
  for (const [name, value] of session.values) {
    if (name === "run" || name === "world") continue;
    for (const [path, text] of originsIn(value, name)) origins.set(path, text);
  }
  for (const [name, taken] of session.facts.taken) {
    const { number: _number, line: _line, column: _column, expect: _expect, ...step } = taken;
    for (const [path, text] of originsIn(step, name)) origins.set(path.replace(`${name}.`, `${name} `), text);
  }
  return origins;
}

/**
 * Prepares the steps of a run with deviations: the expectations about the world on the way are removed. The status of a
 * step in the baseline still decides if a refusal fails the step.
 */
export function stepsOfDeviation(
  steps: readonly ScenarioStep[],
  statuses: ReadonlyMap<number, number | null | undefined>,
): ScenarioStep[] {
  return steps
    .filter(({ verb }) => verb !== "expect")
    .map((step) => {
      if (step.verb === "repeat") {
        // The baseline has no status of a single step of a round.
        const rounds = stepsOfDeviation(step.repeat.steps.flatMap(withoutExpectations), new Map());
        return {
          ...step,
          expect: undefined,
          repeat: { ...step.repeat, steps: rounds },
        } as unknown as ScenarioStep;
      }
      const { expect, ...rest } = step;
      const expected = expect?.status;
      // A repeated request may rightly be answered with another success.
      const isAnySuccess = step.verb === "request" && typeof expected === "number" && expected < 300;
      if (isAnySuccess) return rest as ScenarioStep;
      const status = expected ?? refusedIn(statuses.get(step.number));
      const isAnswered = expect !== undefined && "status" in expect;
      return (isAnswered || status !== undefined ? { ...rest, expect: { status } } : rest) as ScenarioStep;
    });
}

function refusedIn(status: number | null | undefined): number | null | undefined {
  return status === null || (status !== undefined && status >= 400) ? status : undefined;
}
