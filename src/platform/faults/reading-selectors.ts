import type { Effect } from "./effect.ts";
import type { FaultSelectors } from "./fault.ts";
import type { Problems } from "../problems.ts";
import { parseInstant } from "../../engine/instant.ts";

type Written = Readonly<Record<string, unknown>>;
type SelectorName = keyof FaultSelectors;

/** The selectors that any fault may have. */
export const selectorNames = [
  "event",
  "operation",
  "object",
  "nth",
  "attempt",
  "between",
  "probability",
  "times",
] as const satisfies readonly SelectorName[];

const COUNT_MAX = 1_000_000_000;

/** Reads what a fault lays hold of. A selector that its effect could never meet is a problem too. */
export function readSelectors(written: Written, effect: Effect, problems: Problems): FaultSelectors {
  const reader = new SelectorReader(written, problems);
  validateUse(written, effect, problems);
  return {
    event: reader.text(
      "event",
      "the name of an event, in which * stands for anything, such as SUBSCRIPTION.*",
    ),
    operation: reader.text("operation", "an operationId such as createSubscription"),
    object: reader.text("object", "the id of an object"),
    nth: reader.read("nth", isCount, "a whole number from 1 on"),
    attempt: reader.attempts(),
    between: reader.between(),
    probability: reader.read("probability", isProbability, "a number from 0 to 1"),
    times: reader.read("times", isCount, "a whole number from 1 on"),
  };
}

function validateUse(written: Written, { on, stage, needsBetween }: Effect, problems: Problems): void {
  const refuse = (field: SelectorName, why: string): void => {
    if (written[field] !== undefined) problems.add(field, "NOT_ALLOWED", why);
  };
  if (stage === "call") {
    refuse("event", "A fault on the api lays hold of calls, which have no event. Use operation.");
    refuse("attempt", "A fault on the api lays hold of calls, which have no attempts. Use nth.");
  }
  const { attempt } = written;
  if (stage === "event" && attempt !== 1 && !(Array.isArray(attempt) && attempt.includes(1))) {
    refuse("attempt", "This effect begins before an event's first attempt. Leave attempt out, or make it 1.");
  }
  if (needsBetween === true && written["between"] === undefined) {
    const what = on === "webhook" ? "two timestamps, between which nothing gets through" : "two timestamps";
    problems.add("between", "REQUIRED", `between is missing: it must be ${what}.`);
  }
}

class SelectorReader {
  readonly #written: Written;
  readonly #problems: Problems;

  constructor(written: Written, problems: Problems) {
    this.#written = written;
    this.#problems = problems;
  }

  /** The value of a selector; null where it is left out, or is wrong and has become a problem. */
  read<T>(name: SelectorName, fits: (value: unknown) => value is T, wanted: string): T | null {
    const value = this.#written[name];
    if (value === undefined) return null;
    if (fits(value)) return value;
    const found = (JSON.stringify(value) ?? "nothing").slice(0, 100);
    this.#problems.check(name, found, () => `${name} must be ${wanted}; found ${found}.`);
    return null;
  }

  text(name: SelectorName, wanted: string): string | null {
    return this.read(name, isText, wanted);
  }

  attempts(): readonly number[] | null {
    const wanted = "the number of an attempt, or a list of such numbers";
    const value = this.read("attempt", isCountOrCounts, wanted);
    return typeof value === "number" ? [value] : value;
  }

  between(): readonly [number, number] | null {
    const wanted =
      'two timestamps with their offsets, the earlier first, such as ["2026-11-20T09:00:00-03:00", "2026-11-20T10:00:00-03:00"]';
    const value = this.read("between", isPeriod, wanted);
    return value === null ? null : [parseInstant(value[0]) ?? 0, parseInstant(value[1]) ?? 0];
  }
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.length <= 200;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 1 && Number(value) <= COUNT_MAX;
}

function isCountOrCounts(value: unknown): value is number | readonly number[] {
  return isCount(value) || (Array.isArray(value) && value.length > 0 && value.every(isCount));
}

function isProbability(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value <= 1;
}

function isPeriod(value: unknown): value is readonly [string, string] {
  if (!Array.isArray(value) || value.length !== 2 || !value.every((time) => typeof time === "string"))
    return false;
  const [from, to] = value.map(parseInstant);
  return from !== undefined && to !== undefined && from < to;
}
