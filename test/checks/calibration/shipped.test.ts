import { calibrated, deviations, trafficOf } from "./traffic.ts";
import type { CalibrationReport } from "../../../src/checks/calibration/report.ts";
import { expect, test } from "vitest";
import { shippedScenarios } from "../../scenario-runs.ts";

const scenarios = shippedScenarios().flatMap((file) => file.scenarios.map((scenario) => [scenario] as const));

/** Scenarios whose acts and faults are all that happens leave little to see; the rest has to leave more. */
let observations = 0;

/** Whole seconds of a Date do not show this difference of two clocks. */
const BEHIND_MS = 400;

test.each(scenarios)("$file: $name contradicts only the assumptions that it sets", async (scenario) => {
  const { entries } = await trafficOf(scenario);
  const behind = entries.map((entry) => ({
    ...entry,
    startedDateTime: new Date(Date.parse(entry.startedDateTime) + BEHIND_MS).toISOString(),
  }));
  const set = Object.keys(scenario.assumptions ?? {});
  const reports = [entries, behind].map((recorded) => calibrated({ "session.har": recorded }));
  for (const report of reports) {
    expect(deviations(report).filter((id) => !set.includes(id))).toEqual([]);
    expect(report.shape).toEqual([]);
    expect(report.transitions.filter(({ verdict }) => verdict !== "legal")).toEqual([]);
  }
  const [report] = reports as [CalibrationReport];
  observations += report.assumptions.filter(({ verdict }) => verdict === "confirmed").length;
});

test("together they confirm much of what is assumed", () => {
  expect(observations).toBeGreaterThan(1_500);
});
