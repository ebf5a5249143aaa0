import { calibrated, deviations, trafficOf } from "./traffic.ts";
import { expect, test } from "vitest";
import { shippedScenarios } from "../../scenario-runs.ts";

const scenarios = shippedScenarios().flatMap((file) => file.scenarios.map((scenario) => [scenario] as const));

/** Scenarios whose acts and faults are all that happens leave little to see; the rest has to leave more. */
let observations = 0;

test.each(scenarios)("$file: $name contradicts only the assumptions that it sets", async (scenario) => {
  const { entries } = await trafficOf(scenario);
  const report = calibrated({ "session.har": entries });
  const set = Object.keys(scenario.assumptions ?? {});
  expect(deviations(report).filter((id) => !set.includes(id))).toEqual([]);
  expect(report.shape).toEqual([]);
  expect(report.transitions.filter(({ verdict }) => verdict !== "legal")).toEqual([]);
  observations += report.assumptions.filter(({ verdict }) => verdict === "confirmed").length;
});

test("together they confirm much of what is assumed", () => {
  expect(observations).toBeGreaterThan(1_500);
});
