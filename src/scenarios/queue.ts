import type { ScenarioResult } from "./result.ts";
import { runScenario } from "./run.ts";
import type { RunOptions } from "./run.ts";
import type { Scenario } from "./scenario.ts";

export interface RunAllOptions extends RunOptions {
  /** How many run side by side, 4 unless given. */
  readonly concurrency?: number;
  /** Told of every scenario as it begins. */
  readonly onStart?: (scenario: Scenario) => void;
  /** Told of every result, in the order of the scenarios, as soon as all before it are there. */
  readonly onResult?: (result: ScenarioResult) => void;
}

/** Runs scenarios side by side, each in its own world; the results come in the order of the scenarios. */
export async function runScenarios(
  scenarios: readonly Scenario[],
  { concurrency = 4, onStart, onResult, ...options }: RunAllOptions,
): Promise<ScenarioResult[]> {
  const results: (ScenarioResult | undefined)[] = scenarios.map(() => undefined);
  let next = 0;
  let told = 0;
  const tell = (): void => {
    for (let result = results[told]; result !== undefined; result = results[told]) {
      onResult?.(result);
      told += 1;
    }
  };
  const work = async (): Promise<void> => {
    for (let index = next++; index < scenarios.length; index = next++) {
      const scenario = scenarios[index];
      if (scenario === undefined) continue;
      onStart?.(scenario);
      results[index] = await runScenario(scenario, options);
      tell();
    }
  };
  const workers = Math.max(1, Math.min(concurrency, scenarios.length));
  await Promise.all(Array.from({ length: workers }, work));
  return results.filter((result) => result !== undefined);
}
