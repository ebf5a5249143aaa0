import { listed, suggestion } from "../../engine/suggestion.ts";
import { Temporal } from "temporal-polyfill";
import type { Assumption, AssumptionKind } from "./assumption.ts";
import type { AssumptionId, AssumptionValues } from "./assumptions.ts";
import { isDuration, LONGEST_DELAY } from "../../engine/instant.ts";
import { formatMoney, parseMoney } from "../../engine/money.ts";
import { assumptions } from "./assumptions.ts";

/** A value, or the sentence that says what was found and what would be right. */
export type ReadAssumption = { readonly value: unknown } | { readonly mistake: string };

const NEAREST_SHOWN = 3;

/** Pairs of which the first must not lie after the second, or no date could ever satisfy both. */
const ORDERED = [
  ["charge.window-min-days", "charge.window-max-days"],
  ["charge.first-attempt-at", "charge.second-attempt-at"],
  ["charge.second-attempt-at", "charge.final-at"],
  ["payout.ted-opens", "payout.ted-closes"],
] as const satisfies readonly (readonly [AssumptionId, AssumptionId])[];

/**
 * Reads one value as a person wrote it, in a flag or a file: a text, or already of its type. An amount is
 * given back with its decimals; everything else as it was written.
 */
export function readAssumption(id: string, written: unknown): ReadAssumption {
  if (!isAssumptionId(id))
    return {
      mistake: `There is no assumption "${id}". ${suggestion(id, Object.keys(assumptions), { countMax: NEAREST_SHOWN })}`,
    };
  const known: Assumption<unknown> = assumptions[id];
  if (known.type.kind === "statement") {
    const parts = known.parts === undefined ? "" : ` What can be set is ${listed(known.parts, "and")}.`;
    return { mistake: `The assumption ${id} cannot be set: ${known.says}${parts}` };
  }
  const value = readValue(known.type, written);
  if (value !== undefined) return { value };
  return { mistake: `The assumption ${id} is ${wanted(known)}; found ${JSON.stringify(written)}.` };
}

/**
 * Reads all that a person assumes; gives what could be read, and every mistake rather than the first. What is
 * left out stands as it is, which values that have to agree are held against.
 */
export function readAssumptions(
  written: Readonly<Record<string, unknown>>,
  standing: AssumptionValues = {},
): {
  readonly values: AssumptionValues;
  readonly mistakes: readonly string[];
} {
  const values: Record<string, unknown> = {};
  const mistakes: string[] = [];
  for (const [id, value] of Object.entries(written)) {
    const read = readAssumption(id, value);
    if ("mistake" in read) mistakes.push(read.mistake);
    else values[id] = read.value;
  }
  return { values, mistakes: [...mistakes, ...contradictions(values, standing)] };
}

/** What is wrong with values that are each right by themselves. */
function contradictions(values: AssumptionValues, standing: AssumptionValues): string[] {
  return ORDERED.flatMap(([first, second]) => {
    if (values[first] === undefined && values[second] === undefined) return [];
    const left = values[first] ?? standing[first] ?? assumptions[first].default;
    const right = values[second] ?? standing[second] ?? assumptions[second].default;
    // Times of day of one form or the other sort as their texts do.
    return left > right ? [`The assumption ${first} is ${left}, which is after ${second}, ${right}.`] : [];
  });
}

function isAssumptionId(id: string): id is AssumptionId {
  return Object.hasOwn(assumptions, id);
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
  const read = parseMoney("BRL", written);
  return read && formatMoney(read);
}

/** What would be right, to stand after "The assumption … is". */
function wanted(known: Assumption<unknown>): string {
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
