import { listed, suggestion } from "../../engine/suggestion.ts";
import { Temporal } from "temporal-polyfill";
import type { Assumption, AssumptionKind } from "./assumption.ts";
import { isDuration, LONGEST_DELAY } from "../../engine/instant.ts";
import { formatMoney } from "../../engine/money.ts";
import { parseAmount } from "../problems.ts";
import { type AssumptionId, type AssumptionValues, areaAssumptions } from "./assumptions.ts";
import { assumptions } from "../catalog.ts";

/** A value, or a sentence with the found value and the expected value. */
type ReadAssumption = { readonly value: unknown } | { readonly mistake: string };

const NEAREST_SHOWN = 3;

/** Pairs of assumptions. The first must not be after the second, because no date could satisfy both. */
const ORDERED = [
  ["charge.window-min-days", "charge.window-max-days"],
  ["charge.first-attempt-at", "charge.second-attempt-at"],
  ["charge.second-attempt-at", "charge.final-at"],
  ["payout.ted-opens", "payout.ted-closes"],
] as const satisfies readonly (readonly [AssumptionId, AssumptionId])[];

/** Former ids of assumptions, with the present names of their values. */
const FORMER_IDS: Readonly<Record<string, { readonly id: AssumptionId; readonly values: object }>> = {
  "payout.ted-returns": { id: "payout.returns", values: { true: "silent", false: "none" } },
};

/** The id that an assumption has now: its own, or the one in place of a former one. */
export function currentId(id: string): string {
  return Object.hasOwn(FORMER_IDS, id) ? FORMER_IDS[id]!.id : id;
}

function currentValue(id: string, written: unknown): unknown {
  const values = new Map(Object.entries(FORMER_IDS[id]?.values ?? {}));
  return values.get(String(written)) ?? written;
}

/** Reads one value of a flag or a file: a text, or a value of its type. An amount gets its decimals. */
export function readAssumption(writtenId: string, writtenValue: unknown): ReadAssumption {
  const id = currentId(writtenId);
  const written = currentValue(writtenId, writtenValue);
  const known = Object.hasOwn(assumptions, id) ? assumptions[id] : undefined;
  if (known === undefined) {
    const nearest = suggestion(id, Object.keys(assumptions), {
      countMax: NEAREST_SHOWN,
      all: "sandbank assumptions",
    });
    return { mistake: `There is no assumption "${id}". ${nearest}` };
  }
  if (known.type.kind === "statement") {
    const parts = known.parts === undefined ? "" : ` What can be set is ${listed(known.parts, "and")}.`;
    return { mistake: `The assumption ${id} cannot be set: ${known.says}${parts}` };
  }
  const value = readValue(known.type, written);
  if (value !== undefined) return { value };
  return { mistake: `The assumption ${id} is ${expected(known)}; found ${JSON.stringify(written)}.` };
}

/** Mistakes that are named: the nearest assumption is searched for each unknown one. */
const MISTAKES_MAX = 20;

/**
 * Reads a set of assumptions: its values, and all mistakes. Values that have to agree are checked against `current`.
 */
export function readAssumptions(
  written: Readonly<Record<string, unknown>>,
  current: AssumptionValues = {},
): {
  readonly values: AssumptionValues;
  readonly mistakes: readonly string[];
} {
  const values: Record<string, unknown> = {};
  const mistakes: string[] = [];
  for (const [id, value] of Object.entries(written)) {
    const read = readAssumption(id, value);
    if ("mistake" in read) mistakes.push(read.mistake);
    if (mistakes.length >= MISTAKES_MAX) break;
    if ("value" in read) values[currentId(id)] = read.value;
  }
  const accepted = values as AssumptionValues;
  return { values: accepted, mistakes: [...mistakes, ...contradictions(accepted, current)] };
}

/** The mistakes in values that are each right but do not agree. */
function contradictions(values: AssumptionValues, current: AssumptionValues): string[] {
  return ORDERED.flatMap(([first, second]) => {
    if (values[first] === undefined && values[second] === undefined) return [];
    const left = values[first] ?? current[first] ?? areaAssumptions[first].default;
    const right = values[second] ?? current[second] ?? areaAssumptions[second].default;
    // Times of day, with seconds or without, sort as their texts do.
    return left > right ? [`The assumption ${first} is ${left}, which is after ${second}, ${right}.`] : [];
  });
}

function readValue(type: AssumptionKind, written: unknown): unknown {
  switch (type.kind) {
    case "statement":
      return undefined;
    case "flag":
      return written === true || written === "true" ? true : readFalse(written);
    case "duration":
      return readDuration(written, type.clock);
    case "durations":
      return readDurations(written, type.length);
    case "time":
      return typeof written === "string" && /^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?$/.test(written)
        ? written
        : undefined;
    case "amount":
      return readAmount(written);
    case "count": {
      const counted = typeof written === "string" && /^\d+$/.test(written) ? Number(written) : written;
      if (typeof counted !== "number" || !Number.isInteger(counted)) return undefined;
      return counted >= type.min && counted <= type.max ? counted : undefined;
    }
    case "choice":
      return typeof written === "string" && type.choices.includes(written) ? written : undefined;
  }
}

function readFalse(written: unknown): false | undefined {
  return written === false || written === "false" ? false : undefined;
}

function readDuration(written: unknown, clock: "sandbox" | "wall"): string | undefined {
  if (typeof written !== "string" || !isDuration(written, LONGEST_DELAY)) return undefined;
  const read = Temporal.Duration.from(written);
  const isOfDays = read.years || read.months || read.weeks || read.days;
  return clock === "wall" && (read.blank || isOfDays) ? undefined : written;
}

function readDurations(written: unknown, length: number): readonly string[] | undefined {
  const items: readonly unknown[] | undefined =
    typeof written === "string"
      ? written.split(",").map((item) => item.trim())
      : Array.isArray(written)
        ? written
        : undefined;
  if (items?.length !== length) return undefined;
  const read = items.map((item) => readDuration(item, "sandbox"));
  return read.every((item) => item !== undefined) ? read : undefined;
}

function readAmount(written: unknown): string | undefined {
  if (typeof written !== "string" && typeof written !== "number") return undefined;
  const read = parseAmount("BRL", written);
  return read && formatMoney(read);
}

/** The values that are accepted, to follow "The assumption … is". */
function expected(known: Assumption<unknown>): string {
  const { type } = known;
  switch (type.kind) {
    case "statement":
      return "fixed";
    case "flag":
      return "true or false";
    case "duration":
      return type.clock === "wall"
        ? `an ISO 8601 duration of hours, minutes or seconds such as ${String(known.default)}`
        : `an ISO 8601 duration of at most a hundred years such as ${String(known.default)}`;
    case "durations":
      return `a list of ${type.length} ISO 8601 durations such as ${String(known.default)}`;
    case "time":
      return `a time of day such as ${String(known.default)}`;
    case "amount":
      return `an amount in BRL such as ${String(known.default)}`;
    case "count":
      return `a whole number from ${type.min} to ${type.max}`;
    case "choice":
      return `one of ${listed(type.choices, "or")}`;
  }
}
