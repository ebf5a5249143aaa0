import { readUserText } from "../../base/user-file.ts";
import { isDeepStrictEqual } from "node:util";
import type { Fixtures } from "../../simulator/platform/seed.ts";
import type { WorldFixtures } from "../../simulator/api/generated/shapes.ts";
import { existsSync, readdirSync } from "node:fs";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Place, type YamlFile, formatMistake, readYaml } from "../../base/yaml-file.ts";
import { FileMistakes, UsageError } from "../../base/failures.ts";
import { isRecord } from "../../simulator/engine/json.ts";
import { nearestWords } from "../../simulator/engine/suggestion.ts";
import { foundKind } from "../../simulator/api/found-value.ts";
import { aboutField } from "../../simulator/api/schema-errors.ts";
import { shapeMistakes } from "../../simulator/api/validation.ts";
import {
  type ListName,
  listNames,
  mergedFixtures,
  type WrittenFixtures,
} from "../../simulator/platform/fixtures.ts";

/** The fixtures of the package, in a checkout and in an installed package. */
export const SHIPPED_FIXTURES = fileURLToPath(new URL("../../../fixtures/", import.meta.url));

const BODIES = "bodies";
const ENDINGS = [".json", ".yaml", ".yml"];

/** A folder of fixtures, or the lists themselves. */
export type FixtureSource = string | WorldFixtures;

/** The shipped fixtures. They never change, so all sandboxes of a process share them. */
let shipped: Fixtures | undefined;

/**
 * Reads a folder of fixtures. If the folder lacks a file, the shipped file is used. Throws a `FileMistakes` with every
 * mistake: file, line, place, found value and fix. The shipped files are checked by the tests of the package.
 */
export function loadFixtures(source: FixtureSource = SHIPPED_FIXTURES): Fixtures {
  if (source === SHIPPED_FIXTURES) return (shipped ??= shippedFixtures());
  if (typeof source === "string") {
    const { fixtures, mistakes } = readFixtures(source);
    if (mistakes.length > 0) throw new FileMistakes(mistakes.join("\n"));
    return fixtures;
  }
  const { fixtures, mistakes } = readLists(source);
  if (mistakes.length > 0)
    throw new UsageError(mistakes.map(({ message }) => `fixtures.${message}`).join("\n"));
  return fixtures;
}

/** Checks lists of fixtures, and completes them. An absent list is the shipped list. A mistake names its field. */
export function readLists(lists: unknown): {
  readonly fixtures: Fixtures;
  readonly mistakes: readonly Mistake[];
} {
  const mistakes = shapeMistakes("WorldFixtures", lists);
  if (mistakes.length > 0) return { fixtures: loadFixtures(), mistakes };
  const merged = mergedFixtures(lists as WrittenFixtures, loadFixtures());
  const found = merged.mistakes.map(({ path, message }) => ({
    path,
    message: aboutField(path.map(String), message),
  }));
  return { fixtures: merged.fixtures, mistakes: found };
}

/** Returns the lists as a user writes them. */
export function writtenLists(fixtures: Fixtures): WorldFixtures {
  // The id of a person is its number in the list.
  return { ...fixtures, people: fixtures.people.map(({ id: _id, ...written }) => written) } as WorldFixtures;
}

/** Returns the lists that differ from the shipped lists, for a file that names them. */
export function ownLists(fixtures: Fixtures): WorldFixtures {
  const written = writtenLists(fixtures);
  const own = listNames.filter((name) => !isDeepStrictEqual(fixtures[name], loadFixtures()[name]));
  return Object.fromEntries(own.map((name) => [name, written[name]]));
}

/** Reads and checks a folder of fixtures, `bodies.yaml` included. Throws only if there is no such folder. */
export function readFixtures(folder: string): {
  readonly fixtures: Fixtures;
  readonly bodies: FixtureFile | undefined;
  readonly mistakes: readonly string[];
} {
  if (!existsSync(folder))
    throw new UsageError(
      `Failed to read the fixtures ${folder}: the folder does not exist. Name an existing folder.`,
    );
  const mistakes = misnamedFiles(folder);
  const files = new Map<ListName, FixtureFile>();
  for (const name of listNames) {
    const file = fixtureFile(folder, name);
    if (file === undefined) continue;
    mistakes.push(...file.mistakes);
    files.set(name, file);
  }
  const bodies = bodiesFile(folder);
  mistakes.push(...(bodies?.mistakes ?? []));
  if (files.size === 0 && bodies === undefined && mistakes.length === 0) mistakes.push(nothingRead(folder));
  // The rules between entries need entries of the right form.
  if (mistakes.length > 0) return { fixtures: loadFixtures(), bodies, mistakes };
  const written = Object.fromEntries(Array.from(files, ([name, { value }]) => [name, value[name]]));
  const extending = new Set(Array.from(files, ([name, { value }]) => (value["extends"] ? name : "")));
  const merged = mergedFixtures(written, loadFixtures(), (name) => extending.has(name));
  const found = merged.mistakes.map(({ path, message }) => {
    const sentence = aboutField(path.map(String), message);
    return files.get(path[0] as ListName)?.mistakeAt(path, sentence) ?? sentence;
  });
  return { fixtures: merged.fixtures, bodies, mistakes: found };
}

/** A file of fixtures: an object with the list under the name of the file. */
export interface FixtureFile {
  readonly path: string;
  readonly value: Readonly<Record<string, unknown>>;
  /** Its YAML. Undefined if it cannot be read. */
  readonly document?: YamlFile["document"];
  readonly mistakes: readonly string[];
  /** Returns a line with file, line and column for a mistake at a path. */
  readonly mistakeAt: (path: readonly (string | number)[], message: string) => string;
  /** Returns the same line for a mistake at a character. */
  readonly mistakeAtOffset: (offset: number, message: string) => string;
}

/** Reads the bodies of a folder for `$use`. Undefined without such a file. */
function bodiesFile(folder: string): FixtureFile | undefined {
  return readOne(folder, BODIES, (value) => ({
    value,
    mistakes: isRecord(value)
      ? shapeMistakes("BodiesFile", value)
      : [{ path: [], message: `The file must be a mapping of bodies; found ${foundKind(value)}.` }],
  }));
}

function fixtureFile(folder: string, name: ListName): FixtureFile | undefined {
  return readOne(folder, name, (written) => {
    const value = Array.isArray(written) ? { [name]: written } : written;
    if (!isRecord(value) || !(name in value)) {
      const found = isRecord(value) ? Object.keys(value).join(", ") || "an empty object" : foundKind(value);
      const message = `The file must be a list, or an object with the list \`${name}\`; found ${found}.`;
      return { value: {}, mistakes: [{ path: [], message }] };
    }
    const others = listNames.filter((other) => other !== name && other in value);
    return {
      value,
      mistakes: [
        ...others.map((other) => ({
          path: [other],
          message: `This file has only the list \`${name}\`. Write \`${other}\` to ${other}.yaml.`,
        })),
        ...shapeMistakes("FixtureFile", value),
      ],
    };
  });
}

type Check = (value: unknown) => {
  readonly value: unknown;
  readonly mistakes: readonly Mistake[];
};

interface Mistake {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

function readOne(folder: string, name: string, check: Check): FixtureFile | undefined {
  const paths = ENDINGS.map((ending) => join(folder, name + ending)).filter((path) => existsSync(path));
  const [path, second] = paths;
  if (path === undefined) return undefined;
  const broken = (broken: readonly string[]): FixtureFile => ({
    path,
    value: {},
    mistakes: broken,
    mistakeAt: (_, message) => message,
    mistakeAtOffset: (_, message) => message,
  });
  if (second !== undefined) return broken([`${second}:1:1: There is ${path} beside it. Keep one of them.`]);
  const source = readOrMistake(path);
  if (typeof source === "string") return broken([source]);
  if (source.mistakes.length > 0) return broken(source.mistakes.map(formatMistake));
  const isList = Array.isArray(source.value);
  const lineAt = (place: Place, message: string): string => formatMistake({ file: path, ...place, message });
  const mistakeAt: FixtureFile["mistakeAt"] = (written, message) => {
    // A list alone stands for an object with this list.
    const at = isList ? written.slice(1) : written;
    // No field of a fixture is a number: YAML reads digits without quotes as one.
    const isDigits =
      typeof source.scalar(at) === "number" && !/must be an? (?:object|array|list)/.test(message);
    return lineAt(source.place(at), `${message}${isDigits ? " Write it in quotes." : ""}`);
  };
  const { value, mistakes } = check(source.value);
  return {
    path,
    value: isRecord(value) ? value : {},
    document: source.document,
    mistakes: mistakes.map((one) => mistakeAt(one.path, one.message)),
    mistakeAt,
    mistakeAtOffset: (offset, message) => lineAt(source.placeAt(offset), message),
  };
}

function readOrMistake(path: string): YamlFile | string {
  try {
    return readYaml(readUserText(path), path, { what: "list of fixtures" });
  } catch (error) {
    return `${path}:1:1: ${(error as Error).message}`;
  }
}

/** Says that a folder has no file of fixtures. Such a mount at a wrong place must not stand for the shipped fixtures. */
function nothingRead(folder: string): string {
  const found = readdirSync(folder).filter((file) => !file.startsWith("."));
  const shown = found.length > FILES_SHOWN ? [...found.slice(0, FILES_SHOWN), "…"] : found;
  const words = found.length === 0 ? "the folder is empty" : `found ${shown.join(", ")}`;
  const known = [...listNames, BODIES].map((name) => `${name}.yaml`).join(", ");
  return `Failed to read the fixtures ${folder}: ${words}. Name a folder with at least one of ${known} (or .json).`;
}

/** The number of the files of a folder that a sentence names. */
const FILES_SHOWN = 10;

/** Finds files whose names are almost those of fixtures, such as company.json. */
function misnamedFiles(folder: string): string[] {
  const known = [...listNames, BODIES];
  return readdirSync(folder).flatMap((file) => {
    const ending = extname(file);
    const name = file.slice(0, -ending.length);
    if (!ENDINGS.includes(ending) || known.includes(name)) return [];
    const [meant] = nearestWords(name, known);
    if (meant === undefined) return [];
    return [`${join(folder, file)}:1:1: This file is not read. Did you mean ${meant}${ending}?`];
  });
}

function shippedFixtures(): Fixtures {
  const lists = listNames.map((name) => [
    name,
    JSON.parse(readUserText(join(SHIPPED_FIXTURES, `${name}.json`))) as unknown,
  ]);
  return mergedFixtures(Object.fromEntries(lists) as Partial<Fixtures>).fixtures;
}
