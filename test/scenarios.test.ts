import type { CoverageReport } from "../src/scenarios/result.ts";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { mergeCoverage } from "../src/scenarios/result.ts";
import { DIGESTS, digestName, run, shippedScenarios } from "./scenario-runs.ts";

/**
 * Every scenario that ships is run twice: it passes, both runs leave the same journal, byte for byte, and it is
 * the one that was stored. After a change of behaviour that is meant, `npm run digests` stores the new ones.
 */
const files = shippedScenarios();
const stored = JSON.parse(readFileSync(DIGESTS, "utf8")) as Record<string, string>;

test("there are scenarios to run", () => {
  expect(files.length).toBeGreaterThan(7);
});

test("a digest is stored for every shipped scenario, and for no other", () => {
  const names = files.flatMap(({ scenarios }) => scenarios.map(digestName));
  expect(Object.keys(stored).toSorted()).toEqual(names.toSorted());
});

for (const { file, scenarios, mistakes } of files) {
  test(`${file} has no mistake`, () => {
    expect(mistakes).toEqual([]);
  });

  for (const scenario of scenarios) {
    test(`${digestName(scenario)} comes to its stored journal, twice`, async () => {
      const first = await run(scenario);
      expect(first.failure).toBeUndefined();
      const second = await run(scenario);
      expect(second.digest).toBe(first.digest);
      expect(first.digest).toBe(stored[digestName(scenario)]);
    });
  }
}

test("the shipped scenarios together cover every transition, event, error code and effect", async () => {
  const reports: CoverageReport[] = [];
  for (const scenario of files.flatMap(({ scenarios }) => scenarios))
    await run(scenario, (coverage) => reports.push(coverage));
  const missing = Object.entries(mergeCoverage(reports)?.areas ?? {})
    .filter(([area]) => area !== "assumptions")
    .flatMap(([, { rows }]) => rows.filter(({ count }) => count === 0).map(({ name }) => name));
  expect(missing).toEqual([]);
}, 60_000);
