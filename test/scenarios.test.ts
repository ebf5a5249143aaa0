import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { OpenWorldOptions } from "../src/scenarios/world.ts";
import { openWorldsHere } from "../src/scenario-worlds.ts";
import { operations } from "../src/interface/operations.ts";
import { parseScenario } from "../src/scenarios/parse.ts";
import { runScenario } from "../src/scenarios/run.ts";
import { scenarioContext } from "../src/scenario-context.ts";

/** Every scenario that ships is run twice: it passes, and both runs leave the same journal, byte for byte. */
const files = globSync("scenarios/**/*.yaml").sort();
const context = scenarioContext();
/** A provider state does not say when it happens; here all do at the same time. */
const START = "2026-11-20T09:00:00-03:00";
const openHere = openWorldsHere();

test("there are scenarios to run", () => {
  expect(files.length).toBeGreaterThan(7);
});

for (const file of files) {
  const { scenarios, mistakes } = parseScenario(readFileSync(file, "utf8"), file, context);

  test(`${file} has no mistake`, () => {
    expect(mistakes).toEqual([]);
  });

  for (const scenario of scenarios) {
    test(`${file}: ${scenario.name}`, async () => {
      const options = {
        openWorld: (world: OpenWorldOptions) => openHere({ start: START, ...world }),
        operations,
      };
      const first = await runScenario(scenario, options);
      expect(first.failure).toBeUndefined();
      const second = await runScenario(scenario, options);
      expect(second.digest).toBe(first.digest);
      expect(first.digest).toMatch(/^[0-9a-f]{64}$/);
    });
  }
}
