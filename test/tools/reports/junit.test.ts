import { expect, test } from "vitest";
import { junitXml } from "../../../src/tools/reports/junit.ts";

test("a JUnit report counts and escapes, and indents every element", () => {
  const problem = { message: 'a "b"\nc', text: "<\u0001>" };
  const xml = junitXml({
    name: "all",
    suites: [
      {
        name: "one",
        file: "one.yaml",
        cases: [
          { name: "passes", className: "x", timeSeconds: 0.25, output: "warn: slow" },
          { name: "fails", failure: { ...problem, type: "must" } },
          { name: "breaks", error: problem, timeSeconds: 1 },
          { name: "waits", skipped: { message: "no receiver" } },
        ],
      },
    ],
  });
  expect(xml).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="all" tests="4" failures="1" errors="1" skipped="1" time="1.250">
  <testsuite name="one" file="one.yaml" tests="4" failures="1" errors="1" skipped="1" time="1.250">
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
