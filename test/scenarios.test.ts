import type { Scenario } from "../src/scenarios/scenario.ts";
import { dirname } from "node:path";
import { expect, test } from "vitest";
import { operationAt, undocumentedIn } from "./simulator/api/documented.ts";
import { type CoverageReport, mergeCoverage } from "../src/scenarios/result.ts";
import { readTimelines, run, shippedScenarios, timelineTitle } from "./scenario-runs.ts";

/**
 * Every shipped scenario runs once: it passes, and what happens in it is what `test/timelines` says. After an
 * intended change of behaviour `npm run timelines` writes those files.
 */
const files = shippedScenarios();
const scenarios = files.flatMap((file) => file.scenarios);
const stored = readTimelines();

const reports: CoverageReport[] = [];
const runs = new Map<Scenario, ReturnType<typeof run>>();

/** The operations that were called, with the statuses of their answers, and what no document shows. */
const answered = new Set<string>();
const undocumented = new Set<string>();

function onAnswer(method: string, path: string, answer: Response): void {
  const operation = operationAt(method, path);
  if (operation === undefined || answer.status === 0) return;
  answered.add(`${operation.operationId} ${answer.status}`);
  for (const missing of undocumentedIn(operation, answer)) undocumented.add(missing);
}

/** The one run of a scenario that all tests of this file look at. */
function runOnce(scenario: Scenario): ReturnType<typeof run> {
  const running = runs.get(scenario) ?? run(scenario, (report) => reports.push(report), { onAnswer });
  runs.set(scenario, running);
  return running;
}

test("a timeline is stored for every shipped scenario, and for no other", () => {
  expect(scenarios.length).toBeGreaterThan(7);
  expect([...stored.keys()].toSorted()).toEqual(scenarios.map(timelineTitle).toSorted());
});

test.each(files)("$file has no mistake", ({ mistakes }) => {
  expect(mistakes).toEqual([]);
});

for (const scenario of scenarios) {
  const title = timelineTitle(scenario);
  test(`${title} passes with its stored timeline`, async () => {
    const { failure, timeline } = await runOnce(scenario);
    expect(failure).toBeUndefined();
    expect(timeline).toBe(stored.get(title));
  });
}

const firstOfEachFolder = [...Map.groupBy(scenarios, ({ file }) => dirname(file)).values()].flatMap((all) =>
  all.slice(0, 1),
);

test.each(firstOfEachFolder)("$file leaves the same journal when it runs again", async (scenario) => {
  const [first, second] = [await runOnce(scenario), await run(scenario)];
  expect(first.digest).toMatch(/^[0-9a-f]{64}$/);
  expect(second.digest).toBe(first.digest);
});

test("the shipped scenarios together cover every transition, event, error code and effect", async () => {
  for (const scenario of scenarios) await runOnce(scenario);
  const missing = Object.entries(mergeCoverage(reports)?.areas ?? {})
    .filter(([area]) => area !== "assumptions")
    .flatMap(([, { rows }]) => rows.filter(({ count }) => count === 0).map(({ name }) => name));
  expect(missing).toEqual([]);
}, 60_000);

test("every answer in the shipped scenarios is documented", async () => {
  for (const scenario of scenarios) await runOnce(scenario);
  expect(answered.size).toBeGreaterThan(50);
  expect([...undocumented]).toEqual([]);
}, 60_000);
