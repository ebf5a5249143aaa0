// @ts-check
// A length of time in words, in Node and in browsers.

/** A length of time by its two largest units: `4 m 12 s`, `2 h 0 m`, `1 d 3 h`. @param {number} milliseconds */
export function span(milliseconds) {
  const seconds = Math.max(0, Math.ceil(milliseconds / 1000));
  const [d, h, m, s] = [seconds / 86_400, (seconds / 3600) % 24, (seconds / 60) % 60, seconds % 60].map(
    Math.floor,
  );
  if (d) return `${d} d ${h} h`;
  if (h) return `${h} h ${m} m`;
  return m ? `${m} m ${s} s` : `${s} s`;
}
