import { expect, test } from "vitest";
import { parse } from "yaml";
import {
  type ScenarioResult,
  type StepResult,
  differenceLines,
  differencesLine,
} from "../../src/scenarios/result.ts";
import { type ReporterName, reporters } from "../../src/scenarios/report.ts";

const place = { line: 3, column: 5 };
const steps: StepResult[] = [
  { number: 1, title: "call createCounter", status: "passed", ...place },
  { number: 2, title: "expect webhooks", status: "failed", note: "the crux", line: 7, column: 5 },
  { number: 3, title: "advance by P1D", status: "skipped", ...place },
];
const results: ScenarioResult[] = [
  { name: "all is well", file: "a.yaml", status: "passed", steps: [], digest: "abc", durationMs: 12.3 },
  {
    name: "a < b & #1",
    file: "b.yaml",
    status: "failed",
    steps,
    durationMs: 1000,
    failure: {
      step: 2,
      title: "expect webhooks",
      line: 7,
      column: 5,
      message: "2 things are not as expected.",
      differences: [
        { path: "webhooks[0].event", expected: "A", actual: undefined },
        { path: "body", expected: { a: 1 }, actual: { b: "x".repeat(100), durationMs: 4 } },
      ],
      before: [
        { at: "2026-11-20T12:00:00.000Z", what: "order.paid", objectId: "o-1", cause: "act order.pay" },
      ],
    },
  },
  { name: "not here", file: "b.yaml", status: "skipped", steps: [], skipped: "No receiver.", durationMs: 0 },
];

function report(name: ReporterName, isTerminal = false): string {
  let text = "";
  const reporter = reporters[name]({ write: (part) => (text += part), isTerminal });
  reporter.started(results.length);
  for (const result of results) reporter.finished(result);
  reporter.ended(results);
  return text;
}

test("the pretty report shows a failure with its steps, differences and timeline", () => {
  expect(report("pretty")).toBe(`✓ all is well a.yaml
✗ a < b & #1 b.yaml
    2 things are not as expected.
    at b.yaml:7:5

    Steps
    ✓ 1. call createCounter
    ✗ 2. expect webhooks  the crux

    webhooks[0].event
      expected: A
      found: nothing there

    body
      expected: { a: 1 }
      found:
        b: ${"x".repeat(100)}
        durationMs: 4

    What happened just before
      2026-11-20T12:00:00.000Z  order.paid  o-1  (act order.pay)

- not here b.yaml
    No receiver.

1 passed, 1 failed, 1 skipped.
`);
});

test("a list is shown by its first entry, and a missing entry by the nearest one", () => {
  const entries = Array.from({ length: 30 }, (_, number) => ({ number, text: "x".repeat(20), more: [1, 2] }));
  const lines = differenceLines({ path: "webhooks", expected: [], actual: entries });
  expect(lines.slice(0, 4)).toEqual([
    "webhooks",
    "  expected: []",
    `  found 30 entries, the first: { number: 0, text: ${"x".repeat(20)}, more: [ 1, 2 ] }`,
  ]);
  expect(
    differenceLines({ path: "webhooks[*]", expected: { event: "A" }, actual: { event: "B" }, nearestOf: 12 }),
  ).toEqual(["webhooks[*]", "  expected: { event: A }", "  nearest of 12: { event: B }"]);
});

test("what failed is one line, whatever the size of the values", () => {
  const status = { path: "resource.status", expected: "COMPLETED", actual: "CANCELED" };
  expect(differencesLine([status])).toBe("resource.status: expected COMPLETED, found CANCELED");
  expect(differencesLine([status, status, status])).toBe(
    "resource.status: expected COMPLETED, found CANCELED; and 2 more differences",
  );
  expect(differencesLine([{ path: "body", expected: { a: 1 }, actual: undefined }])).toBe(
    "body: expected { a: 1 }, found nothing there",
  );
  const long = differencesLine([{ path: "body", expected: "x".repeat(1000), actual: "a\nb" }]);
  expect(long).not.toContain("\n");
  expect(long.length).toBeLessThan(200);
});

test("colours and progress are for a terminal only", () => {
  expect(report("pretty")).not.toContain("\u001B");
  expect(report("pretty", true)).toContain("\u001B[32m✓\u001B[39m all is well");
  expect(report("pretty", true)).toContain("1/3 …");
});

test("the json report has no wall-clock time and marks absent values", () => {
  const parsed = JSON.parse(report("json")) as { scenarios: ScenarioResult[] };
  expect(parsed).toMatchObject({ passed: 1, failed: 1, skipped: 1, scenarios: [{ digest: "abc" }, {}, {}] });
  expect(parsed.scenarios[1]?.failure?.differences[0]).toEqual({
    path: "webhooks[0].event",
    expected: "A",
    actual: { $absent: true },
  });
  expect(report("json")).not.toContain("durationMs");
});

test("the junit report counts, escapes and shows the failure", () => {
  const xml = report("junit");
  expect(xml).toContain(
    '<testsuites name="sandbank" tests="3" failures="1" errors="0" skipped="1" time="1.012">',
  );
  expect(xml).toContain('<testsuite name="b.yaml" tests="2" failures="1"');
  expect(xml).toContain(
    '<testcase name="a &lt; b &amp; #1" classname="b.yaml" file="b.yaml" line="7" time="1.000">',
  );
  expect(xml).toContain('<skipped message="No receiver."/>');
  expect(xml).toContain("2 things are not as expected.\nat b.yaml:7:5\nwebhooks[0].event\n  expected: A");
});

test("the tap report has a plan, a line per scenario and a YAML block where one failed", () => {
  const lines = report("tap").split("\n");
  expect(lines.slice(0, 4)).toEqual([
    "TAP version 14",
    "1..3",
    "ok 1 - all is well",
    "not ok 2 - a < b & \\#1",
  ]);
  expect(lines).toContain("ok 3 - not here # SKIP No receiver.");
  const block = lines.slice(lines.indexOf("  ---") + 1, lines.indexOf("  ..."));
  expect(parse(block.join("\n"))).toMatchObject({ at: "b.yaml:7:5", step: "2. expect webhooks" });
});
