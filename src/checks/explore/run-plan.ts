import type { Baseline } from "./baseline.ts";
import type { Exploration } from "./exploration.ts";
import type { Played } from "./played.ts";
import type { ScenarioStep } from "../../scenarios/scenario.ts";
import type { Watcher } from "./receiver.ts";
import { type Deviation, type Schedule, type StepFault, at, faultsOf, kindOf, nameOf } from "./deviations.ts";
import { identityOf } from "./events.ts";
import type { PlannedMoment } from "./kill-moments.ts";
import { differencesOf } from "./differences.ts";
import { isOfSystem } from "./calls.ts";
import { settleMsOf } from "../../scenarios/probe.ts";
import { LIMITS } from "./search-limits.ts";
import { samplesOf } from "./schedules.ts";
import { stepsOfDeviation } from "./taking.ts";

/** The factor for the time that a system gets in the run that confirms a divergence. */
export const PATIENCE = 10;

/** The number of tries for a race with another deviation. The race is also tried alone, and with each other deviation. */
const TRIES_WITH_OTHERS = 2;

/** The calls that a system may make in every run, and its further calls for each step of a baseline. */
const CALLS_MAX = 200;
export const CALLS_PER_STEP = 100;

/** Returns the maximum number of calls of a system in a baseline. */
export function baselineCallsMax(steps: readonly ScenarioStep[]): number {
  return CALLS_MAX + CALLS_PER_STEP * steps.length;
}

/** The plan of one run: its steps, and the faults and kills in it. */
export interface RunPlan {
  /** Its deviations. Empty for a baseline. */
  readonly schedule: Schedule;
  readonly steps: readonly ScenarioStep[];
  /** The faults in the order of arming. */
  readonly faults: readonly StepFault[];
  /** The identity of each event with a kill, with its deviation. */
  readonly killsAtEvents: ReadonlyMap<string, Deviation>;
  /** The moment of a kill before the answer to a webhook. */
  readonly killMoment: PlannedMoment;
  /** True if a kill after a call waits until the system has answered its own caller as well. */
  readonly isKilledLater: boolean;
  /** The name of the random delays between simultaneous requests. Undefined for no delay. */
  readonly offsets: string | undefined;
  /** True if the system starts again before the run, because it keeps a token that only some runs would request. */
  readonly restarts: boolean;
  /** The maximum number of calls of the system. A run with more calls is endless. */
  readonly callsMax: number;
  /** Looks at the system before and after each exchange. */
  readonly watcher: Watcher | undefined;
  /** True if also the requests run once more at the end that may be a nightly job. */
  readonly repeatsPossibleJobs: boolean;
  /** True if the run is measured: it learns the step of each event, and times the work after the answers. */
  readonly isMeasured: boolean;
  /** Returns true if it ended like the baseline. Otherwise the state is read again, with the full patience. */
  readonly isExpected: ((played: Played) => boolean) | undefined;
  /** The factor for the time that the system gets for its work. */
  readonly patience: number;
  /** The factor for that time if the run did not end like the baseline. */
  readonly patienceAgain: number;
}

/** Plans a run without deviations. */
export function baselinePlan(
  steps: readonly ScenarioStep[],
  { patience, restarts }: Pick<RunPlan, "patience" | "restarts">,
): RunPlan {
  return {
    schedule: [],
    steps,
    faults: [],
    killsAtEvents: new Map(),
    killMoment: "one turn",
    isKilledLater: false,
    offsets: undefined,
    restarts,
    callsMax: baselineCallsMax(steps),
    watcher: undefined,
    repeatsPossibleJobs: false,
    isMeasured: true,
    isExpected: undefined,
    patience,
    patienceAgain: patience,
  };
}

/** Plans a run of a schedule. `number` counts the tries from 0: races are tried several times. */
export function planOf(
  schedule: Schedule,
  baseline: Baseline,
  {
    number,
    patience = 1,
    watcher,
    repeatsPossibleJobs = false,
  }: Partial<RunPlan> & { readonly number: number },
): RunPlan {
  const { exploration, restarts, timeline } = baseline;
  const { scenario, slowMs = LIMITS.slowMs.preset } = exploration;
  const { steps } = scenario;
  if (schedule.length === 0)
    return { ...baselinePlan(steps, { patience, restarts }), watcher, isMeasured: false };
  return {
    schedule,
    steps: stepsOfDeviation(steps, baseline.played.statuses),
    faults: faultsOf(schedule, timeline, slowMs),
    killsAtEvents: new Map(
      schedule.flatMap((deviation) =>
        deviation.event === undefined || kindOf(deviation.kind).group !== "crashes"
          ? []
          : [[identityOf(at(timeline.events, deviation.event)), deviation] as const],
      ),
    ),
    killMoment: killMomentOf(schedule, exploration, number),
    isKilledLater: number > 0,
    // The first sample of a race is of exactly the same moment.
    offsets: number > 0 && isTimed(exploration) ? `offsets ${nameOf(schedule)} ${number}` : undefined,
    restarts,
    // A system that starts again may read each of its objects once more.
    callsMax: 2 * baseline.played.calls.filter(isOfSystem).length + CALLS_MAX,
    watcher,
    repeatsPossibleJobs,
    isMeasured: false,
    isExpected: (played) => differencesOf(played, schedule, baseline).length === 0,
    patience,
    // The result of a race stays, even after a long wait.
    patienceAgain: Math.max(patience, samplesOf(schedule, 2) > 1 ? PATIENCE : 1),
  };
}

/**
 * Returns the moment of a kill before the answer. In the last try of a schedule, the work is done. The other tries halve
 * the time until the answer again and again.
 */
function killMomentOf(schedule: Schedule, exploration: Exploration, number: number): PlannedMoment {
  const { killDelayMs } = exploration;
  if (number > 0 && number === triesOf(schedule, exploration) - 1) return "work done";
  if (killDelayMs !== undefined || !isTimed(exploration)) return killDelayMs ?? "one turn";
  return { share: shareOf(number) };
}

/** Returns 1/2, 1/4, 3/4, 1/8, 5/8, … : each number falls into the widest gap between the earlier ones. */
function shareOf(number: number): number {
  let share = 0;
  for (let rest = number + 1, digit = 0.5; rest > 0; rest = Math.floor(rest / 2), digit /= 2)
    share += (rest % 2) * digit;
  return share;
}

/** Returns the wall time for work after the last answer. It is zero for a receiver of this process. */
export function settleOf({ settleMs, receiver, scenario, port, partner }: Exploration): number {
  if (settleMs !== undefined) return settleMs;
  // A system over sockets works on after its answers, also if it only calls.
  const isOverSockets = typeof receiver === "string" || port !== undefined || partner?.pids !== undefined;
  if (!isOverSockets) return 0;
  return settleMsOf(scenario.probe);
}

/** Returns true if work after the answers takes wall time, so that the order depends on the machine. */
export function isTimed(exploration: Exploration): boolean {
  return settleOf(exploration) > 0;
}

/** Returns true if the user names the time of work after the answers, so that it need not be measured. */
export function isSettleNamed({ settleMs, scenario }: Exploration): boolean {
  return settleMs !== undefined || scenario.probe?.settle !== undefined;
}

/** Returns the number of tries for a schedule. */
export function triesOf(schedule: Schedule, exploration: Exploration): number {
  return samplesOf(schedule, repeatOf(exploration, schedule.length));
}

/** Returns the number of tries for a race in a schedule with this many deviations. */
export function repeatOf(exploration: Exploration, deviations: number): number {
  const { repeat, scenario } = exploration;
  if (repeat !== undefined) return repeat;
  if (!isTimed(exploration)) return 1;
  // A saved schedule is the only one of its search, so its races are not tried alone.
  return deviations === 1 || scenario.deviations !== undefined ? LIMITS.repeat.preset : TRIES_WITH_OTHERS;
}
