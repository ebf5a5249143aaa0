import type { CauseCode } from "../cause-texts.ts";
import { type KindName, deviationKinds, groups, kindOf } from "./deviations.ts";
import { type DivergenceFacts, type Observation, focusOf, observations } from "./observations.ts";
import { firstSign } from "./signs.ts";

/** The cause of the same event if it comes late alone. */
const AS_LATE = "as if late alone";

type Row = readonly [
  /** The smallest schedule has a deviation of one of these kinds. Empty for any schedule. */
  kinds: readonly KindName[],
  observed: readonly (Observation | `not ${Observation}`)[],
  cause: CauseCode | typeof AS_LATE,
];

/**
 * The rules that name the cause of a divergence. The first row counts whose kinds and observations all fit. The last row
 * of a kind says only what is certain.
 */
export const rows: readonly Row[] = [
  // A part of the system ended, or does not end.
  [[], ["processGone"], "process-ended"],
  [["calls", "crashes"], ["calledWithoutEnd"], "repeated-refusal"],

  // The platform has more objects than in the baseline, or others.
  [["request-twice"], ["objectExtra"], "race-of-copies"],
  [["calls", "crashes"], ["objectExtra", "otherObjectsExtra"], "batch-sent-again"],
  [["crashes"], ["objectExtra", "not extraByFailedCall"], "not-stored-before-call"],
  [["calls", "crashes"], ["objectExtra", "noKeyTaken"], "repeated-without-key"],
  [["calls", "crashes"], ["objectExtra"], "new-key-for-retry"],
  [["calls", "crashes"], ["objectRenamed"], "new-key-for-retry"],

  // A call without a key was repeated and refused.
  [["calls", "crashes"], ["repeatRefused"], "error-taken-for-not-done"],

  // The process was killed.
  [["crashes"], ["rowsLostByKill"], "state-in-memory"],
  [["killed-before-answer", "killed-after-answer"], ["lostAfterCallToo"], "not-stored-before-call"],
  [["crashes"], ["idMissing"], "not-stored-before-call"],
  [["crashes"], ["onlySumsGrew", "copyDivergesSomewhere"], "handled-twice"],
  [["crashes"], ["onlySumsGrew"], "handled-events-forgotten"],
  [["crashes"], ["lostAfterAnswer"], "acknowledged-before-stored"],
  [
    ["killed-before-answer"],
    ["watched", "not eventUndelivered", "not lossShown", "not retryWorked"],
    "marked-before-work",
  ],
  [["killed-before-answer"], ["not watched", "not lateDiverges"], "event-lost"],
  [
    ["killed-in-call", "killed-after-call"],
    ["objectMissing", "not stepFailed"],
    "acknowledged-before-stored",
  ],
  [["killed-in-call", "killed-after-call"], [], "not-stored-before-call"],

  // A call failed, or a request came twice.
  [["request-twice"], [], "race-of-copies"],
  [["calls"], ["onlyIdsMissing"], "trace-of-tries"],
  [["calls"], ["repeatCarriedOut", "onlyKeysDiffer"], "new-key-for-retry"],
  [["calls"], ["repeatCarriedOut", "earlyDiverges"], "unknown-object-forgotten"],
  [["calls"], ["repeatCarriedOut"], "trace-of-tries"],
  [["token-expired"], [], "token-not-renewed"],
  [["call-limited"], ["repeatedTooSoon"], "repeated-refusal"],
  [
    ["call-answer-lost", "call-fails-after", "call-slow"],
    ["not calledObjectMissing"],
    "error-taken-for-not-done",
  ],
  [["calls"], [], "gave-up"],

  // An event was not delivered.
  [[], ["eventUndelivered", "noAnswer"], "no-answer"],
  [[], ["eventUndelivered"], "event-refused"],
  [[], ["onlyRounding"], "sums-of-floats"],

  // The watched run shows the first wrong reaction to an event.
  [[], ["lostEventWorkedAgain"], "acknowledged-before-stored"],
  [[], ["copyChangedState", "onlyLateCopies", "valueReplaced"], "older-overwrites-newer"],
  [[], ["copyChangedState", "onlyLateCopies"], "handled-events-forgotten"],
  [[], ["copyChangedState"], "handled-twice"],
  [[], ["olderOverwroteNewer"], "older-overwrites-newer"],
  [[], ["twinIgnored"], "events-taken-for-one"],
  [[], ["earlyEventIgnored", "lossShown"], "acknowledged-before-stored"],
  [[], ["earlyEventIgnored", "objectKnown"], "event-lost"],
  [[], ["earlyEventIgnored", "lossShownElsewhere"], "event-lost"],
  [[], ["earlyEventIgnored"], "unknown-object-forgotten"],
  [["early"], ["eventBeforeAnswerIgnored"], "unknown-object-forgotten"],
  [[], ["eventIgnored", "ignoredAfterNewer", "not lossShownElsewhere"], "event-lost"],
  [[], ["eventIgnored"], "acknowledged-before-stored"],

  // The end of the run is the only fact, together with other schedules.
  [[], ["stepFailed"], "step-fails"],
  [[], ["onlyNumbersMoved"], "numbered-by-arrival"],
  [["together", "first-try-lost", "killed-before-answer"], ["lateDiverges"], AS_LATE],
  [["calls", "crashes"], [], "depends-on-order"],
  [["twice"], [], "handled-twice"],
  [["answer-lost", "twice-late", "twice-at-once"], ["copyDiverges"], "handled-twice"],
  [["answer-lost"], ["lateCopyDiverges", "valueReplaced"], "older-overwrites-newer"],
  [["answer-lost"], ["lateCopyDiverges"], "handled-events-forgotten"],
  [["answer-lost"], [], "handled-twice"],
  [["twice-late"], ["valueReplaced"], "older-overwrites-newer"],
  [["twice-late"], [], "handled-events-forgotten"],
  [["twice-at-once"], [], "race-of-copies"],
  [["late"], ["not watched", "valueMissing"], "unknown-object-forgotten"],
  [["late"], ["firstOfObject", "lateCopyConverges", "allEventsWorked"], "depends-on-order"],
  [["late"], ["firstOfObject", "lateCopyConverges"], "unknown-object-forgotten"],
  [["late"], ["eventWithoutEffect"], "acknowledged-before-stored"],
  [["late"], ["valueReplaced"], "older-overwrites-newer"],
  [["early"], [], "unknown-object-forgotten"],
  [["together"], [], "lost-update"],
  [[], [], "depends-on-order"],
];

/** Returns the cause of a divergence: the first row that fits. */
export function causeOf(facts: DivergenceFacts): CauseCode {
  const kinds = new Set<string>(facts.schedule.map(({ kind }) => kind));
  const observed = { ...facts, first: firstSign(facts) };
  const isObserved = (name: Observation | `not ${Observation}`): boolean =>
    name.startsWith("not ")
      ? !observations[name.slice("not ".length) as Observation](observed)
      : observations[name as Observation](observed);
  const row = rows.find(
    ([names, wanted]) =>
      (names.length === 0 || names.some((name) => kindsOf(name).some((kind) => kinds.has(kind)))) &&
      wanted.every(isObserved),
  );
  const cause = row?.[2] ?? "depends-on-order";
  if (cause !== AS_LATE) return cause;
  const event = focusOf(facts)?.event;
  return (event === undefined ? undefined : facts.causeOfLate(event)) ?? "depends-on-order";
}

function kindsOf(name: KindName): readonly string[] {
  // A group leaves out the kinds that are tried only if they are named.
  return groups.some((group) => group === name)
    ? deviationKinds.filter((kind) => kindOf(kind).group === name)
    : [name];
}
