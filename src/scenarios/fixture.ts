import { suggestion } from "./mistake.ts";
import type { Path } from "./scenario.ts";
import type { ScenarioFixtures } from "./world.ts";

/** How deep fixtures may use one another; deeper, they go round in a circle. */
const depthMax = 20;

/** Told for every `$use` that cannot be put in. */
export type OnUnusable = (path: Path, message: string) => void;

/**
 * `value` with every `$use: name` replaced by the fixture of that name. What stands beside `$use` replaces the
 * field of the same name, whole; `{ $absent: true }` there leaves the field out.
 */
export function useFixtures(value: unknown, fixtures: ScenarioFixtures, onUnusable: OnUnusable): unknown {
  return put(value, [], 0);

  function put(value: unknown, path: Path, depth: number): unknown {
    if (Array.isArray(value)) return value.map((item, index) => put(item, [...path, index], depth));
    if (!isRecord(value)) return value;
    const entries = Object.entries(value).filter(([key]) => key !== "$use");
    const beside = entries.map(([key, item]) => [key, put(item, [...path, key], depth)] as const);
    if (!("$use" in value)) return Object.fromEntries(beside);
    const base = fixtureFor(value["$use"], [...path, "$use"], depth);
    if (beside.length === 0) return base;
    if (!isRecord(base)) {
      if (base !== undefined)
        onUnusable(path, "The fixture is no object, so nothing can stand beside `$use`.");
      return Object.fromEntries(beside);
    }
    return Object.fromEntries(Object.entries({ ...base, ...Object.fromEntries(beside) }).filter(isThere));
  }

  function fixtureFor(name: unknown, path: Path, depth: number): unknown {
    const found = typeof name === "string" ? findFixture(fixtures, name) : undefined;
    if (found === undefined) {
      onUnusable(
        path,
        `There is no fixture \`${String(name)}\`. ${suggestion(String(name), fixtureNames(fixtures))}`,
      );
      return undefined;
    }
    if (depth >= depthMax) {
      onUnusable(path, `The fixture \`${String(name)}\` uses itself.`);
      return undefined;
    }
    return put(found, path, depth + 1);
  }
}

/** The names `$use` can take: whatever lies one or more levels below the top and is an object or a list. */
function fixtureNames(fixtures: ScenarioFixtures): string[] {
  return Object.entries(fixtures).flatMap(([group, bodies]) =>
    isRecord(bodies) ? Object.keys(bodies).map((name) => `${group}.${name}`) : [group],
  );
}

function findFixture(fixtures: ScenarioFixtures, name: string): unknown {
  if (Object.hasOwn(fixtures, name)) return fixtures[name];
  let found: unknown = fixtures;
  for (const key of name.split(".")) {
    if (!isRecord(found) || !Object.hasOwn(found, key)) return undefined;
    found = found[key];
  }
  return found;
}

function isThere([, value]: [string, unknown]): boolean {
  return !(isRecord(value) && value["$absent"] === true);
}

/** Whether a value is an object with keys, not a list and not null. */
export function isRecord(value: unknown): value is { [key: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
