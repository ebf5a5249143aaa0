import { type Found, GONE } from "./differences.ts";
import type { Played } from "./played.ts";
import { type StateDifference, placeOf } from "../../partner/states/comparison.ts";
import { type BaselineCall, type DeviationKind, type Schedule, type Timeline, kindOf } from "./deviations.ts";
import { type PlayedCall, callIdentity, hastyRepeats } from "./calls.ts";
import type { DivergenceFacts } from "./causes.ts";
import { type Reaction, showsLoss, tookEffect } from "./reactions.ts";
import { isLarger } from "./value-changes.ts";
import type { CauseKey } from "./cause-table.ts";
import { isRecord } from "../../simulator/engine/json.ts";
import { operations } from "../../simulator/api/operations.ts";

/**
 * Returns the likely cause of a divergence with disturbed calls or processes. Undefined if only events were disturbed.
 */
export function causeOfCalls(facts: DivergenceFacts): CauseKey | undefined {
  const { schedule, played, differences } = facts;
  // If the process is gone, its unfinished work says nothing about its calls.
  if (differences.includes(GONE)) return undefined;
  const kinds = new Set(schedule.map(({ kind }) => kind));
  if (schedule.every(({ kind }) => kindOf(kind).group === "webhooks")) return undefined;
  const isHasty = kinds.has("call-limited") && hastyRepeats(played.calls).length > 0;
  if (played.isEndless) return isHasty ? "noPause" : "endless";
  const key = keyOfCause(facts, { kinds, isHasty });
  // A system that handles every copy again also does so after a kill.
  if (key === "handledAgain" && facts.all.some(isOfCopy)) return undefined;
  if (key === "marked" && isLostElsewhere(facts)) return undefined;
  return key;
}

/**
 * Returns true if the watched run of a kill shows that the retry did its work, or that other events are lost. Without a
 * watched run, the same event alone must diverge if it comes late: the retry of a killed process comes late.
 */
function isLostElsewhere(facts: DivergenceFacts): boolean {
  const { schedule, reactions, all } = facts;
  const isOfEvent = (event: number | undefined): boolean =>
    reactions === undefined
      ? all.some((one) => isLateAlone(one.schedule, event))
      : tookEffect(reactions, event);
  return showsLoss(reactions, facts) || schedule.some(({ event }) => isOfEvent(event));
}

/** Returns true if a schedule has one deviation: this event comes late. */
export function isLateAlone([first, ...others]: Schedule, event: number | undefined): boolean {
  return first?.kind === "late" && first.event === event && others.length === 0;
}

/** Returns true if a copy that comes at once leaves another state. */
function isOfCopy({ schedule: [first, ...others] }: Found): boolean {
  return first?.kind === "twice" && others.length === 0;
}

function keyOfCause(
  { schedule, differences, played, timeline, all, usualReactions }: DivergenceFacts,
  { kinds, isHasty }: { readonly kinds: ReadonlySet<DeviationKind>; readonly isHasty: boolean },
): CauseKey {
  const ofPlatform = differences.filter(({ path }) => path.startsWith("$platform"));
  const extra = extraIn(differences);
  const missing = missingIn(differences);
  const disturbed = disturbedIn(schedule, timeline);
  const isKilled = hasKill({ schedule });
  if (extra.length > 0) {
    if (kinds.has("request-twice")) return "twiceAtOnce";
    // A batch that is disturbed at its first call shows only that this one is sent again.
    const twice = all.filter(isTwiceByCalls);
    if ([{ schedule, differences, played }, ...twice].some((one) => isOfOthers(one, timeline)))
      return "wholeBatch";
    // Work that is done twice without a kill has the same cause with a kill.
    if (isKilled && twice.length === 0) return "notStored";
    const names = new Set(timeline.calls.map(({ object }) => object));
    if (disturbed.some(({ operation }) => !takesKey(operation))) return "keyless";
    return extra.every(({ found }) => isNamed(found, names)) ? "newKey" : "newName";
  }
  if (disturbed.some((call) => isRefusedLater(call, played.calls))) return "refusedAgain";
  if (isKilled) {
    if (all.some((one) => hasKill(one) && hasLostRows(one, usualReactions))) return "inMemory";
    const isLost = disturbed.length === 0 && isLostAfterCall(differences, all);
    if (isLost || differences.some(isWithoutId)) return "notStored";
    if (differences.every(isLarger)) return "handledAgain";
    // A receiver that answers first also loses unfinished work if it is killed with another event.
    const answersFirst = [{ schedule }, ...all].some((one) =>
      one.schedule.some(({ kind }) => kind === "killed-after-answer"),
    );
    if (answersFirst) return "acknowledged";
    // The event of this kill was not acknowledged, whatever is missing.
    if (kinds.has("killed-before-answer")) return "marked";
    return missing.length > 0 && played.failure === undefined ? "acknowledged" : "notStored";
  }
  if (kinds.has("request-twice")) return "twiceAtOnce";
  if (differences.every(isWithoutId)) return "idLost";
  if (ofPlatform.length === 0 && disturbed.every((call) => isCarriedOutLater(call, played.calls)))
    return differences.every((one) => isKey(one, played))
      ? "newKeyInState"
      : all.some((one) => isEarlyFor(disturbed, one, timeline))
        ? "unknownToEvent"
        : "traceOfTries";
  if (kinds.has("token-expired")) return "token";
  if (isHasty) return "noPause";
  const isDone = schedule.some(({ kind }) =>
    ["call-answer-lost", "call-fails-after", "call-slow"].includes(kind),
  );
  const names = new Set(disturbed.map(({ object }) => object));
  // Without a token the system did nothing.
  const isOfToken = disturbed.every(({ operation }) => operation === "issueToken");
  const isMissing = missing.some(({ baseline }) => isOfToken || hasName(baseline, names));
  if (isDone && !isMissing) return "notDone";
  const isTriedOnce = disturbed.every((call) => triesOf(call, played.calls) < 2);
  return isTriedOnce ? "gaveUp" : "gaveUpLater";
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

/** Returns true if a webhook that comes before the answer of one of these calls leaves another state as well. */
function isEarlyFor(calls: readonly BaselineCall[], { schedule }: Found, { events }: Timeline): boolean {
  const [first] = schedule;
  const announcing = first?.kind === "early" ? events[(first.event ?? 0) - 1]?.call : undefined;
  return schedule.length === 1 && calls.some(({ operation }) => operation === announcing);
}

/** Returns true if the missing rows are also missing if the process is killed right after a call. */
function isLostAfterCall(differences: readonly StateDifference[], all: readonly Found[]): boolean {
  const afterCalls = all.filter(({ schedule }) => schedule.some(({ kind }) => kind === "killed-after-call"));
  const lost = new Set(
    afterCalls.flatMap((one) =>
      one.differences.flatMap(({ path, found }) => (found === undefined ? path : [])),
    ),
  );
  return differences.some(({ path, found }) => found === undefined && lost.has(path));
}

/** Returns true if a failed call alone has the work done twice. */
function isTwiceByCalls({ schedule, differences }: Found): boolean {
  return (
    schedule.every(({ call, kind }) => call !== undefined && kindOf(kind).group === "calls") &&
    extraIn(differences).length > 0
  );
}

/** Returns true if a row exists without the id of its object. Such an id is named by its origin. */
function isWithoutId({ path, baseline, found }: StateDifference): boolean {
  const isMissing = found === null || (found === undefined && !path.endsWith("]"));
  return isMissing && typeof baseline === "string" && /(?:[ .]id|Id)$/.test(baseline);
}

/** Returns true for the path of a whole object: `$platform.payouts[1]`. */
function isObjectPath(path: string): boolean {
  return /^\$platform(?:\.[\w]+|\["[\w-]+"\])(?:\[\d+\])?$/.test(path);
}

/** Returns the additional objects of the platform. */
function extraIn(differences: readonly StateDifference[]): readonly StateDifference[] {
  return differences.filter(({ baseline, path }) => baseline === undefined && isObjectPath(path));
}

/** Returns the missing objects of the platform. */
function missingIn(differences: readonly StateDifference[]): readonly StateDifference[] {
  return differences.filter(({ found, path }) => found === undefined && isObjectPath(path));
}

/** Returns the path of the collection of an object: `$platform.payouts`. */
function collectionIn(path: string): string {
  return path.replace(/\[\d+\]$/, "");
}

/** Returns true if the platform API takes an idempotency key for calls of an operation. */
export function takesKey(operation: string): boolean {
  return operations[operation as keyof typeof operations].idempotencyKey !== undefined;
}

export function disturbedIn(schedule: Schedule, { calls }: Timeline): BaselineCall[] {
  return schedule.flatMap(({ call }) => (call === undefined ? [] : [calls[call - 1]!]));
}

/** Returns true if the additional rows belong to undisturbed calls, for example if a batch is sent again. */
function isOfOthers({ schedule, differences, played: { calls } }: Found, timeline: Timeline): boolean {
  const extra = extraIn(differences);
  const [call] = disturbedIn(schedule, timeline);
  if (call === undefined || extra.length === 0) return false;
  const identity = callIdentity(call);
  const own = calls.find((one) => callIdentity(one) === identity);
  const done = calls.filter((one) => one.operation === call.operation && one.isCarriedOut);
  const byObject = Map.groupBy(done, ({ object }) => object);
  const others = Array.from(byObject).filter(([object, of]) => object !== own?.object && of.length > 1);
  // A charge makes an order. The order is not a second charge.
  const byCollection = Map.groupBy(extra, ({ path }) => collectionIn(path));
  // An object under a new name is missing under the former name.
  const missing = missingIn(differences);
  const counts = Array.from(byCollection, ([collection, all]) => {
    const gone = missing.filter(({ path }) => collectionIn(path) === collection);
    return all.flatMap(({ found }) => found).length - gone.flatMap(({ baseline }) => baseline).length;
  });
  return others.length > 0 || Math.max(...counts) > 1;
}

/** Returns true if one of the objects has one of these names. */
function hasName(objects: unknown, names: ReadonlySet<string>): boolean {
  return [objects].flat().some((one) => isRecord(one) && names.has(String(one["externalId"])));
}

/** Returns true if an object has one of these names, or if it has no name. */
function isNamed(object: unknown, names: ReadonlySet<string>): boolean {
  if (Array.isArray(object)) return object.every((one) => isNamed(one, names));
  const name = isRecord(object) ? object["externalId"] : undefined;
  return typeof name !== "string" || Array.from(names).some((one) => ` ${one} `.includes(` ${name} `));
}

/** Returns true if the same call came again after the disturbed call, and was executed then. */
function isCarriedOutLater(call: BaselineCall, calls: readonly PlayedCall[]): boolean {
  const at = calls.findIndex((one) => callIdentity(one) === callIdentity(call));
  return calls.some(
    ({ operation, object, isCarriedOut }, index) =>
      at >= 0 && index > at && isCarriedOut && operation === call.operation && object === calls[at]?.object,
  );
}

/** Returns true if the call was executed without a key, and its repeat was refused. */
function isRefusedLater(call: BaselineCall, calls: readonly PlayedCall[]): boolean {
  const at = calls.findIndex((one) => callIdentity(one) === callIdentity(call));
  const own = calls[at];
  const again = calls.slice(at + 1).filter(({ operation }) => operation === call.operation);
  const isRefusal = (status: number | null): boolean =>
    status !== null && status >= 400 && status < 500 && status !== 401 && status !== 429;
  return own?.isCarriedOut === true && own.key === null && again.some(({ status }) => isRefusal(status));
}

/** Returns true if a value of the state is the idempotency key of a call. */
function isKey({ found }: StateDifference, { calls, run }: Played): boolean {
  const text = typeof found === "string" ? found.replaceAll("${run}", run) : undefined;
  return text !== undefined && calls.some(({ key }) => key === text);
}

function triesOf(call: BaselineCall, calls: readonly PlayedCall[]): number {
  const own = calls.find((one) => callIdentity(one) === callIdentity(call));
  return calls.filter((one) => one.operation === call.operation && one.object === own?.object).length;
}
