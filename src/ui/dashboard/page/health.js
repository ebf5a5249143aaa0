// @ts-check

/**
 * How an endpoint has been doing.
 *
 * @typedef {object} Health
 * @property {string} url
 * @property {number} attempts
 * @property {number} taken attempts that were acknowledged
 * @property {number} failuresInARow up to now
 * @property {number | undefined} median milliseconds that half of the attempts took at most
 * @property {number | undefined} slow milliseconds that nineteen of twenty took at most
 */

/**
 * The health of every endpoint that deliveries went to, the one in the worst state first.
 *
 * @param {readonly Record<string, any>[]} deliveries
 * @returns {Health[]}
 */
export function healthOf(deliveries) {
  /** @type {Map<string, Record<string, any>[]>} */
  const byUrl = new Map();
  for (const { url, attempts } of deliveries) byUrl.set(url, [...(byUrl.get(url) ?? []), ...attempts]);
  return Array.from(byUrl, ([url, attempts]) => {
    const inTime = attempts.toSorted((one, other) => Date.parse(one["at"]) - Date.parse(other["at"]));
    const lastTaken = inTime.findLastIndex(({ error }) => error === null);
    const times = attempts
      .map(({ durationMs }) => durationMs)
      .filter((time) => typeof time === "number")
      .sort((one, other) => one - other);
    return {
      url,
      attempts: attempts.length,
      taken: attempts.filter(({ error }) => error === null).length,
      failuresInARow: inTime.length - 1 - lastTaken,
      median: times[Math.ceil(times.length * 0.5) - 1],
      slow: times[Math.ceil(times.length * 0.95) - 1],
    };
  })
    .filter(({ attempts }) => attempts > 0)
    .sort((one, other) => other.failuresInARow - one.failuresInARow || other.attempts - one.attempts);
}
