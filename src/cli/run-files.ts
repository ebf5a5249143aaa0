import type { RunFlags } from "./run.ts";
import type { Scenario } from "../scenarios/scenario.ts";
import { globSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { openWorldsHere } from "../scenario-worlds.ts";
import { openWorldsAt } from "../scenario-target.ts";
import { operations } from "../interface/operations.ts";
import { parseScenario } from "../scenarios/parse.ts";
import { reporters } from "../scenarios/reporters/reporters.ts";
import { scenarioContext } from "../scenario-context.ts";
import { runScenarios } from "../scenarios/queue.ts";
import { FileMistakes, UsageError } from "./usage-error.ts";
import { writeOutput } from "./output.ts";

/** Runs scenario files and sets the exit code. All mistakes of all files are told before anything runs. */
export async function runFiles(flags: RunFlags): Promise<void> {
  const scenarios = select(readScenarios(flags.files ?? []), flags.grep);
  const report: string[] = [];
  const write = (text: string): void => {
    if (flags.out === undefined) process.stdout.write(text);
    else report.push(text);
  };
  const isTerminal = flags.out === undefined && process.stdout.isTTY;
  const reporter = reporters[flags.reporter]({ write, isTerminal });
  reporter.started(scenarios.length);
  const webhookUrl = flags.receiver === undefined ? {} : { webhookUrl: flags.receiver };
  const openWorld =
    flags.target === undefined ? openWorldsHere(webhookUrl) : openWorldsAt(flags.target, webhookUrl);
  const results = await runScenarios(scenarios, {
    openWorld,
    operations,
    ...(flags.seed !== undefined && { seed: flags.seed }),
    onResult: (result) => reporter.finished(result),
  });
  reporter.ended(results);
  if (flags.out !== undefined) await writeOutput(report.join(""), flags.out);
  if (results.some(({ status }) => status === "failed")) process.exitCode = 1;
}

function readScenarios(named: readonly string[]): Scenario[] {
  const context = scenarioContext();
  const files = named
    .flatMap(filesAt)
    .map((file) => parseScenario(readFileSync(file, "utf8"), file, context));
  const mistakes = files.flatMap((file) => file.mistakes);
  if (mistakes.length > 0) {
    const lines = mistakes.map(({ file, line, column, message }) => `${file}:${line}:${column}: ${message}`);
    throw new FileMistakes(lines.join("\n"));
  }
  return files.flatMap((file) => file.scenarios);
}

function filesAt(path: string): string[] {
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
