import { Temporal } from "temporal-polyfill";
import type { Assumption } from "./assumption.ts";
import type { AssumptionValues } from "./assumptions.ts";
import { assumptions } from "../catalog.ts";
import { formatMoney, parseMoney } from "../../engine/money.ts";
import { readAssumptions } from "./reading.ts";

/** Every assumption in the order of the catalog, with the values of a world. */
export function listAssumptions(values: AssumptionValues = {}) {
  return Object.entries(assumptions).map(([id, known]) => ({
    id,
    type: known.type,
    default: known.default,
    value: values[id] ?? known.default,
    settable: known.type.kind !== "statement",
    alternatives: alternativesOf(id, known),
    says: known.says,
    leavesOpen: known.leavesOpen,
    because: known.because,
  }));
}

/** An assumption with its value in a world. */
export type AssumptionInWorld = ReturnType<typeof listAssumptions>[number];

/**
 * Returns the other values that a platform could have in place of the default, as the text that `--assume id=value`
 * takes. These are the values in the assumption's list. Without a list, they follow from its kind, within its limits.
 */
export function alternativesOf(id: string, known: Assumption<unknown>): readonly string[] {
  const standard = String(known.default);
  const values = [...new Set(known.alternatives ?? others(known))].filter((value) => value !== standard);
  // Only values of these kinds can exceed a limit, or be out of order with another value.
  if (known.type.kind !== "count" && known.type.kind !== "time") return values;
  return values.filter((value) => readAssumptions({ [id]: value }).mistakes.length === 0);
}

function others({ type, default: standard, isPeriod }: Assumption<unknown>): readonly string[] {
  const text = String(standard);
  switch (type.kind) {
    case "statement":
      return [];
    case "flag":
      return [String(standard !== true)];
    case "duration": {
      const takesNothing = type.clock === "sandbox" && isPeriod !== true;
      return [...(takesNothing ? ["PT0S"] : []), times(text, 0.5), times(text, 3)];
    }
    case "durations": {
      const [first = "PT0S", ...later] = text.split(",");
      return [[times(first, 2), ...later].join()];
    }
    case "time":
      return [-1, 1].flatMap((hours) => hoursLater(text, hours));
    case "amount": {
      const { minor = 0 } = parseMoney("BRL", text) ?? {};
      const centavos = [minor + 1, Math.floor(minor / 2), minor * 2];
      return centavos.map((value) => formatMoney({ currency: "BRL", minor: value }));
    }
    case "count":
      return [-1, 1].map((step) => String(Number(standard) + step));
    case "choice":
      return type.choices;
  }
}

/** Multiplies a duration of days or less, and keeps its unit: PT90M is three times PT30M. */
function times(text: string, factor: number): string {
  const duration = Temporal.Duration.from(text);
  const written = (["seconds", "minutes", "hours", "days"] as const).find((unit) => duration[unit] !== 0);
  return Temporal.Duration.from({ milliseconds: duration.total("milliseconds") * factor })
    .round({ largestUnit: written ?? "seconds" })
    .toString();
}

/** Returns that time of the same day. Empty if it is on another day. */
function hoursLater(text: string, hours: number): readonly string[] {
  const hour = Number(text.slice(0, 2)) + hours;
  return hour < 0 || hour > 23 ? [] : [`${String(hour).padStart(2, "0")}${text.slice(2)}`];
}
