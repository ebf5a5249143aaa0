import type { RunFlags } from "./run.ts";
import type { Scenario } from "../scenarios/scenario.ts";
import type { ScenarioContext } from "../scenarios/context.ts";
import { assumptions } from "../platform/assumptions/assumptions.ts";
import { globSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { openWorldsHere } from "../scenario-worlds.ts";
import { openWorldsAt } from "../scenario-target.ts";
import { operations } from "../interface/operations.ts";
import { parse as parseYaml } from "yaml";
import { parseScenario } from "../scenarios/parse.ts";
import { readAssumption } from "../platform/assumptions/reading.ts";
import { reporters } from "../scenarios/reporters/reporters.ts";
import { runScenarios } from "../scenarios/queue.ts";
import { UsageError } from "./usage-error.ts";
import { writeOutput } from "./output.ts";

const BODIES = new URL("../../fixtures/bodies.yaml", import.meta.url);

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

/** What scenario files of this sandbox may name. */
export function scenarioContext(): ScenarioContext {
  return {
    operations,
    fixtures: parseYaml(readFileSync(BODIES, "utf8"), { merge: true }) as Record<string, unknown>,
    assumptions: Object.keys(assumptions),
    checkAssumption: (id, value) => {
      const read = readAssumption(id, value);
      return "mistake" in read ? read.mistake : undefined;
    },
  };
}

function readScenarios(named: readonly string[]): Scenario[] {
  const context = scenarioContext();
  const files = named
    .flatMap(filesAt)
    .map((file) => parseScenario(readFileSync(file, "utf8"), file, context));
  const mistakes = files.flatMap((file) => file.mistakes);
  if (mistakes.length > 0) {
    const lines = mistakes.map(({ file, line, column, message }) => `${file}:${line}:${column}: ${message}`);
    throw new UsageError(lines.join("\n"));
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
