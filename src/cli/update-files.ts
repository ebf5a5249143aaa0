import type { Scenario } from "../tools/scenarios/scenario.ts";
import { readFileSync, writeFileSync } from "node:fs";
import { readScenarios } from "../tools/scenarios/scenario-files.ts";
import { type RunAllOptions, runScenario } from "../tools/scenarios/run.ts";
import { updateScenario } from "../tools/scenarios/update.ts";

/** How many steps of one file are updated at most. */
const ROUNDS_MAX = 200;

/**
 * Updates expectations with the actual values, file by file and step by step, until each scenario passes or fails in
 * a way that no expectation can fix. Prints the changed files to standard error.
 */
export async function updateFiles(scenarios: readonly Scenario[], options: RunAllOptions): Promise<void> {
  for (const [file, own] of Map.groupBy(scenarios, (scenario) => scenario.file)) {
    const rounds = await updateFile(file, { names: new Set(own.map(({ name }) => name)), options });
    if (rounds > 0)
      process.stderr.write(`Updated ${file}: ${rounds === 1 ? "one step" : `${rounds} steps`}.\n`);
  }
}

async function updateFile(
  file: string,
  { names, options }: { readonly names: ReadonlySet<string>; readonly options: RunAllOptions },
): Promise<number> {
  for (let round = 0; round < ROUNDS_MAX; round++) {
    if (!(await updateStep(file, { names, options }))) return round;
  }
  return ROUNDS_MAX;
}

/** Updates the first step of the file that fails; returns whether there was one that could be updated. */
async function updateStep(
  file: string,
  { names, options }: { readonly names: ReadonlySet<string>; readonly options: RunAllOptions },
): Promise<boolean> {
  const text = readFileSync(file, "utf8");
  for (const scenario of readScenarios([file])) {
    if (!names.has(scenario.name)) continue;
    const { failure } = await runScenario(scenario, options);
    const updated = failure === undefined ? undefined : updateScenario(text, failure);
    if (updated === undefined || updated === text) continue;
    writeFileSync(file, updated);
    return true;
  }
  return false;
}
