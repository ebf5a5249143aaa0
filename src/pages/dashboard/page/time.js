export { span } from "../../../server/control/span.js";

const ZONE = "America/Sao_Paulo";

const format = new Intl.DateTimeFormat("en-GB", {
  timeZone: ZONE,
  weekday: "short",
  day: "2-digit",
  month: "short",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  hourCycle: "h23",
  timeZoneName: "shortOffset",
});

/**
 * Returns an instant as people in Brasília read it, in parts. The platform API writes UTC. Its days, windows and cut-offs
 * are Brasília's.
 *
 * @param {string | number} instant
 */
export function brasilia(instant) {
  const parts = Object.fromEntries(
    format.formatToParts(new Date(instant)).map(({ type, value }) => [type, value]),
  );
  const { weekday = "", day = "", month = "", year = "", hour = "", minute = "", second = "" } = parts;
  const { timeZoneName = "" } = parts;
  return {
    weekday,
    date: `${day} ${month} ${year}`,
    shortDate: `${day} ${month}`,
    time: `${hour}:${minute}:${second}`,
    offset: timeZoneName.replace("GMT", "UTC").replace("-", "−"),
  };
}

/**
 * Returns the world's time in milliseconds. In a running world the time since the answer is added.
 *
 * @param {import("./page-data.ts").Clock} clock
 * @param {number} present this page's own clock now, as `performance.now()` gives it
 */
export function worldTime({ mode, now, readAt }, present) {
  const answered = Date.parse(now);
  return mode === "running" ? answered + (present - readAt) : answered;
}

/** @type {Record<string, (count: string) => string>} */
const units = {
  s: (count) => `PT${count}S`,
  m: (count) => `PT${count}M`,
  min: (count) => `PT${count}M`,
  h: (count) => `PT${count}H`,
  d: (count) => `P${count}D`,
  w: (count) => `P${count}W`,
  mo: (count) => `P${count}M`,
  y: (count) => `P${count}Y`,
};

/**
 * Returns the target of an advance as a person types it: `next`, `idle`, `PT30M`, `2 h`, `3d`, `1 mo`,
 * `2026-11-25`, `2026-11-25 21:00`, or a timestamp with its offset. The default offset is Brasília's. Other
 * text is sent as it is, and the sandbox reports the mistake.
 *
 * @param {string} typed
 * @returns {import("../../../simulator/api/generated/shapes.ts").Shapes["AdvanceRequest"]}
 */
export function advanceTarget(typed) {
  const text = typed.trim();
  if (text === "next" || text === "idle") return { until: text };
  const [, count = "", unit = ""] = /^\+?(\d+)\s*(s|m|min|h|d|w|mo|y)$/i.exec(text) ?? [];
  const duration = units[unit.toLowerCase()];
  if (duration !== undefined) return { by: duration(count) };
  const [, date, time = "00:00", seconds = ":00", offset = "-03:00"] =
    /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(:\d{2}(?:\.\d+)?)?)?(Z|[+-]\d{2}:\d{2})?$/i.exec(text) ?? [];
  if (date !== undefined) return { to: `${date}T${time}${seconds}${offset}` };
  return /^p/i.test(text) ? { by: text.toUpperCase() } : { to: text };
}

/**
 * Returns the positions of instants on a line from 0 to 1. Each retry waits longer than the one before, so a position
 * is the square root of the time: the first attempts stay apart and the last ones stay in sight.
 *
 * @param {readonly number[]} instants in order
 */
export function axisPositions(instants) {
  const [first = 0] = instants;
  const whole = (instants.at(-1) ?? first) - first;
  return instants.map((instant) => (whole === 0 ? 0 : Math.sqrt((instant - first) / whole)));
}
