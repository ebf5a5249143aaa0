import { cellOf } from "../../../src/tools/explore/matrix.ts";
import { compareLines } from "../../../src/tools/explore/states.ts";
import { expect, test } from "vitest";
import type { ExploreResult } from "../../../src/tools/explore/report-data.ts";

const divergence = (
  deviations: { event: number; kind: string }[],
  alike: { event: number; kind: string }[][] = [],
) => ({
  deviations,
  alike,
  title: "It came late.",
  differences: [],
  arrivals: [],
  cause: "A cause.",
  replay: "sandbank run x.yaml",
});

const result: ExploreResult = {
  file: "gym.yaml",
  seed: 1,
  scenario: "Gym",
  events: [],
  depth: 2,
  schedules: { tried: 3, total: 3, skipped: 0 },
  ignored: [],
  notes: [],
  calls: [],
  notTried: [],
  cells: [],
  verdict: "diverges",
  divergences: [
    divergence([
      { event: 1, kind: "late" },
      { event: 2, kind: "twice" },
    ]),
    divergence([{ event: 2, kind: "twice" }], [[{ event: 3, kind: "twice" }]]),
  ],
};

test("a cell shows the smallest divergence that its deviation is a part of, and those alike", () => {
  expect(cellOf(result, { event: 2, kind: "twice" })).toEqual({ result: "diverged", index: 1 });
  expect(cellOf(result, { event: 3, kind: "twice" })).toEqual({ result: "diverged", index: 1 });
  expect(cellOf(result, { event: 1, kind: "twice" })).toEqual({ result: "impossible", index: undefined });
  const cells = [{ event: 1, kind: "late", result: "ok" }] as const;
  expect(cellOf({ ...result, cells }, { event: 1, kind: "late" })).toEqual({ result: "ok", index: 0 });
});

test("two states are compared line by line", () => {
  const [before = [], after = []] = compareLines({ a: 1, b: { c: "x" } }, { a: 2, b: { c: "x", d: null } });
  const marked = (lines: { text: string; isMarked: boolean }[]) =>
    lines.filter(({ isMarked }) => isMarked).map(({ text }) => text.trim());
  expect(marked(before)).toEqual(['"a": 1,']);
  expect(marked(after)).toEqual(['"a": 2,', '"d": null']);
  expect(before.map(({ text }) => text).join("\n")).toBe(JSON.stringify({ a: 1, b: { c: "x" } }, null, 2));
});
