import { faultId } from "../../simulator/platform/faults/fault.ts";
import {
  type Deviation,
  type Schedule,
  type Timeline,
  areCompatible,
  armedOf,
  companionOf,
  keyOf,
  kindOf,
  kindsNamed,
  lateMax,
  nextAbout,
  nameOf,
} from "./deviations.ts";
import type { Played } from "./played.ts";
import type { Scenario, ScenarioStep } from "../../scenarios/scenario.ts";
import { defined } from "../../simulator/engine/json.ts";
import { NotTried } from "../../base/failures.ts";
import { arrivalsOf } from "./arrivals.ts";
import { seededChance } from "../../simulator/engine/random.ts";
import { LongWork } from "../../base/long-work.ts";
import type { Wall } from "../../base/wall.ts";

/** The maximum number of listed schedules of one size. If there are more, some of them are drawn. */
const LISTED_MAX = 20_000;

/** The number of schedules of one size that are drawn if there are too many to list. */
const DRAWN_MAX = 2_000;

/** The schedules with one number of deviations. */
export interface Level {
  readonly schedules: readonly Schedule[];
  /** True if there are more schedules than listed. */
  readonly isCut: boolean;
  /** The schedules that are not listed, because a listed schedule leads to the same arrivals at the same instants. */
  readonly merged: readonly Merged[];
}

/** A schedule that is not played. */
export interface Merged {
  readonly deviations: Schedule;
  /** The played schedule with the same arrivals at the same instants. Empty for the baseline. */
  readonly sameAs: Schedule;
}

interface Listing {
  readonly deviations: readonly Deviation[];
  readonly timeline: Timeline;
  /** A stop ends its pauses, and with them the listing. */
  readonly wall: Wall;
}

/** Gives other work its turns, and ends long work after a stop. */
function turnsOn(wall: Wall): { readonly isDue: boolean; readonly next: () => Promise<void> } {
  const work = new LongWork();
  return {
    get isDue() {
      return work.isDue;
    },
    next: async () => {
      await work.nextTurn();
      await wall.pause(0);
    },
  };
}

/**
 * Lists the schedules with one deviation, with two and so on, the events in order. If several schedules lead to the
 * same arrivals at the same instants, only the first is listed. Gives other work its turns in between.
 */
export async function levelsOf(depth: number, listing: Listing): Promise<Level[]> {
  const known = new Map<string, Schedule>([[arrivalsOf([], listing.timeline), []]]);
  let merged: Merged[] = [];
  const isNew = (schedule: Schedule): boolean => {
    const arrivals = arrivalsOf(schedule, listing.timeline);
    const sameAs = known.get(arrivals);
    if (sameAs === undefined) known.set(arrivals, schedule);
    else if (nameOf(sameAs) !== nameOf(schedule)) merged.push({ deviations: schedule, sameAs });
    return sameAs === undefined;
  };
  const levels: Level[] = [];
  const work = turnsOn(listing.wall);
  for (let size = 1; size <= depth; size++) {
    const schedules: Schedule[] = [];
    let looked = 0;
    let isCut = false;
    for (const schedule of schedulesOf(size, listing)) {
      if (work.isDue) await work.next();
      if (schedule === undefined) continue;
      if (looked === LISTED_MAX) {
        isCut = true;
        break;
      }
      looked += 1;
      if (isNew(schedule)) schedules.push(schedule);
    }
    if (size === 1) schedules.push(...lateAbout(listing).filter(isNew));
    levels.push({ schedules: isCut ? await drawn(size, listing) : schedules, isCut, merged });
    merged = [];
  }
  return levels;
}

/**
 * Lists, for each event that can come after the next event about its object, how it does so. That is one deviation too,
 * however many events about other objects come between.
 */
function lateAbout({ deviations, timeline }: Listing): Schedule[] {
  return deviations.flatMap((deviation) => {
    const event = deviation.kind === "late" ? timeline.events[(deviation.event ?? 0) - 1] : undefined;
    const next = event && nextAbout(event, timeline.events);
    if (event === undefined || next === undefined) return [];
    const count = next.index - event.index;
    return count > lateMax(event, timeline) ? [] : [Array.from({ length: count }, () => deviation)];
  });
}

/**
 * Yields the schedules with `size` deviations that are possible together. Yields undefined for each impossible
 * deviation, because long searches may find nothing.
 */
function* schedulesOf(
  size: number,
  listing: Listing,
  chosen: readonly Deviation[] = [],
  from = 0,
): Generator<Schedule | undefined> {
  if (chosen.length === size) {
    yield chosen;
    return;
  }
  const { deviations } = listing;
  for (let index = from; index < deviations.length; index++) {
    const next = deviations[index] as Deviation;
    if (!fits(chosen, next, listing)) {
      yield undefined;
      continue;
    }
    // Only `late` may occur more than once for one event.
    yield* schedulesOf(size, listing, [...chosen, next], next.kind === "late" ? index : index + 1);
  }
}

function fits(chosen: readonly Deviation[], next: Deviation, { timeline }: Listing): boolean {
  if (!chosen.every((one) => areCompatible(one, next, timeline))) return false;
  const event = next.kind === "late" ? timeline.events[(next.event ?? 0) - 1] : undefined;
  return event === undefined || lateCount(chosen, next) < lateMax(event, timeline);
}

/** Draws schedules. Every deviation gets its turn, each together with random others. */
async function drawn(size: number, listing: Listing): Promise<Schedule[]> {
  const { deviations } = listing;
  const chance = seededChance(size, "drawn schedules");
  const found = new Map<string, Schedule>();
  const work = turnsOn(listing.wall);
  for (let tried = 0; tried < 2 * DRAWN_MAX && found.size < DRAWN_MAX; tried++) {
    if (work.isDue) await work.next();
    const chosen = [deviations[tried % deviations.length] as Deviation];
    for (let more = 0; more < 20 && chosen.length < size; more++) {
      const next = deviations[chance.below(deviations.length)] as Deviation;
      if (fits(chosen, next, listing)) chosen.push(next);
    }
    const schedule = chosen.toSorted((one, other) => deviations.indexOf(one) - deviations.indexOf(other));
    if (chosen.length === size) found.set(nameOf(schedule), schedule);
  }
  return [...found.values()];
}

function lateCount(chosen: readonly Deviation[], { event }: Deviation): number {
  return chosen.filter((one) => one.kind === "late" && one.event === event).length;
}

/**
 * Orders the schedules so that every deviation gets its turn, even if only a few schedules are tried. Shuffles them by
 * the seed. Then takes the next untried schedule of each deviation in turn.
 */
export async function inTurns(schedules: readonly Schedule[], seed: number, wall: Wall): Promise<Schedule[]> {
  const work = turnsOn(wall);
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
      if (work.isDue) await work.next();
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
 * Finds the reason why a step fails although the partner's system is right. There are two reasons.
 * 1. The step waits for an event that is held back until its companion of `together` comes.
 * 2. The step waits for a moment that passed while an answer was held back until the next timer. A `request`
 *   step is the partner's system.
 *
 * Undefined if neither is true.
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

/** Returns the number of tries for a schedule. `repeat` is the number for a race. */
export function samplesOf(schedule: Schedule, repeat: number): number {
  // A process is killed with the answer of its call, and when it has answered its own caller.
  // It is killed during the work for an event, and when that work is done.
  const hasTwoMoments = schedule.some(
    ({ kind }) => kind === "killed-after-call" || kind === "killed-before-answer",
  );
  const least = schedule.length === 1 && hasTwoMoments ? 2 : 1;
  return schedule.some(({ kind }) => kindOf(kind).isRace) ? Math.max(least, repeat) : least;
}

/** Returns the deviations whose event or call did not occur in a run. */
export function notReached(
  schedule: Schedule,
  { hits, statuses, killsLeft }: Pick<Played, "hits" | "statuses" | "killsLeft">,
): Deviation[] {
  const armed = armedOf(schedule);
  return schedule.filter((deviation) => {
    const { event, step, kind } = deviation;
    if (step !== undefined) return !statuses.has(step);
    if (event !== undefined && kindOf(kind).group === "crashes") return killsLeft.has(event);
    const place = armed.findIndex((one) => keyOf(one) === keyOf(deviation));
    return (hits.get(faultId(place + 1)) ?? 0) === 0;
  });
}

/** Returns the only schedule of a scenario that names its deviations. */
export function savedSchedule(
  saved: NonNullable<Scenario["deviations"]>,
  { timeline, canBeKilled }: { readonly timeline: Timeline; readonly canBeKilled: boolean },
): Schedule {
  const { events, calls } = timeline;
  const schedule = saved.map(({ kind, event, call, step, with: other }) => {
    const [named] = kindsNamed(kind) ?? [];
    const { of } = kindOf(named ?? "late");
    const index = { event, call, step }[of];
    const count = { event: events.length, call: calls.length, step: Infinity }[of];
    if (named !== kind || index === undefined || index > count)
      throw new NotTried(
        `The scenario has no ${of} ${index ?? ""} for its deviation ${kind}. Correct the number or the kind under \`deviations\`.`,
      );
    if (kindOf(named).group === "crashes" && !canBeKilled)
      throw new NotTried(`${kind} needs a process that can be killed. Name your system with --partner.`);
    const isPair = other === undefined || (named === "together" && other > index && other <= count);
    if (!isPair)
      throw new NotTried(
        `Event ${index} cannot be in flight with event ${other}. Correct \`with\` under \`deviations\`.`,
      );
    return { [of]: index, kind: named, ...defined({ with: other }) };
  });
  refuseLongHolds(schedule, timeline);
  return schedule;
}

/** Refuses an event that waits for an event after the last attempt of the platform, unless the file wants that. */
function refuseLongHolds(schedule: Schedule, timeline: Timeline): void {
  const beyond = { ...timeline, holdMaxMs: Infinity };
  for (const one of schedule) {
    const event = one.event === undefined ? undefined : timeline.events[one.event - 1];
    if (event === undefined) continue;
    const isPossible = (within: Timeline): boolean =>
      one.kind === "late"
        ? lateCount(schedule, one) <= lateMax(event, within)
        : one.kind !== "together" || companionOf(one, within) !== undefined;
    if (isPossible(timeline) || !isPossible(beyond)) continue;
    throw new NotTried(
      `Event ${one.event} waits for an event that comes after the last attempt of the platform. Write \`beyondRetries: true\` at its deviation to hold it that long.`,
    );
  }
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
