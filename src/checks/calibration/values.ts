import type { AssumptionKind } from "../../simulator/platform/assumptions/assumption.ts";
import { durationMs } from "../../simulator/engine/instant.ts";
import { Temporal } from "temporal-polyfill";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const MIDNIGHT = Temporal.PlainTime.from("00:00");

/** The distances between round values, the roundest first. */
const DURATION_STEPS = [
  30 * DAY,
  10 * DAY,
  5 * DAY,
  DAY,
  12 * HOUR,
  6 * HOUR,
  HOUR,
  30 * MINUTE,
  10 * MINUTE,
  5 * MINUTE,
  MINUTE,
  30 * SECOND,
  10 * SECOND,
  5 * SECOND,
  SECOND,
  500,
  100,
  50,
  10,
  1,
];
const TIME_STEPS = [HOUR, 30 * MINUTE, 15 * MINUTE, 10 * MINUTE, 5 * MINUTE, MINUTE, 30 * SECOND, SECOND];
const NUMBER_STEPS = Array.from({ length: 10 }, (_, index) => 10 ** (9 - index)).flatMap((step) =>
  step === 1 ? [1] : [step, step / 2],
);

/** Returns the roundest value between two. Of several equally round values, the nearest to the middle. */
function roundest(from: number, to: number, steps: readonly number[]): number {
  if (from === to) return from;
  const middle = (from + to) / 2;
  for (const step of steps) {
    const nearest = Math.round(middle / step) * step;
    if (nearest >= from && nearest <= to && nearest > 0) return nearest;
    const first = Math.ceil(from / step) * step;
    if (first > 0 && first <= to) return first;
  }
  return Math.round(middle);
}

/** The conversion between the numbers of observations and the values of an assumption. */
interface Scale {
  /** The number of a value. */
  readonly of: (value: unknown) => number;
  /** The value of a number. */
  readonly to: (number: number) => unknown;
  readonly steps: readonly number[];
  /** The largest distance of measured times that count as the same. */
  readonly spreadMax: (middle: number) => number;
}

const DURATION: Scale = {
  of: (value) => durationMs(String(value)),
  to: isoDuration,
  steps: DURATION_STEPS,
  spreadMax: (middle) => middle * 0.35,
};

const SCALES: Readonly<Record<AssumptionKind["kind"], Scale | undefined>> = {
  duration: DURATION,
  durations: DURATION,
  time: {
    of: (value) => Temporal.PlainTime.from(String(value)).since(MIDNIGHT).total("milliseconds"),
    to: timeText,
    steps: TIME_STEPS,
    spreadMax: () => 10 * MINUTE,
  },
  amount: {
    of: (value) => Math.round(Number(value) * 100),
    to: (cents) => (cents / 100).toFixed(2),
    steps: NUMBER_STEPS,
    spreadMax: () => 0,
  },
  count: { of: Number, to: (count) => count, steps: NUMBER_STEPS, spreadMax: () => 0 },
  statement: undefined,
  flag: undefined,
  choice: undefined,
};

export function scaleOf(type: AssumptionKind): Scale | undefined {
  // A duration in wall time is written without days.
  if (type.kind === "duration" && type.clock === "wall")
    return { ...DURATION, to: (ms) => durationOf(ms, "hours") };
  return SCALES[type.kind];
}

/** Returns the roundest value of a type in a range of numbers. */
export function roundValue(scale: Scale, from: number, to: number): unknown {
  return scale.to(roundest(from, to, scale.steps));
}

/** `PT1M30S` of 90,000 milliseconds, `P7D` of whole days. */
export function isoDuration(ms: number): string {
  return durationOf(ms, "days");
}

function durationOf(ms: number, largestUnit: "days" | "hours"): string {
  return Temporal.Duration.from({ milliseconds: Math.round(ms) })
    .round({ largestUnit })
    .toString();
}

/** Returns a lower bound, no more precise than its size: hours of days, minutes of an hour, otherwise seconds. */
export function roundedDown(ms: number): number {
  const step = ms >= 10 * HOUR ? HOUR : ms >= 10 * MINUTE ? MINUTE : SECOND;
  return Math.floor(ms / step) * step;
}

/** `22:00` or `23:59:59`. */
function timeText(ms: number): string {
  const time = MIDNIGHT.add({ milliseconds: Math.min(Math.floor(ms), DAY - 1) });
  return time.toString({ smallestUnit: "second", roundingMode: "floor" }).replace(/:00$/, "");
}

const UNITS: readonly (readonly [number, string])[] = [
  [DAY, "d"],
  [HOUR, "h"],
  [MINUTE, "min"],
  [SECOND, "s"],
  [1, "ms"],
];

/** Returns a duration for readers, in its largest unit and the next one: `14 min 40 s`. */
export function shownDuration(ms: number): string {
  const index = UNITS.findIndex(([length]) => Math.round(ms) >= length);
  const [length, unit] = UNITS[index] ?? [1, "ms"];
  if (length === 1) return `${Math.round(ms)} ms`;
  if (length === SECOND) return ms >= MINUTE - 50 ? "1 min" : `${Math.round(ms / 100) / 10} s`;
  const [smaller, smallerUnit] = UNITS[index + 1] ?? [1, "ms"];
  const rounded = Math.round(ms / smaller) * smaller;
  const [larger] = UNITS[index - 1] ?? [Infinity];
  if (rounded >= larger) return shownDuration(rounded);
  const rest = Math.round((rounded % length) / smaller);
  const whole = `${Math.floor(rounded / length)} ${unit}`;
  return rest === 0 ? whole : `${whole} ${rest} ${smallerUnit}`;
}
