import { type DeviationKind, at, kindOf } from "./deviations.ts";
import {
  changedCollections,
  disturbedIn,
  hasName,
  isCarriedOutLater,
  isKey,
  isOfOthers,
  isRefusedLater,
  isTwiceByCalls,
  missingIn,
  objectsMore,
  takesKey,
} from "./observed-calls.ts";
import { type Found, GONE } from "./differences.ts";
import {
  type Reaction,
  type Usual,
  allTookEffect,
  isWithoutEffect,
  sameObject,
  showsLoss,
  tookEffect,
} from "./reactions.ts";
import { isIdMissing, isLarger, isMissing, isReplaced, isRounding, movedNumbers } from "./value-changes.ts";
import type { Arrival } from "./exploration.ts";
import type { CauseCode } from "../cause-texts.ts";
import type { FirstSign } from "./signs.ts";
import { hastyRepeats } from "./calls.ts";
import { placeOf } from "../../partner/states/comparison.ts";

/** The known facts about a divergence. */
export interface DivergenceFacts extends Found, Usual {
  /** Every schedule that diverged. */
  readonly all: readonly Found[];
  readonly arrivals: readonly Arrival[];
  /** True if a schedule with this one deviation diverges. Undefined if it was not tried. */
  readonly diverges: (event: number, kind: DeviationKind) => boolean | undefined;
  /** The cause of the divergence of a late event alone, if it diverged. */
  readonly causeOfLate: (event: number) => CauseCode | undefined;
}

/** The facts of a divergence, and the first wrong reaction of its watched run. */
interface Observed extends DivergenceFacts {
  readonly first: FirstSign | undefined;
}

type Observe = (facts: Observed) => boolean;

/** The end of the run differs from the end of the baseline. */
const atTheEnd = {
  processGone: ({ differences }) => differences.includes(GONE),
  /** The platform never delivered an event, or a copy of it. */
  eventUndelivered: ({ differences }) => differences.some(({ path }) => path.startsWith("deliveries[")),
  noAnswer: ({ arrivals }) => arrivals.some(({ error }) => error === "timeout"),
  /** The first difference is a failed step, or a probe without a state. */
  stepFailed: ({ differences: [first] }) =>
    first?.path === "probe" || first?.path.startsWith("step ") === true,
  onlyRounding: ({ differences }) => differences.every(isRounding),
  onlySumsGrew: ({ differences }) => differences.every(isLarger),
  /** Numbers changed places with each other, and nothing else differs. */
  onlyNumbersMoved: ({ differences }) => movedNumbers(differences).length > 0,
  /** The ids of the platform's objects are missing in the state. */
  idMissing: ({ differences }) => differences.some(isIdMissing),
  onlyIdsMissing: ({ differences }) => differences.every(isIdMissing),
  /** Every value that differs is the idempotency key of a call. */
  onlyKeysDiffer: ({ differences, played }) => differences.every((one) => isKey(one, played)),
  valueMissing: ({ differences }) => differences.some(isMissing),
  /** A value that is not a number has another value. */
  valueReplaced: ({ differences }) => differences.some(isReplaced),
  /** The platform has more objects than in the baseline. */
  objectExtra: ({ differences }) => objectsMore(differences) > 0,
  /** The platform has as many objects as in the baseline, but one has another name. */
  objectRenamed: ({ differences }) =>
    Array.from(changedCollections(differences).values()).some(
      ({ extra, missing }) => extra > 0 && extra === missing,
    ),
  /** The platform lacks an object of the baseline. */
  objectMissing: ({ differences }) => missingIn(differences).length > 0,
} as const satisfies Readonly<Record<string, Observe>>;

/** The calls of the run. */
const ofCalls = {
  calledWithoutEnd: ({ played }) => played.isEndless,
  /** A call that was answered with 429 came again before Retry-After was over. */
  repeatedTooSoon: ({ played }) => hastyRepeats(played.calls).length > 0,
  /** The platform executed the disturbed call, and refused its repetition. */
  repeatRefused: ({ schedule, timeline, played }) =>
    disturbedIn(schedule, timeline).some((call) => isRefusedLater(call, played.calls)),
  /** The disturbed call came again and was executed, and the platform is as in the baseline. */
  repeatCarriedOut: ({ schedule, timeline, played, differences }) =>
    differences.every(({ path }) => !path.startsWith("$platform")) &&
    disturbedIn(schedule, timeline).every((call) => isCarriedOutLater(call, played.calls)),
  /** The platform takes no idempotency key for the disturbed call. */
  noKeyTaken: ({ schedule, timeline }) =>
    disturbedIn(schedule, timeline).some(({ operation }) => !takesKey(operation)),
  /** The platform lacks the object of the disturbed call. Without a token the system did nothing. */
  calledObjectMissing: ({ schedule, timeline, differences }) => {
    const disturbed = disturbedIn(schedule, timeline);
    const names = new Set(disturbed.map(({ object }) => object));
    const isOfToken = disturbed.every(({ operation }) => operation === "issueToken");
    return missingIn(differences).some(({ baseline }) => isOfToken || hasName(baseline, names));
  },
  /** Calls that were not disturbed came again, here or if a call failed: a whole batch. */
  otherObjectsExtra: (facts) =>
    [facts, ...facts.all.filter(isTwiceByCalls)].some((one) => isOfOthers(one, facts.timeline)),
} as const satisfies Readonly<Record<string, Observe>>;

/** The reactions to the events in the watched run that confirmed the divergence. */
const ofWatchedRun = {
  watched: ({ reactions }) => reactions !== undefined,
  /** An acknowledged event changed nothing, and its copy did the work. */
  lostEventWorkedAgain: ({ first }) => first?.sign === "lost event worked again",
  copyChangedState: ({ first }) => first?.sign === "copy changed the state",
  /** Only a late copy changes the state. A copy that comes at once is recognised. */
  onlyLateCopies: (facts) => isOnlyOfLateCopies(facts),
  olderOverwroteNewer: ({ first }) => first?.sign === "older event overwrote",
  /** An event with the object and the time of an earlier event changed nothing. */
  twinIgnored: ({ first }) => first?.sign === "twin ignored",
  /** An event that came before an earlier event was acknowledged and changed nothing. */
  earlyEventIgnored: ({ first }) => first?.sign === "early event ignored",
  /** An event that came before the answer of its call was acknowledged and changed nothing. */
  eventBeforeAnswerIgnored: ({ first }) => first?.sign === "event before the answer ignored",
  /** An event that came in its order was acknowledged and changed nothing. */
  eventIgnored: ({ first }) => first?.sign === "event ignored",
  /** A newer event, about any object, arrived before the ignored event. */
  ignoredAfterNewer: ({ first }) => {
    const { event = 0, arrived = [] } = first ?? {};
    return Array.from(arrived).some((other) => other > event);
  },
  /** An earlier event about the object of the ignored event arrived before. */
  objectKnown: ({ first, timeline }) => {
    const { event = 0, arrived = [] } = first ?? {};
    return Array.from(arrived).some((other) => sameObject(event, other, timeline));
  },
  /** Events are lost although they did not come early. */
  lossShown: (facts) => showsLoss(facts.reactions, facts),
  lossShownElsewhere: (facts) => facts.all.some((one) => showsLoss(one.reactions, facts)),
  /** The retry after the kill did its work. */
  retryWorked: ({ schedule, reactions }) => schedule.some(({ event }) => tookEffect(reactions, event)),
  allEventsWorked: allTookEffect,
  /** The disturbed event changed nothing. */
  eventWithoutEffect: (facts) => isWithoutEffect(focusOf(facts)?.event, facts),
} as const satisfies Readonly<Record<string, Observe>>;

/** Other schedules of the exploration. */
const ofOtherSchedules = {
  /** A copy of this event that comes at once diverges too. */
  copyDiverges: (facts) => isDiverging(facts, "twice") === true,
  /** A copy of any event that comes at once diverges. */
  copyDivergesSomewhere: ({ all }) => all.some((one) => isOnly(one, "twice")),
  lateCopyDiverges: (facts) => isDiverging(facts, "twice-late") === true,
  lateCopyConverges: (facts) => isDiverging(facts, "twice-late") === false,
  /** This event diverges too if it comes late. */
  lateDiverges: ({ all, schedule }) =>
    schedule.some(({ event }) => all.some((one) => isOnly(one, "late") && one.schedule[0]?.event === event)),
  /** The webhook of this call diverges too if it comes before the answer. */
  earlyDiverges: ({ all, schedule, timeline }) =>
    all.some((one) => {
      const { event = 0 } = one.schedule[0] ?? {};
      const announcing = isOnly(one, "early") ? timeline.events[event - 1]?.call : undefined;
      return disturbedIn(schedule, timeline).some(({ operation }) => operation === announcing);
    }),
  /** A failed call alone makes more objects too. */
  extraByFailedCall: ({ all }) => all.some(isTwiceByCalls),
  /** A kill removes rows that the baseline keeps. */
  rowsLostByKill: ({ all, usualReactions }) =>
    all.some((one) => hasKill(one) && hasLostRows(one, usualReactions)),
  /** The same value is missing if the process is killed right after a call. */
  lostAfterCallToo: ({ all, schedule, differences }) => {
    const afterCalls = all.filter((one) => one.schedule.some(({ kind }) => kind === "killed-after-call"));
    const lost = new Set(
      afterCalls.flatMap((one) => one.differences.filter(isMissing).map(({ path }) => path)),
    );
    return (
      schedule.every(({ call }) => call === undefined) &&
      differences.some((one) => one.found === undefined && lost.has(one.path))
    );
  },
  /** The process was killed after its answer, here or in another schedule that diverges. */
  lostAfterAnswer: ({ all, schedule }) =>
    [{ schedule }, ...all].some((one) => one.schedule.some(({ kind }) => kind === "killed-after-answer")),
  /** The disturbed event is the first event about its object. */
  firstOfObject: (facts) => {
    const { events } = facts.timeline;
    const event = focusOf(facts)?.event;
    if (event === undefined) return false;
    const { objectId } = at(events, event);
    return events.find((other) => other.objectId === objectId) === at(events, event);
  },
} as const satisfies Readonly<Record<string, Observe>>;

/** The visible facts of a divergence. Each observation is independent of the others. */
export const observations = { ...atTheEnd, ...ofCalls, ...ofWatchedRun, ...ofOtherSchedules };

export type Observation = keyof typeof observations;

/** The kinds of deviation of webhooks. The kind that shows most comes first: copies, then order, then the moment. */
const BY_MEANING: readonly DeviationKind[] = [
  "twice",
  "answer-lost",
  "twice-late",
  "twice-at-once",
  "late",
  "early",
  "together",
];

/** Returns the deviation that shows most. */
export function focusOf({ schedule }: Pick<Found, "schedule">): Found["schedule"][number] | undefined {
  const rank = ({ kind }: Found["schedule"][number]): number => BY_MEANING.indexOf(kind);
  return schedule.toSorted((one, other) => rank(one) - rank(other))[0];
}

function isDiverging(facts: DivergenceFacts, kind: DeviationKind): boolean | undefined {
  const event = focusOf(facts)?.event;
  return event === undefined ? undefined : facts.diverges(event, kind);
}

/** Returns true if a schedule has one deviation, of this kind. */
export function isOnly(
  { schedule: [first, ...others] }: Pick<Found, "schedule">,
  kind: DeviationKind,
): boolean {
  return first?.kind === kind && others.length === 0;
}

function isOnlyOfLateCopies({ schedule, diverges, first }: Observed): boolean {
  if (first === undefined) return false;
  const { event, isAfterNewer } = first;
  const isAtOnce = diverges(event, "twice");
  const has = (kind: DeviationKind): boolean => schedule.some((one) => one.kind === kind);
  if (has("answer-lost") && !isAfterNewer) return isAtOnce !== true && diverges(event, "twice-late") === true;
  return (isAfterNewer && isAtOnce !== true) || (has("twice-late") && isAtOnce === false);
}

function hasKill({ schedule }: Pick<Found, "schedule">): boolean {
  return schedule.some(({ kind }) => kindOf(kind).group === "crashes");
}

/** Returns true if rows disappeared from a place that loses no rows in the baseline, as a queue does. */
function hasLostRows({ reactions = [] }: Found, baseline: readonly Reaction[] = []): boolean {
  const placesOf = (all: readonly Reaction[]): string[] =>
    all.flatMap(({ lost }) => lost.map(({ path }) => placeOf(path)));
  const usual = new Set(placesOf(baseline));
  return placesOf(reactions).some((place) => !usual.has(place));
}
