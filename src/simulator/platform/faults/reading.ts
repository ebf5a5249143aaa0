import { affects, type Effect, type EffectField, type EffectFieldType, SIDES } from "./effect.ts";
import type { EffectValues, FaultDefinition, FaultSelectors } from "./fault.ts";
import { listed, suggestion } from "../../engine/suggestion.ts";
import { type EffectName, effectNames, effectOf, isEffectName } from "./effects.ts";
import { isDuration, LONGEST_DELAY, parseInstant } from "../../engine/instant.ts";
import { matchesGlob } from "./selection.ts";
import { Problems } from "../problems.ts";
import { PROBLEMS_MAX } from "../refusals.ts";

/** The names that a fault can select. */
interface KnownNames {
  readonly events: readonly string[];
  readonly operations: readonly string[];
}

type Written = Readonly<Record<string, unknown>>;
export type SelectorName = keyof FaultSelectors;

/** Reads a fault as a person writes it. Refuses with every wrong field at once, and names the nearest word. */
export function readFault(written: Written, known: KnownNames): FaultDefinition {
  const problems = new Problems();
  const name = readEffect(written, problems);
  if (name === undefined) {
    problems.refuse();
    throw new Error("an effect that cannot be read was not refused");
  }
  const effect = effectOf(name);
  validateNames(written, name, problems);
  const selectors = readSelectors(written, effect, problems);
  validateSelected(selectors, known, problems);
  const fields = readFields(written, effect, problems);
  problems.refuse();
  return { effect: name, selectors, fields };
}

function readEffect({ on, effect }: Written, problems: Problems): EffectName | undefined {
  const isSide = SIDES.some((side) => side === on);
  if (!isSide) {
    const issue = on === undefined ? "REQUIRED" : "INVALID";
    problems.add("on", issue, `on must be ${listed(SIDES, "or")}; found ${shown(on)}.`);
  }
  if (typeof effect !== "string") {
    const issue = effect === undefined ? "REQUIRED" : "INVALID";
    problems.add("effect", issue, `effect must be the name of an effect; found ${shown(effect)}.`);
    return undefined;
  }
  if (!isEffectName(effect)) {
    const meant = suggestion(effect, [...effectNames()], { all: "docs/faults.md" });
    problems.add("effect", "INVALID", `There is no effect ${shown(effect)}. ${meant}`);
    return undefined;
  }
  const side = effectOf(effect).on;
  if (isSide && on !== side) {
    problems.add("on", "INVALID", `The effect ${effect} works on the ${side}. Send on: ${side}.`);
  }
  return effect;
}

const SELECTOR_NAMES: readonly SelectorName[] = [
  "event",
  "operation",
  "object",
  "objectNumber",
  "nth",
  "attempt",
  "between",
  "probability",
  "times",
];

function validateNames(written: Written, name: EffectName, problems: Problems): void {
  const own = Object.keys(effectOf(name).fields);
  const known = ["on", "effect", ...SELECTOR_NAMES, ...own];
  const takes = own.length === 0 ? "takes no field of its own" : `takes ${own.join(" and ")}`;
  for (const [index, field] of Object.keys(written)
    .filter((one) => !known.includes(one))
    .entries()) {
    // Finding the nearest name is slow, so it is done only for the names that are shown.
    const nearest = index < PROBLEMS_MAX ? suggestion(field, known, { all: "docs/faults.md" }) : "";
    problems.add(
      field.slice(0, 100),
      "NOT_ALLOWED",
      `There is no field ${shown(field)} of the effect ${name}, which ${takes}. ${nearest}`,
    );
  }
}

const COUNT_EXPECTED = "a whole number from 1 on";
const PERIOD_EXPECTED =
  'two timestamps with their offsets, the earlier first, such as ["2026-11-20T09:00:00-03:00", "2026-11-20T10:00:00-03:00"]';

/** Reads the selectors. A selector that the effect could never match is a problem too. */
function readSelectors(written: Written, effect: Effect, problems: Problems): FaultSelectors {
  validateUse(written, effect, problems);

  /** Reads one selector. Null if it is left out, or if it is wrong and was added to the problems. */
  function read<T>(name: SelectorName, fits: (value: unknown) => value is T, expected: string): T | null {
    const value = written[name];
    if (value === undefined) return null;
    if (fits(value)) return value;
    const found = shown(value);
    problems.check(name, found, () => `${name} must be ${expected}; found ${found}.`);
    return null;
  }

  const attempt = read("attempt", isCountOrCounts, "the number of an attempt, or a list of such numbers");
  return {
    event: read(
      "event",
      isText,
      "the name of an event, such as SUBSCRIPTION.* (the character * matches any text)",
    ),
    operation: read("operation", isText, "an operationId such as createSubscription"),
    object: read("object", isText, "the id of an object"),
    objectNumber: read("objectNumber", isCount, COUNT_EXPECTED),
    nth: read("nth", isCount, COUNT_EXPECTED),
    attempt: typeof attempt === "number" ? [attempt] : attempt,
    between: periodOf(read("between", isPeriod, PERIOD_EXPECTED)),
    probability: read("probability", isProbability, "a number from 0 to 1"),
    times: read("times", isCount, COUNT_EXPECTED),
  };
}

function validateUse(written: Written, effect: Effect, problems: Problems): void {
  const { on, needsBetween } = effect;
  for (const [field, why] of unusableSelectors(effect))
    if (written[field] !== undefined) problems.add(field, "NOT_ALLOWED", why);
  const { attempt } = written;
  const isLater = attempt !== undefined && attempt !== 1 && !(Array.isArray(attempt) && attempt.includes(1));
  if (affects(effect, "event") && isLater) {
    const advice = "Leave attempt out, or make it 1.";
    problems.add("attempt", "NOT_ALLOWED", `This effect starts before an event's first attempt. ${advice}`);
  }
  if (needsBetween === true && written["between"] === undefined) {
    const what = on === "webhook" ? "two timestamps: in between, no webhook is delivered" : "two timestamps";
    problems.add("between", "REQUIRED", `between is missing: it must be ${what}.`);
  }
}

/** Returns the selectors that an effect could never match, each with the reason. */
export function unusableSelectors(effect: Effect): ReadonlyMap<SelectorName, string> {
  const unusable = new Map<SelectorName, string>();
  if (affects(effect, "call")) {
    unusable.set("event", "A fault on the api applies to calls, which have no event. Use operation.");
    unusable.set("attempt", "A fault on the api applies to calls, which have no attempts. Use nth.");
  }
  if (effect.on === "clock")
    for (const field of ["event", "operation", "objectNumber", "attempt"] as const)
      unusable.set(field, "A fault on the clock applies to due timers, and they do not have it. Use object.");
  if (affects(effect, "midnight"))
    for (const field of ["object", "nth", "probability", "times", "between"] as const)
      unusable.set(field, "It ends the day of the clock, and takes no selectors.");
  return unusable;
}

/** An unknown name would make a fault that never takes effect. */
function validateSelected({ event, operation }: FaultSelectors, known: KnownNames, problems: Problems): void {
  problems.check("operation", operation, (name) => {
    if (known.operations.includes(name)) return undefined;
    return `There is no operation ${shown(name)}. ${suggestion(name, known.operations, { all: "/openapi.json" })}`;
  });
  problems.check("event", event, (glob) => {
    if (known.events.some((name) => matchesGlob(glob, name))) return undefined;
    return `No event is called ${shown(glob)}. ${suggestion(glob, known.events, { all: "docs/webhooks.md" })}`;
  });
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.length <= 200;
}

const COUNT_MAX = 1_000_000_000;

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

function periodOf(period: readonly [string, string] | null): FaultSelectors["between"] {
  return period && [parseInstant(period[0])!, parseInstant(period[1])!];
}

function readFields(written: Written, { fields }: Effect, problems: Problems): EffectValues {
  const values = Object.entries(fields)
    .filter(([name, field]) => written[name] !== undefined || "default" in field)
    .map(([name, field]) => [name, readField(name, field, written[name], problems)] as const);
  return Object.fromEntries(values);
}

function readField(
  name: string,
  { type, default: preset, required = false }: EffectField,
  value: unknown,
  problems: Problems,
): EffectValues[string] {
  if (value === undefined) {
    if (!required) return preset ?? null;
    problems.add(name, "REQUIRED", `${name} is missing: it must be ${expected(type)}.`);
    return null;
  }
  if (fits(type, value)) return value;
  problems.add(name, "INVALID", `${name} must be ${expected(type)}; found ${shown(value)}.`);
  return null;
}

function fits(type: EffectFieldType, value: unknown): value is string | number | boolean {
  switch (type.kind) {
    case "duration":
      return (
        typeof value === "string" &&
        (type.wall === true ? isWallDuration(value) : isDuration(value, LONGEST_DELAY))
      );
    case "count":
      return Number.isSafeInteger(value) && Number(value) >= type.min && Number(value) <= type.max;
    case "choice":
      return typeof value === "string" && type.choices.includes(value);
    case "flag":
      return typeof value === "boolean";
    case "text":
      return typeof value === "string" && new RegExp(type.pattern, "u").test(value);
  }
}

/** The longest delay of a call, in wall time: minutes and seconds. */
export const WALL_DURATION = /^PT(?=\d)(?:(\d{1,2})M)?(?:(\d{1,3}(?:\.\d{1,3})?)S)?$/;
const WALL_MAX_SECONDS = 600;

function isWallDuration(text: string): boolean {
  const [, minutes = "0", seconds = "0"] = WALL_DURATION.exec(text) ?? [];
  return WALL_DURATION.test(text) && Number(minutes) * 60 + Number(seconds) <= WALL_MAX_SECONDS;
}

function expected(type: EffectFieldType): string {
  switch (type.kind) {
    case "duration":
      return type.wall === true
        ? "an ISO 8601 duration of ten minutes at most, such as PT2S or PT0.5S"
        : "an ISO 8601 duration of at most a hundred years, such as PT5M or P1D";
    case "count":
      return `a whole number from ${type.min} to ${type.max}`;
    case "choice":
      return `one of ${type.choices.join(", ")}`;
    case "flag":
      return "true or false";
    case "text":
      return `a text of printable ASCII such as ${type.example}`;
  }
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? "nothing").slice(0, 100);
}
