/** @import { DeliveryAttempt } from "../../../simulator/api/generated/shapes.ts" */
/** @typedef {Pick<DeliveryAttempt, "at" | "error" | "durationMs" | "injected">} Made */

/**
 * Returns the health of every endpoint of these deliveries, the worst first. Attempts that a fault of the
 * sandbox failed do not count. The health has the number of attempts, the number answered with 2xx in time,
 * the failures in a row up to now, and the durations.
 *
 * @param {readonly { url: string, attempts: readonly Made[] }[]} deliveries
 */
export function healthOf(deliveries) {
  const byUrl = Map.groupBy(deliveries, ({ url }) => url);
  return Array.from(byUrl, ([url, ofUrl]) => {
    const attempts = ofUrl
      .flatMap(({ attempts }) => attempts)
      .filter((attempt) => !isInjectedFailure(attempt))
      .sort((one, other) => Date.parse(one.at) - Date.parse(other.at));
    const times = attempts
      .map(({ durationMs }) => durationMs)
      .filter((time) => typeof time === "number")
      .sort((one, other) => one - other);
    return {
      url,
      attempts: attempts.length,
      acknowledged: attempts.filter(({ error }) => error === null).length,
      failuresInARow: attempts.length - 1 - attempts.findLastIndex(({ error }) => error === null),
      medianMs: times[Math.ceil(times.length * 0.5) - 1],
      p95Ms: times[Math.ceil(times.length * 0.95) - 1],
    };
  })
    .filter(({ attempts }) => attempts > 0)
    .sort((one, other) => other.failuresInARow - one.failuresInARow || other.attempts - one.attempts);
}

/**
 * Returns true if an attempt failed while a fault of the sandbox was in force on it. This says nothing about the
 * endpoint.
 *
 * @param {Pick<Made, "error" | "injected">} attempt
 */
export function isInjectedFailure({ error, injected }) {
  return error !== null && injected.length > 0;
}

/**
 * Returns the time and the result of the last attempt of a delivery if it failed. The result names the fault that failed
 * it.
 *
 * @param {{ status: string, attempts: readonly (Made & Pick<DeliveryAttempt, "status">)[] }} delivery
 */
export function lastFailure({ status, attempts }) {
  const last = attempts.at(-1);
  if (last === undefined || last.error === null) return undefined;
  const by = isInjectedFailure(last) ? ` by the fault ${last.injected.join(", ")}` : "";
  return {
    at: last.at,
    result: `${last.status ?? last.error}${by}${status === "retrying" ? ", retrying" : ""}`,
  };
}

/** Returns the colour of the result of an attempt. @param {Pick<Made, "error" | "injected">} attempt */
export function toneOfAttempt(attempt) {
  return attempt["error"] === null ? "good" : isInjectedFailure(attempt) ? "injected" : "bad";
}

/**
 * Finds the differences between two JSON texts, field by field. Undefined is a field that is missing. Empty
 * if one of them is not JSON.
 *
 * @param {string} before
 * @param {string} after
 * @returns {{ path: string, before: unknown, after: unknown }[]}
 */
export function changesBetween(before, after) {
  const [old, current] = [leavesOf(before), leavesOf(after)];
  if (old === undefined || current === undefined) return [];
  return [...new Set([...old.keys(), ...current.keys()])]
    .filter((path) => old.get(path) !== current.get(path))
    .map((path) => ({ path, before: old.get(path), after: current.get(path) }));
}

/** @param {string} text */
function leavesOf(text) {
  try {
    return new Map(leaves(JSON.parse(text), ""));
  } catch {
    return undefined;
  }
}

/** @param {unknown} value @param {string} path @returns {[string, unknown][]} */
function leaves(value, path) {
  if (typeof value !== "object" || value === null) return [[path, value]];
  const entries = Object.entries(value);
  if (entries.length === 0) return [[path, Array.isArray(value) ? "[]" : "{}"]];
  return entries.flatMap(([name, inner]) => leaves(inner, path === "" ? name : `${path}.${name}`));
}
