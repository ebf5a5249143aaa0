import type { Found } from "./differences.ts";
import type { Played } from "./played.ts";
import type { StateDifference } from "../../partner/states/comparison.ts";
import { type BaselineCall, type Schedule, type Timeline, kindOf } from "./deviations.ts";
import { type PlayedCall, callIdentity } from "./calls.ts";
import { isRecord } from "../../simulator/engine/json.ts";
import { operations } from "../../simulator/api/operations.ts";

/** Returns true if a failed call alone has the work done twice. */
export function isTwiceByCalls({ schedule, differences }: Found): boolean {
  return (
    schedule.every(({ call, kind }) => call !== undefined && kindOf(kind).group === "calls") &&
    objectsMore(differences) > 0
  );
}

/** Returns true for the path of a whole object: `$platform.payouts[1]`. */
function isObjectPath(path: string): boolean {
  return /^\$platform(?:\.[\w]+|\["[\w-]+"\])(?:\[\d+\])?$/.test(path);
}

/** Returns the additional objects of the platform. */
function extraIn(differences: readonly StateDifference[]): readonly StateDifference[] {
  return differences.filter(({ baseline, path }) => baseline === undefined && isObjectPath(path));
}

/** Returns the collections with additional or missing objects, each with the number of both. */
export function changedCollections(
  differences: readonly StateDifference[],
): ReadonlyMap<string, { readonly extra: number; readonly missing: number }> {
  const changed = Map.groupBy([...extraIn(differences), ...missingIn(differences)], ({ path }) =>
    collectionIn(path),
  );
  return new Map(
    Array.from(changed, ([collection, all]) => [
      collection,
      {
        extra: all.flatMap(({ found }) => listed(found)).length,
        missing: all.flatMap(({ baseline }) => listed(baseline)).length,
      },
    ]),
  );
}

/** Returns the largest number of objects that a collection has more than in the baseline. */
export function objectsMore(differences: readonly StateDifference[]): number {
  // An object under a new name is missing under the former name.
  const counts = Array.from(
    changedCollections(differences).values(),
    ({ extra, missing }) => extra - missing,
  );
  return Math.max(0, ...counts);
}

function listed(value: unknown): readonly unknown[] {
  return value === undefined ? [] : [value].flat();
}

/** Returns the missing objects of the platform. */
export function missingIn(differences: readonly StateDifference[]): readonly StateDifference[] {
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
export function isOfOthers({ schedule, differences, played: { calls } }: Found, timeline: Timeline): boolean {
  const [call] = disturbedIn(schedule, timeline);
  if (call === undefined || objectsMore(differences) === 0) return false;
  const identity = callIdentity(call);
  const own = calls.find((one) => callIdentity(one) === identity);
  const done = calls.filter((one) => one.operation === call.operation && one.isCarriedOut);
  const byObject = Map.groupBy(done, ({ object }) => object);
  const others = Array.from(byObject).filter(([object, of]) => object !== own?.object && of.length > 1);
  // A charge makes an order. The order is not a second charge.
  return others.length > 0 || objectsMore(differences) > 1;
}

/** Returns true if one of the objects has one of these names. */
export function hasName(objects: unknown, names: ReadonlySet<string>): boolean {
  return [objects].flat().some((one) => isRecord(one) && names.has(String(one["externalId"])));
}

/** Returns true if the same call came again after the disturbed call, and was executed then. */
export function isCarriedOutLater(call: BaselineCall, calls: readonly PlayedCall[]): boolean {
  const at = calls.findIndex((one) => callIdentity(one) === callIdentity(call));
  return calls.some(
    ({ operation, object, isCarriedOut }, index) =>
      at >= 0 && index > at && isCarriedOut && operation === call.operation && object === calls[at]?.object,
  );
}

/** Returns true if the call was executed without a key, and its repeat was refused. */
export function isRefusedLater(call: BaselineCall, calls: readonly PlayedCall[]): boolean {
  const at = calls.findIndex((one) => callIdentity(one) === callIdentity(call));
  const own = calls[at];
  const again = calls.slice(at + 1).filter(({ operation }) => operation === call.operation);
  const isRefusal = (status: number | null): boolean =>
    status !== null && status >= 400 && status < 500 && status !== 401 && status !== 429;
  return own?.isCarriedOut === true && own.key === null && again.some(({ status }) => isRefusal(status));
}

/** Returns true if a value of the state is the idempotency key of a call. */
export function isKey({ found }: StateDifference, { calls, run }: Played): boolean {
  const text = typeof found === "string" ? found.replaceAll("${run}", run) : undefined;
  return text !== undefined && calls.some(({ key }) => key === text);
}
