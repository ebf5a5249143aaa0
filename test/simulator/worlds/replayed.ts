import { expect } from "vitest";
import { localWorlds } from "../../../src/scenarios/world.ts";
import { openSandbox } from "../../../src/library/sandbox.ts";
import { parseScenario } from "../../../src/scenarios/parse.ts";
import { runScenario } from "../../../src/scenarios/run.ts";
import { scenarioContext } from "../../../src/scenarios/context.ts";

/** Runs a recording, and returns the digest of its journal. */
export async function replayed(recording: string): Promise<string> {
  const { scenarios, mistakes } = parseScenario(recording, "recording.yaml", scenarioContext());
  expect(mistakes).toEqual([]);
  const result = await runScenario(scenarios[0]!, { openWorld: localWorlds(openSandbox) });
  expect(result.failure).toBeUndefined();
  return result.digest ?? "";
}
