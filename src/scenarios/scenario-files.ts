import type { Scenario } from "./scenario.ts";
import { type Stats, existsSync, realpathSync, statSync } from "node:fs";
import { distance } from "fastest-levenshtein";
import { fileURLToPath } from "node:url";
import { join } from "node:path";
import { filesBelow } from "../base/files-below.ts";
import { FileMistakes, UsageError } from "../base/failures.ts";
import { type UserFile, readUserFile } from "../base/user-file.ts";
import { type FileMistake, formatMistake } from "../base/yaml-file.ts";
import { type ParsedScenarioFile, parseScenario } from "./parse.ts";
import { type ScenarioContext, scenarioContext } from "./context.ts";

/** The folder of the scenarios of the package, in a checkout and in an installed package. */
export const SHIPPED_SCENARIOS = fileURLToPath(new URL("../../scenarios/", import.meta.url));

/**
 * Reads the scenarios in files and folders, or only the scenarios whose name contains the text `grep`. All mistakes of
 * all files are reported together, before the first scenario runs. With `isProbed`, a file needs no probe.
 */
export function readScenarios(
  named: readonly string[],
  { grep, isProbed = false }: { readonly grep?: string | undefined; readonly isProbed?: boolean } = {},
): readonly Scenario[] {
  const context = isProbed ? { ...scenarioContext(), isProbed } : scenarioContext();
  const problems: string[] = [];
  const collecting = <Value>(read: () => Value): Value[] => {
    try {
      return [read()];
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      problems.push(error.message);
      return [];
    }
  };
  const paths = named.flatMap((path) => collecting(() => scenarioFilesAt(path)).flat());
  const files = onceEach(paths).flatMap((file) =>
    collecting(() => ({ file, ...parseFile(readFile(file), file, context) })),
  );
  const mistakes = [...files.flatMap((file) => file.mistakes), ...duplicateStates(files)];
  const all = [...problems, ...mistakes.map(formatMistake)];
  if (all.length > 0) throw new FileMistakes(all.join("\n"));
  return select(
    files.flatMap((file) => file.scenarios),
    grep,
  );
}

/** Returns each file once, even if it is named twice, or through a link. */
function onceEach(paths: readonly string[]): string[] {
  const byRealPath = new Map<string, string>();
  for (const path of paths) {
    // A broken link is reported when it is read.
    const real = existsSync(path) ? realpathSync(path) : path;
    if (!byRealPath.has(real)) byRealPath.set(real, path);
  }
  return [...byRealPath.values()];
}

function readFile(file: string): UserFile {
  try {
    return readUserFile(file);
  } catch (error) {
    throw new UsageError(
      `Failed to read ${file}: ${(error as Error).message}. Name a file that can be read.`,
    );
  }
}

function parseFile({ text, isText }: UserFile, file: string, context: ScenarioContext): ParsedScenarioFile {
  if (isText) return parseScenario(text, file, context);
  const before = text.slice(0, text.indexOf("\uFFFD")).split("\n");
  const place = { line: before.length, column: (before.at(-1) ?? "").length + 1 };
  const message = "The file is not UTF-8. Save it as UTF-8.";
  return { scenarios: [], mistakes: [{ file, ...place, message }] };
}

/** Reports two files that define the same provider state. */
function duplicateStates(files: readonly (ParsedScenarioFile & { readonly file: string })[]): FileMistake[] {
  const known = new Map<string, string>();
  return files.flatMap(({ file, state }) => {
    if (state === undefined) return [];
    const { name, ...place } = state;
    const other = known.get(name);
    known.set(name, other ?? `${file}:${place.line}:${place.column}`);
    if (other === undefined) return [];
    const message = `The state \`${name}\` is already defined at ${other}. Rename one of them.`;
    return [{ file, ...place, message }];
  });
}

/**
 * Reads the status of a path. Undefined if the path does not exist. Throws a `UsageError` if the path cannot be
 * followed, such as a link to itself.
 */
export function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    throw new UsageError(
      `Failed to read ${path}: ${(error as Error).message}. Name a file that can be read.`,
    );
  }
}

function scenarioFilesAt(path: string): string[] {
  const files = yamlFilesAt(path);
  if (files === undefined)
    throw new UsageError(`Failed to read ${path}: there is no such file. Name a scenario file or a folder.`);
  if (files.length === 0)
    throw new UsageError(
      `Failed to find scenarios in ${path}: the folder has no .yaml file. Name a scenario file or another folder.`,
    );
  return files;
}

/**
 * Returns a file itself, or the YAML files of a folder in the order of their names. Undefined if the path does not
 * exist.
 */
export function yamlFilesAt(path: string): string[] | undefined {
  const stats = statOf(path);
  if (stats?.isDirectory() !== true) return stats && [path];
  return filesBelow(path, /\.ya?ml$/i).map((file) => join(path, file));
}

/** The number of names in the error for a text that no name contains. */
const NAMES_MAX = 10;

/** Returns the names that resemble a text most: first those with the most of its words, then those like the whole. */
function nearest(text: string, names: readonly string[]): string[] {
  const words = text.split(/\s+/);
  const wordsIn = (name: string): number => words.filter((word) => name.toLowerCase().includes(word)).length;
  return names
    .map((name) => ({ name, count: wordsIn(name), away: distance(text, name.toLowerCase()) }))
    .toSorted((one, other) => other.count - one.count || one.away - other.away)
    .slice(0, NAMES_MAX)
    .map(({ name }) => name);
}

function select(scenarios: readonly Scenario[], grep: string | undefined): readonly Scenario[] {
  if (grep === undefined) return scenarios;
  const text = grep.toLowerCase();
  const selected = scenarios.filter(({ name }) => name.toLowerCase().includes(text));
  if (selected.length > 0) return selected;
  const names = scenarios.map(({ name }) => name);
  const near = nearest(text, names);
  const rest =
    near.length < names.length ? `\nsandbank run FILES --reporter tap lists all ${names.length} names.` : "";
  throw new UsageError(
    `Failed to select scenarios: no name contains "${grep}". Choose from these names:\n${near.map((name) => `  ${name}`).join("\n")}${rest}`,
  );
}
