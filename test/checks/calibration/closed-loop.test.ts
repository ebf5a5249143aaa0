import { allLoops, loops, payout } from "./loops.ts";
import { assumptions } from "../../../src/simulator/platform/catalog.ts";
import { observerOf } from "../../../src/checks/calibration/observers/observers.ts";
import { calibrated, deviations, storyOf, trafficOf } from "./traffic.ts";
import { expect, test } from "vitest";

test.each(allLoops)("a platform with another $0 is recognised, and nothing else is", async (id, loop) => {
  const story = storyOf(loop.story);
  const platform = { ...loop.with, [id]: loop.value };
  const { result, entries } = await trafficOf(story, platform);
  expect(result.failure?.message).toBeUndefined();
  const report = calibrated({ "session.har": entries });
  expect(report.config.assumptions).toEqual(platform);
  expect(deviations(report).toSorted()).toEqual(Object.keys(platform).toSorted());
  expect(report.shape).toEqual([]);
  expect(report.transitions.filter(({ verdict }) => verdict !== "legal")).toEqual([]);
  const replayed = await trafficOf(story, report.config.assumptions);
  expect(replayed.result.digest).toBe(result.digest);
  expect(replayed.entries).toEqual(entries);
});

/** What cannot be shown by a sandbox in one story, with the reason. */
const ELSEWHERE = new Set([
  // It passes in wall time: recorded-loops.everything.test.ts has sockets.
  "webhook.timeout",
  // A timetable decides when charges are tried, in every mode.
  "autopilot.scheduled-payment.settlement",
]);

test("every assumption that can be set and observed has a loop", () => {
  const observable = Object.entries(assumptions)
    .filter(
      ([id, assumption]) =>
        assumption.type.kind !== "statement" && typeof observerOf(id, assumption) !== "string",
    )
    .map(([id]) => id);
  expect(observable.filter((id) => !Object.hasOwn(loops, id) && !ELSEWHERE.has(id))).toEqual([]);
});

test("every assumption that can be set is observed, or has its own sentence why not", () => {
  const unexplained = Object.entries(assumptions)
    .filter(([id, { type }]) => type.kind !== "statement" && !id.startsWith("autopilot."))
    .filter(([id, assumption]) => observerOf(id, assumption) === "No answer and no event reports it.");
  expect(unexplained).toEqual([]);
});

test("TED payouts that all waited show no other opening than the assumed one because they take longer", async () => {
  const story = storyOf(`start: 2026-11-23T05:00:00-03:00\nsteps:${payout("payout.ted")}\n- advance: PT4H`);
  const { entries } = await trafficOf(story, { "payout.ted-delay": "PT1M" });
  const report = calibrated({ "session.har": entries });
  expect(deviations(report)).toEqual([]);
  expect(report.assumptions.find(({ id }) => id === "payout.ted-opens")).toMatchObject({
    verdict: "confirmed",
    note: "between 06:21 and 06:31:30",
  });
});
