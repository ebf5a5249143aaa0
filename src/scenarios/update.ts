import { parse } from "yaml";
import { isDeepStrictEqual } from "node:util";
import { type Difference, isGuess, isMatcher } from "./expectation.ts";
import { hasExpression } from "./expression.ts";
import { differencesLine, type ScenarioFailure } from "./result.ts";
import { isRecord } from "../simulator/engine/json.ts";
import { verbOf } from "./scenario.ts";
import { type Path, type Place, type YamlFile, readSource } from "./source.ts";

/** The text of a scenario file with updated expectations, and the differences that stay. */
export interface Update {
  readonly text: string;
  readonly left: readonly (Place & { readonly message: string })[];
}

/**
 * Replaces the expected values of a failed step by the found values, for `run --update`. Changes only a place that
 * certainly belongs to its difference. Matchers and expressions are intended and stay.
 */
export function updateScenario(
  text: string,
  failure: ScenarioFailure,
  { kept }: { /** The reason why nothing may change. */ readonly kept?: string | undefined } = {},
): Update {
  const source = readSource(text, "");
  const fixed =
    kept ?? (isOfRound(failure, source) ? "the rounds of a `repeat` may find other values" : undefined);
  const read = failure.differences.map((difference) => {
    const { edit, ...found } = placeOf(difference, failure.step, source);
    return { difference, ...found, ...(fixed === undefined ? { edit } : { edit: undefined, reason: fixed }) };
  });
  const updated = withEdits(
    source,
    read.flatMap(({ edit }) => edit ?? []),
  );
  const left = read.flatMap(({ difference, edit, at, reason }) => {
    if (edit !== undefined && updated !== undefined) return [];
    const message = `Failed to update ${differencesLine([difference])}: ${reason ?? NOT_ALONE}. Correct it by hand.`;
    const isStep = valueAt(source.value, at.slice(0, 2)) !== undefined;
    return [{ ...(isStep ? source.place(at) : failure), message }];
  });
  return { text: updated ?? text, left };
}

/** Returns true if a step of a round failed, not the `repeat` around it. */
function isOfRound({ step, line, column }: ScenarioFailure, source: YamlFile): boolean {
  const at = ["steps", step - 1];
  const written = valueAt(source.value, at);
  if (!isRecord(written) || verbOf(written) !== "repeat") return false;
  return !isDeepStrictEqual(source.place(at), { line, column });
}

const NOT_ALONE = "the edited file would differ in other places too";

interface Edit {
  readonly at: Path;
  readonly range: readonly [from: number, to: number];
  readonly value: string;
}

/** The place of the expectation of a difference, and how it is edited or the reason why it stays. */
interface FoundPlace {
  readonly at: Path;
  readonly edit?: Edit;
  readonly reason?: string;
}

function placeOf(difference: Difference, step: number, source: YamlFile): FoundPlace {
  const at = ["steps", step - 1, "expect", ...segmentsOf(difference.path)];
  if (isGuess(difference) || difference.nearestOf !== undefined)
    // The position belongs to the found value. The expected value may be another item of the list.
    return {
      at: at.slice(
        0,
        at.findIndex((key, index) => index > 2 && typeof key === "number"),
      ),
      reason: "the expected item is not certain",
    };
  const written = valueAt(source.value, at);
  if (isMatcher(written) || hasExpression(JSON.stringify(written) ?? ""))
    return { at, reason: "there is a matcher or an expression" };
  if (!isDeepStrictEqual(written, difference.expected) || hasOddKeys(source.value, at))
    return { at, reason: "the expected value is written in another place" };
  if (hasMatcherKeys(difference.actual)) return { at, reason: "the found value would be a matcher" };
  const range = source.range(at);
  if (range === undefined) return { at, reason: "the value is shared by an anchor, or takes several lines" };
  return { at, edit: { at, range, value: yamlOf(difference.actual) } };
}

/** Applies edits to the text. Undefined if the new text has other values than the old values with these edits. */
function withEdits({ text, value }: YamlFile, edits: readonly Edit[]): string | undefined {
  const wanted = structuredClone(value);
  for (const { at, value: written } of edits) setAt(wanted, at, parse(written));
  const updated = edits
    .toSorted((one, other) => other.range[0] - one.range[0])
    .reduce((changed, { range: [from, to], value: written }) => {
      return changed.slice(0, from) + written + changed.slice(to);
    }, text);
  const again = readSource(updated, "");
  return again.mistakes.length === 0 && isDeepStrictEqual(again.value, wanted) ? updated : undefined;
}

/**
 * Splits a path such as `body.details[0].field` into its keys. The expected value of a resource is written in its `is`.
 */
function segmentsOf(path: string): (string | number)[] {
  return [...path.replace(/^resource(\[\d+\])?/, "$&.is").matchAll(/\[(\d+)\]|([^.[\]]+)/g)].map(
    ([, index, key = ""]) => (index === undefined ? key : Number(index)),
  );
}

type Fields = { [key: string]: unknown };

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (found, key) => (isRecord(found) || Array.isArray(found) ? (found as Fields)[key] : undefined),
    value,
  );
}

function setAt(value: unknown, path: Path, to: unknown): void {
  (valueAt(value, path.slice(0, -1)) as Fields)[String(path.at(-1))] = to;
}

/** Returns true if a key on the way to a place looks like a path of other keys. */
function hasOddKeys(value: unknown, path: Path): boolean {
  return path.some((_, depth) => {
    const around = depth < 3 ? undefined : valueAt(value, path.slice(0, depth));
    return isRecord(around) && Object.keys(around).some((key) => /^$|[.[\]]/.test(key));
  });
}

function hasMatcherKeys(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return isMatcher(value) || Object.values(value).some(hasMatcherKeys);
}

/** Writes a value as YAML. JSON is YAML too, and a plain word needs no quotes. */
function yamlOf(value: unknown): string {
  if (value === undefined) return "{ $absent: true }";
  if (typeof value === "string" && /^[A-Za-z][\w.-]*$/.test(value) && parse(value) === value) return value;
  return JSON.stringify(value).replaceAll("${", () => "$${");
}
