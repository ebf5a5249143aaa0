import { expect, test } from "vitest";
import { conclusionOf, EXIT_CODES } from "../../src/reports/conclusion.ts";
import type { Suite, Verdict } from "../../src/reports/report.ts";

const suite = (...verdicts: Verdict[]): Suite => ({
  name: "suite",
  cases: verdicts.map((verdict, index) => ({ name: `case ${index + 1}`, verdict, summary: `it ${verdict}` })),
});

test.each([
  [["passed", "skipped"], "passed"],
  [["passed", "failed", "undecided"], "failed"],
  [["passed", "undecided"], "undecided"],
  [["skipped", "skipped"], "undecided"],
  [[], "undecided"],
] as const)("cases that are %j make a report %s", (verdicts, expected) => {
  expect(conclusionOf({ suites: [suite(...verdicts)] }).verdict).toBe(expected);
  expect(conclusionOf({ suites: verdicts.map((verdict) => suite(verdict)) }).verdict).toBe(expected);
});

test("an undecided report names its cases by reason, and a report without a judged case says so", () => {
  expect(conclusionOf({ suites: [suite("undecided", "passed", "undecided")] }).reasons).toEqual([
    "case 1, case 3 not decided: it undecided",
  ]);
  expect(conclusionOf({ suites: [suite("skipped")] }).reasons).toEqual([
    "Nothing was judged.",
    "case 1 skipped: it skipped",
  ]);
  expect(conclusionOf({ suites: [] }).reasons).toEqual(["Nothing was judged."]);
});

test("accepted findings pass, and the verdict of a suite wins over its cases", () => {
  const accepted = suite("skipped").cases.map((one) => ({ ...one, isAccepted: true as const }));
  expect(conclusionOf({ suites: [{ name: "accepted", cases: accepted }] }).verdict).toBe("passed");
  expect(conclusionOf({ suites: [{ ...suite("failed"), verdict: "passed" }] }).verdict).toBe("passed");
});

test("a failure ends with 1, and a report without a decision with 2", () => {
  expect(EXIT_CODES).toEqual({ passed: 0, failed: 1, undecided: 2 });
});
