import { expect, test } from "vitest";
import { junitXml } from "../../src/reports/junit.ts";

test("a JUnit report counts and escapes, and indents every element", () => {
  const problem = { summary: 'a "b"\nc', reasons: ["<\u0001>"] };
  const xml = junitXml({
    title: "all",
    suites: [
      {
        name: "one",
        cases: [
          { name: "passes", verdict: "passed", className: "x", timeSeconds: 0.25, warnings: ["warn: slow"] },
          { name: "fails", verdict: "failed", ...problem, type: "must" },
          { name: "breaks", verdict: "undecided", ...problem, timeSeconds: 1 },
          { name: "waits", verdict: "skipped", summary: "no receiver" },
        ],
      },
    ],
  });
  expect(xml).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="all" tests="4" failures="1" errors="1" skipped="1" time="1.250">
  <testsuite name="one" tests="4" failures="1" errors="1" skipped="1" time="1.250">
    <testcase name="passes" classname="x" time="0.250">
      <system-out>warn: slow</system-out>
    </testcase>
    <testcase name="fails">
      <failure message="a &quot;b&quot;&#10;c" type="must">&lt;\uFFFD&gt;</failure>
    </testcase>
    <testcase name="breaks" time="1.000">
      <error message="a &quot;b&quot;&#10;c">&lt;\uFFFD&gt;</error>
    </testcase>
    <testcase name="waits">
      <skipped message="no receiver"/>
    </testcase>
  </testsuite>
</testsuites>
`);
});
