import type { CoverageReport } from "../src/scenarios/result.ts";
import type { Scenario } from "../src/scenarios/scenario.ts";
import type { ScenarioMistake } from "../src/scenarios/source.ts";
import type { ScenarioResult } from "../src/scenarios/result.ts";
import { createSandbox } from "../src/sandbox.ts";
import { globSync, readFileSync } from "node:fs";
import { localWorlds } from "../src/scenarios/world.ts";
import { operations } from "../src/api/operations.ts";
import { parseScenario } from "../src/scenarios/parse.ts";
import { runScenario } from "../src/scenarios/run.ts";
import { scenarioContext } from "../src/scenarios/context.ts";

const context = scenarioContext();

/** Where the digest of each shipped scenario's journal is kept: a change of behaviour shows there in review. */
export const DIGESTS = "test/scenario-digests.json";

/** Every scenario file that ships, as it is written. */
export function shippedScenarios(): {
  readonly file: string;
  readonly scenarios: readonly Scenario[];
  readonly mistakes: readonly ScenarioMistake[];
}[] {
  return globSync("scenarios/**/*.yaml")
    .sort()
    .map((file) => ({ file, ...parseScenario(readFileSync(file, "utf8"), file, context) }));
}

/** A provider state does not say when it happens; here all do at the same time. */
const START = "2026-11-20T09:00:00-03:00";

const openHere = localWorlds(createSandbox);

/** Runs a scenario in a world of its own in this process. */
export function run(
  scenario: Scenario,
  onCoverage?: (coverage: CoverageReport) => void,
): Promise<ScenarioResult> {
  return runScenario(scenario, {
    openWorld: (world) => openHere({ start: START, ...world }),
    operations,
    ...(onCoverage && { onCoverage }),
  });
}

/** How a scenario is called among the digests. */
export function digestName({ file, name }: Scenario): string {
  return `${file}: ${name}`;
}
