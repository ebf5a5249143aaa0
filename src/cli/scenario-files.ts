import type { Scenario } from "../scenarios/scenario.ts";
import { globSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { FileMistakes, UsageError } from "./usage-error.ts";
import { formatMistake } from "../scenarios/mistake.ts";
import { parseScenario } from "../scenarios/parse.ts";
import { scenarioContext } from "../wiring/scenario-context.ts";

/**
 * The scenarios in the files and folders that were named, or those of them whose name holds a text. All mistakes
 * of all files are told at once, before anything runs.
 */
export function readScenarios(named: readonly string[], grep?: string): readonly Scenario[] {
  const context = scenarioContext();
  const paths = [...new Set(named.flatMap(scenarioFilesAt))];
  const files = paths.map((file) => parseScenario(readFileSync(file, "utf8"), file, context));
  const mistakes = files.flatMap((file) => file.mistakes);
  if (mistakes.length > 0) throw new FileMistakes(mistakes.map(formatMistake).join("\n"));
  return select(
    files.flatMap((file) => file.scenarios),
    grep,
  );
}

function scenarioFilesAt(path: string): string[] {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined)
    throw new UsageError(`Failed to read ${path}: there is no such file. Name a scenario file or a folder.`);
  if (!stats.isDirectory()) return [path];
  const files = globSync("**/*.{yaml,yml}", { cwd: path })
    .sort()
    .map((file) => join(path, file));
  if (files.length === 0)
    throw new UsageError(`Failed to find scenarios in ${path}: the folder has no .yaml file.`);
  return files;
}

function select(scenarios: readonly Scenario[], grep: string | undefined): readonly Scenario[] {
  if (grep === undefined) return scenarios;
  const wanted = grep.toLowerCase();
  const selected = scenarios.filter(({ name }) => name.toLowerCase().includes(wanted));
  if (selected.length > 0) return selected;
  throw new UsageError(
    `Failed to select scenarios: no name holds "${grep}". Names there are:\n${scenarios.map(({ name }) => `  ${name}`).join("\n")}`,
  );
}
