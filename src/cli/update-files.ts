import { note } from "./standard-streams.ts";
import type { Scenario } from "../scenarios/scenario.ts";
import { isDeepStrictEqual } from "node:util";
import type { ScenarioFailure } from "../scenarios/result.ts";
import { readScenarios } from "../scenarios/scenario-files.ts";
import { readUserFile, replaceUserFile } from "../base/user-file.ts";
import { type RunOptions, runScenario } from "../scenarios/run.ts";
import { formatMistake } from "../base/yaml-file.ts";
import { updateScenario } from "../scenarios/update.ts";

/**
 * Updates the expectations of the first failed step of each file with the found values. Runs each scenario once.
 * Prints the changed files to standard error, and each place that stays.
 */
export async function updateFiles(scenarios: readonly Scenario[], options: RunOptions): Promise<void> {
  for (const [file, own] of Map.groupBy(scenarios, (scenario) => scenario.file)) {
    const read = readUserFile(file);
    const failures: (ScenarioFailure | undefined)[] = [];
    for (const scenario of own) failures.push((await runScenario(scenario, options)).failure);
    const failure = failures.find((one) => one !== undefined);
    if (failure === undefined || failure.differences.length === 0) continue;
    // All combinations of a matrix share their expectations.
    const isAgreed =
      failures.length === readScenarios([file]).length && failures.every((one) => isAlike(one, failure));
    const kept = isAgreed ? undefined : "combinations of the matrix may find other values";
    const { text, left } = updateScenario(read.text, failure, { kept });
    for (const { line, column, message } of left) note(`${formatMistake({ file, line, column, message })}\n`);
    if (text === read.text) continue;
    replaceUserFile(read, text);
    note(`Updated ${file}: one step.\n`);
  }
}

/** Returns true if two combinations of a matrix fail at the same step with the same found values. */
function isAlike(one: ScenarioFailure | undefined, other: ScenarioFailure): boolean {
  return one?.step === other.step && isDeepStrictEqual(one.differences, other.differences);
}
