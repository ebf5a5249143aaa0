import { readUserText } from "../base/user-file.ts";
import { join } from "node:path";
import { type JsonObject, isRecord } from "../simulator/engine/json.ts";
import type { Route } from "../simulator/api/routes.ts";
import { type Path, hint } from "./source.ts";
import { readYaml } from "../base/yaml-file.ts";
import { misreadValues } from "./written-values.ts";
import { serverRoutes } from "./schema.ts";
import { type FixtureFile, readFixtures, SHIPPED_FIXTURES } from "../server/access/fixture-files.ts";

/** The facts, in addition to the platform, against which a scenario file is checked. */
export interface ScenarioContext {
  /** Bodies that `$use` names, nested by dots: `subscription.monthly` is `{ subscription: { monthly: … } }`. */
  readonly bodies: JsonObject;
  /** Every route of the server. Without them, any path can be called. */
  readonly routes?: readonly Route[];
  /** Values for the params of a state, in place of their defaults. */
  readonly params?: { readonly [name: string]: unknown };
  /**
   * True if the file came over the network. Then it has no access to the disk, and its patterns match in linear time.
   */
  readonly isPosted?: boolean;
  /** True if the caller names the state of the partner's system, so that the file needs no probe. */
  readonly isProbed?: boolean;
  /** True if the scenario is given as a text. It then has no folder, and so no separate fixtures. */
  readonly isText?: boolean;
  /** True for a file of the package. The package's tests check it, so only values for its params are checked here. */
  readonly isShipped?: boolean;
}

/** Notes a mistake about the value, or with `atKey` the key, at a path of the file. `remark` says when it occurs. */
export type NoteMistake = (path: Path, message: string, atKey?: boolean, remark?: string) => void;

const BODIES_FILE = "bodies.yaml";

let routes: readonly Route[] | undefined;
let bodies: JsonObject | undefined;

const shipped: ScenarioContext = {
  get routes() {
    return (routes ??= serverRoutes());
  },
  get bodies() {
    return (bodies ??= bodiesIn(SHIPPED_FIXTURES));
  },
};

/** Returns the routes of the server and the shipped bodies. They are read once, on demand. */
export function scenarioContext(): ScenarioContext {
  return shipped;
}

/**
 * Returns the bodies for a scenario with its own fixtures: the bodies in its folder, and the default bodies that it
 * does not replace. A world must be able to start from the folder.
 */
export function withFixtures(
  context: ScenarioContext,
  folder: string,
): { readonly context: ScenarioContext } | { readonly mistake: string } {
  try {
    const { bodies, mistakes } = readFixtures(folder);
    if (mistakes.length > 0) return { mistake: mistakes.join("\n") };
    return { context: { ...context, bodies: joinedBodies(bodies, context.bodies) } };
  } catch (error) {
    return { mistake: (error as Error).message };
  }
}

function bodiesIn(folder: string): JsonObject {
  const file = join(folder, BODIES_FILE);
  return readYaml(readUserText(file), file, { what: "file of bodies" }).value as JsonObject;
}

/**
 * Returns the bodies of a user's folder, and the present groups that it does not replace. With `extends: shipped`, a
 * group adds its bodies to the present group. Throws if a value would be sent with another text.
 */
function joinedBodies(file: FixtureFile | undefined, present: JsonObject): JsonObject {
  if (file?.document === undefined) return present;
  const [wrong] = misreadValues(file.document);
  if (wrong !== undefined) throw new Error(file.mistakeAtOffset(wrong.at, wrong.message));
  const { $schema: _schema, extends: isExtending, ...groups } = file.value;
  const joined = Object.entries(groups).map(([name, own]) => {
    const group = present[name];
    return [name, isExtending !== undefined && isRecord(group) && isRecord(own) ? { ...group, ...own } : own];
  });
  return { ...present, ...(Object.fromEntries(joined) as JsonObject) };
}

/** The maximum depth of bodies that use other bodies. Deeper bodies use themselves. */
const DEPTH_MAX = 20;

/**
 * Replaces every `$use: name` in a value by the body with that name. A field next to `$use` replaces the whole field of
 * the same name. `{ $absent: true }` leaves the field out. Reports every `$use` that cannot be replaced.
 */
export function useBodies(
  value: unknown,
  bodies: JsonObject,
  report: (path: Path, message: string) => void,
): unknown {
  return replace(value, [], 0);

  function replace(value: unknown, path: Path, depth: number): unknown {
    if (Array.isArray(value)) return value.map((item, index) => replace(item, [...path, index], depth));
    if (!isRecord(value)) return value;
    const entries = Object.entries(value).filter(([key]) => key !== "$use");
    const fields = entries.map(([key, item]) => [key, replace(item, [...path, key], depth)] as const);
    if (!("$use" in value)) return Object.fromEntries(fields);
    const base = bodyFor(value["$use"], [...path, "$use"], depth);
    if (fields.length === 0) return base;
    if (!isRecord(base)) {
      if (base !== undefined)
        report(path, "The fixture is not an object, so `$use` cannot be combined with fields.");
      return Object.fromEntries(fields);
    }
    return Object.fromEntries(Object.entries({ ...base, ...Object.fromEntries(fields) }).filter(isPresent));
  }

  function bodyFor(name: unknown, path: Path, depth: number): unknown {
    const found = typeof name === "string" ? findBody(bodies, name) : undefined;
    if (found === undefined) {
      const written = String(name);
      report(
        path,
        `There is no fixture \`${written}\`. ${hint(written, bodyNames(bodies), "fixtures/bodies.yaml")}`,
      );
      return undefined;
    }
    if (isRecord(found) && !String(name).includes(".")) {
      const own = Object.keys(found).map((one) => `\`${String(name)}.${one}\``);
      report(path, `\`${String(name)}\` is a group of fixtures. Name one of them: ${own.join(", ")}.`);
      return undefined;
    }
    if (depth >= DEPTH_MAX) {
      report(path, `The fixture \`${String(name)}\` uses itself.`);
      return undefined;
    }
    return replace(found, path, depth + 1);
  }
}

/**
 * Returns the names `$use` can take: every object or list one level below a group, or a group that is a value itself.
 */
export function bodyNames(bodies: JsonObject): string[] {
  return Object.entries(bodies).flatMap(([group, own]) =>
    isRecord(own) ? Object.keys(own).map((name) => `${group}.${name}`) : [group],
  );
}

function findBody(bodies: JsonObject, name: string): unknown {
  if (Object.hasOwn(bodies, name)) return bodies[name];
  let found: unknown = bodies;
  for (const key of name.split(".")) {
    if (!isRecord(found) || !Object.hasOwn(found, key)) return undefined;
    found = found[key];
  }
  return found;
}

function isPresent([, value]: [string, unknown]): boolean {
  return !(isRecord(value) && value["$absent"] === true);
}
