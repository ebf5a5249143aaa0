import { parse } from "yaml";
import { type Difference, isMatcher } from "./expectation.ts";
import { hasExpression } from "./expression.ts";
import type { ScenarioFailure } from "./result.ts";
import { isRecord } from "../../engine/json.ts";
import { type Path, type Source, readSource } from "./source.ts";

/**
 * The text of a scenario file with its expectations updated with the actual values, for `run --update`. Matchers and
 * expressions are intended and stay. Undefined when nothing could be updated.
 */
export function updateScenario(text: string, failure: ScenarioFailure): string | undefined {
  const source = readSource(text, "");
  const edits = failure.differences.flatMap((difference) => editOf(difference, failure.step, source));
  if (edits.length === 0) return undefined;
  return edits
    .toSorted((a, b) => b.from - a.from)
    .reduce((changed, { from, to, value }) => changed.slice(0, from) + value + changed.slice(to), text);
}

interface Edit {
  readonly from: number;
  readonly to: number;
  readonly value: string;
}

function editOf({ path, actual }: Difference, step: number, source: Source): Edit[] {
  const at = ["steps", step - 1, "expect", ...segmentsOf(path)];
  const range = source.range(at);
  const written = valueAt(source.value, at);
  if (range === undefined || isMatcher(written) || (typeof written === "string" && hasExpression(written)))
    return [];
  return [{ from: range[0], to: range[1], value: yamlOf(actual) }];
}

/** The keys of a path such as `body.details[0].field`. The expected value of a resource is written in its `is`. */
function segmentsOf(path: string): (string | number)[] {
  return [...path.replace(/^resource(\[\d+\])?/, "$&.is").matchAll(/\[(\d+)\]|([^.[\]]+)/g)].map(
    ([, index, key = ""]) => (index === undefined ? key : Number(index)),
  );
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (found, key) =>
      isRecord(found) || Array.isArray(found) ? (found as { [key: string]: unknown })[key] : undefined,
    value,
  );
}

/** JSON is YAML too; a plain word needs no quotes. */
function yamlOf(value: unknown): string {
  if (value === undefined) return "{ $absent: true }";
  if (typeof value === "string" && /^[A-Za-z][\w.-]*$/.test(value) && parse(value) === value) return value;
  return JSON.stringify(value).replaceAll("${", () => "$${");
}
