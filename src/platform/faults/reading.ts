import type { Effect, EffectField, EffectFieldType } from "./effect.ts";
import type { EffectName } from "./effects.ts";
import type { EffectValues, FaultPlan, FaultSelectors } from "./fault.ts";
import { suggestion } from "../../engine/suggestion.ts";
import { effectNames, effectOf, isEffectName } from "./effects.ts";
import { isDuration, LONGEST_DELAY } from "../../engine/instant.ts";
import { matchesGlob } from "./glob.ts";
import { Problems } from "../problems.ts";
import { readSelectors, selectorNames } from "./reading-selectors.ts";

/** The longest that a call is kept waiting in wall time. */
const WALL_DURATION = /^PT(?=\d)(?:(\d{1,2})M)?(?:(\d{1,3}(?:\.\d{1,3})?)S)?$/;
const WALL_MAX_SECONDS = 600;

/** What a fault can be about. */
export interface KnownNames {
  readonly events: readonly string[];
  readonly operations: readonly string[];
}

type Written = Readonly<Record<string, unknown>>;

/**
 * Reads a fault as a person writes it: `{on, effect, selectors…, the effect's own fields…}`. Refuses with every
 * wrong field at once; an unknown effect or field is told with the nearest word.
 */
export function readFault(written: Written, known: KnownNames): FaultPlan {
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
  if (on !== "webhook" && on !== "api") {
    const issue = on === undefined ? "REQUIRED" : "INVALID";
    problems.add("on", issue, `on must be webhook or api; found ${shown(on)}.`);
  }
  if (typeof effect !== "string") {
    const issue = effect === undefined ? "REQUIRED" : "INVALID";
    problems.add("effect", issue, `effect must name what goes wrong; found ${shown(effect)}.`);
    return undefined;
  }
  if (!isEffectName(effect)) {
    const meant = suggestion(effect, [...effectNames()]);
    problems.add("effect", "INVALID", `There is no effect ${shown(effect)}. ${meant}`);
    return undefined;
  }
  const side = effectOf(effect).on;
  if ((on === "webhook" || on === "api") && on !== side) {
    problems.add("on", "INVALID", `The effect ${effect} works on the ${side}. Send on: ${side}.`);
  }
  return effect;
}

function validateNames(written: Written, name: EffectName, problems: Problems): void {
  const own = Object.keys(effectOf(name).fields);
  const known = ["on", "effect", ...selectorNames, ...own];
  for (const field of Object.keys(written)) {
    if (known.includes(field)) continue;
    const takes = own.length === 0 ? "takes no field of its own" : `takes ${own.join(" and ")}`;
    problems.add(
      field.slice(0, 100),
      "NOT_ALLOWED",
      `There is no field ${shown(field)} of the effect ${name}, which ${takes}. ${suggestion(field, known)}`,
    );
  }
}

/** A name that is nowhere would make a fault that never takes effect. */
function validateSelected({ event, operation }: FaultSelectors, known: KnownNames, problems: Problems): void {
  problems.check("operation", operation, (name) => {
    if (known.operations.includes(name)) return undefined;
    return `There is no operation ${shown(name)}. ${suggestion(name, known.operations)}`;
  });
  problems.check("event", event, (glob) => {
    if (known.events.some((name) => matchesGlob(glob, name))) return undefined;
    return `No event is called ${shown(glob)}. ${suggestion(glob, known.events)}`;
  });
}

function readFields(written: Written, { fields }: Effect, problems: Problems): EffectValues {
  const values = Object.entries(fields).map(([name, field]) => {
    return [name, readField(name, field, written[name], problems)] as const;
  });
  return Object.fromEntries(values);
}

function readField(
  name: string,
  { type, default: preset, required = false }: EffectField,
  value: unknown,
  problems: Problems,
): string | number | null {
  if (value === undefined) {
    if (!required) return preset;
    problems.add(name, "REQUIRED", `${name} is missing: it must be ${wanted(type)}.`);
    return null;
  }
  if (fits(type, value)) return value;
  problems.add(name, "INVALID", `${name} must be ${wanted(type)}; found ${shown(value)}.`);
  return null;
}

function fits(type: EffectFieldType, value: unknown): value is string | number {
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
    case "text":
      return typeof value === "string" && new RegExp(type.pattern, "u").test(value);
  }
}

function isWallDuration(text: string): boolean {
  const [, minutes = "0", seconds = "0"] = WALL_DURATION.exec(text) ?? [];
  return WALL_DURATION.test(text) && Number(minutes) * 60 + Number(seconds) <= WALL_MAX_SECONDS;
}

function wanted(type: EffectFieldType): string {
  switch (type.kind) {
    case "duration":
      return type.wall === true
        ? "an ISO 8601 duration of ten minutes at most, such as PT2S or PT0.5S"
        : "an ISO 8601 duration of at most a hundred years, such as PT5M or P1D";
    case "count":
      return `a whole number from ${type.min} to ${type.max}`;
    case "choice":
      return `one of ${type.choices.join(", ")}`;
    case "text":
      return `a text of printable ASCII such as ${type.example}`;
  }
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? "nothing").slice(0, 100);
}
