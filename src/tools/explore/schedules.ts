import {
  type Deviation,
  type Schedule,
  type Timeline,
  areCompatible,
  companionOf,
  keyOf,
  kindOf,
  kindsNamed,
  lateMax,
} from "./deviations.ts";
import type { Scenario, ScenarioStep } from "../scenarios/scenario.ts";
import { defined } from "../../engine/json.ts";
import { NotTried } from "./baseline.ts";
import { arrivalsOf } from "./arrivals.ts";
import { seededChance } from "../../engine/random.ts";

/** More schedules with one number of deviations are not listed: of these the first are taken. */
const LISTED_MAX = 200_000;

/** The schedules with one number of deviations. */
export interface Level {
  readonly schedules: readonly Schedule[];
  /** Whether there are more than are listed. */
  readonly isCut: boolean;
}

/**
 * The schedules with `size` deviations, the events in order. Of those that lead to the same arrivals only the first is
 * there; `known` has the arrivals of all smaller ones.
 */
export function levelOf(
  size: number,
  {
    deviations,
    timeline,
    known,
  }: { deviations: readonly Deviation[]; timeline: Timeline; known: Set<string> },
): Level {
  const schedules: Schedule[] = [];
  let isCut = false;
  const extend = (chosen: readonly Deviation[], from: number): void => {
    if (isCut) return;
    if (chosen.length === size) {
      const arrivals = arrivalsOf(chosen, timeline);
      if (known.has(arrivals)) return;
      known.add(arrivals);
      if (schedules.length >= LISTED_MAX) isCut = true;
      else schedules.push(chosen);
      return;
    }
    for (let index = from; index < deviations.length; index++) {
      const next = deviations[index] as Deviation;
      if (!chosen.every((one) => areCompatible(one, next, timeline))) continue;
      const event = next.kind === "late" ? timeline.events[(next.event ?? 0) - 1] : undefined;
      if (event !== undefined && lateCount(chosen, next) >= lateMax(event, timeline)) continue;
      // Only `late` may be there more than once for one event.
      extend([...chosen, next], next.kind === "late" ? index : index + 1);
    }
  };
  extend([], 0);
  return { schedules, isCut };
}

function lateCount(chosen: readonly Deviation[], { event }: Deviation): number {
  return chosen.filter((one) => one.kind === "late" && one.event === event).length;
}

/**
 * An order in which every deviation gets its turn, however many schedules are tried: drawn from the seed, and then
 * the next untried schedule of each deviation in turn.
 */
export function inTurns(schedules: readonly Schedule[], seed: number): Schedule[] {
  const shuffled = shuffle(schedules, seed);
  const queues = new Map<string, Schedule[]>();
  for (const schedule of shuffled) {
    for (const key of new Set(schedule.map(keyOf))) {
      const queue = queues.get(key);
      if (queue === undefined) queues.set(key, [schedule]);
      else queue.push(schedule);
    }
  }
  const taken = new Set<Schedule>();
  const positions = new Map<string, number>();
  while (taken.size < schedules.length) {
    for (const [key, queue] of queues) {
      let position = positions.get(key) ?? 0;
      while (position < queue.length && taken.has(queue[position] as Schedule)) position++;
      const next = queue[position];
      if (next === undefined) queues.delete(key);
      else taken.add(next);
      positions.set(key, position + 1);
    }
  }
  return [...taken];
}

/**
 * What a step waits for in vain, so that it fails and the partner's system is not the reason: an event that is held back
 * for the one with which it is in flight; or a moment that was over when an answer was held back until the next timer
 * (a `request` step is the partner's system). Undefined if it waits for nothing.
 */
export function missedIn(
  { number, verb }: Pick<ScenarioStep, "number" | "verb">,
  schedule: Schedule,
  timeline: Timeline,
): string | undefined {
  for (const one of schedule) {
    const event = one.event === undefined ? undefined : timeline.events[one.event - 1];
    const companion = one.kind === "together" ? companionOf(one, timeline) : undefined;
    if (companion !== undefined && event !== undefined && event.step < number && number <= companion.step)
      return "while the event waits for the other one. `late` shows whether it may.";
    if (one.kind === "early" && event?.isOfTimer === true && verb !== "request")
      return "after the answer to a call was held back until the platform had done more of its work.";
  }
  return undefined;
}

/** How often a schedule is tried, where `repeat` says how often a race is. */
export function samplesOf(schedule: Schedule, repeat: number): number {
  if (schedule.some(({ kind }) => kindOf(kind).isRace)) return repeat;
  // A process is killed with the answer of its call, and when it has answered its own caller.
  return schedule.length === 1 && schedule[0]?.kind === "killed-after-call" ? 2 : 1;
}

/** The only schedule of a scenario that names its deviations. */
export function savedSchedule(
  saved: NonNullable<Scenario["deviations"]>,
  { timeline, canBeKilled }: { readonly timeline: Timeline; readonly canBeKilled: boolean },
): Schedule {
  const { events, calls } = timeline;
  return saved.map(({ kind, event, call, step, with: other }) => {
    const [named] = kindsNamed(kind) ?? [];
    const { of } = kindOf(named ?? "late");
    const index = { event, call, step }[of];
    const count = { event: events.length, call: calls.length, step: Infinity }[of];
    if (named !== kind || index === undefined || index > count)
      throw new NotTried(
        `The scenario has no ${of} ${index ?? ""} for its deviation ${kind}: see its number and its kind under \`deviations\`.`,
      );
    if (kindOf(named).group === "crashes" && !canBeKilled)
      throw new NotTried(`${kind} needs a process that can be killed: name your system with --partner.`);
    const isPair = other === undefined || (named === "together" && other > index && other <= count);
    if (!isPair)
      throw new NotTried(
        `Event ${index} cannot be in flight with event ${other}: see \`with\` under \`deviations\`.`,
      );
    return { [of]: index, kind: named, ...defined({ with: other }) };
  });
}

function shuffle<Item>(items: readonly Item[], seed: number): Item[] {
  const chance = seededChance(seed, "order of schedules");
  const shuffled = [...items];
  for (let index = shuffled.length - 1; index > 0; index--) {
    const other = chance.below(index + 1);
    [shuffled[index], shuffled[other]] = [shuffled[other] as Item, shuffled[index] as Item];
  }
  return shuffled;
}
