import { EXPLORED } from "./explored.ts";
import { exploreReports } from "../../../src/checks/explore/report.ts";
import { Picture } from "../../../src/checks/explore/picture.ts";
import { html } from "../../../src/pages/html/preact.js";
import { renderToString } from "preact-render-to-string";
import { cellOf } from "../../../src/checks/explore/matrix.ts";
import { compareLines } from "../../../src/checks/explore/state-view.ts";
import { expect, test } from "vitest";
import type { Divergence, ExploreResult } from "../../../src/checks/explore/exploration.ts";

const divergence = (deviations: Divergence["deviations"], alike: Divergence["alike"] = []) => ({
  deviations,
  alike,
  title: "It came late.",
  differences: [],
  arrivals: [],
  cause: { code: "handled-twice" as const, text: "A cause.", evidence: [] },
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

test("every form of a report names the schedules that were not played, and the schedule that was", () => {
  const twice = { event: 1, kind: "twice" } as const;
  const twiceLate = { event: 1, kind: "twice-late" } as const;
  const reported: ExploreResult = {
    ...result,
    cells: [
      { ...twice, result: "ok" },
      { ...twiceLate, result: "skipped" },
    ],
    schedules: { ...result.schedules, merged: 12 },
    merged: [{ deviations: [twiceLate], sameAs: [twice] }],
  };
  const sentence =
    "Merged, because their arrivals and instants are the same: twice-late on event 1 as twice on event 1; and 11 more.";
  expect(exploreReports.pretty([reported])).toContain(sentence);
  expect(exploreReports.html([reported])).toContain(sentence);
  const summary = "skipped: the same arrivals at the same instants as twice on event 1";
  expect(exploreReports.junit([reported])).toContain(summary);
  expect(exploreReports.markdown([reported])).toContain(summary);
  expect(JSON.parse(exploreReports.json([reported]))).toMatchObject({ merged: reported.merged });
});

test("two states are compared line by line", () => {
  const [before = [], after = []] = compareLines({ a: 1, b: { c: "x" } }, { a: 2, b: { c: "x", d: null } });
  const marked = (lines: { text: string; isMarked: boolean }[]) =>
    lines.filter(({ isMarked }) => isMarked).map(({ text }) => text.trim());
  expect(marked(before)).toEqual(['"a": 1,']);
  expect(marked(after)).toEqual(['"a": 2,', '"d": null']);
  expect(before.map(({ text }) => text).join("\n")).toBe(JSON.stringify({ a: 1, b: { c: "x" } }, null, 2));
});

test("each cause is on the page once, with a picture of its smallest schedule and the names of the others", () => {
  const page = exploreReports.html([EXPLORED]).replaceAll(/<wbr\/>|<\/?bdi>/g, "");
  expect(page.split("Likely cause: An old event overwrites")).toHaveLength(2);
  expect(page.match(/<svg class="sequence"/g)).toHaveLength(2);
  expect(page).toMatch(/The same cause in 1 more:.*ORDER-PAYIN\.PAID came late/s);
});

test("a picture shows a disturbed call before the events about its object, and the first difference", () => {
  const [, lost] = EXPLORED.divergences;
  const picture = renderToString(html`<${Picture} divergence=${lost} result=${EXPLORED} />`);
  expect(picture).toContain(
    'aria-label="Sequence: call 1 createScheduledPayment, carried out, answer lost, call-answer-lost; 2 SUBSCRIPTION.SCHEDULED_PAYMENT.ACCEPTED, 200"',
  );
  for (const text of ["platform", "wire", "your system", "differs: $platform.charges[1]"])
    expect(picture).toContain(`>${text}<`);
});
