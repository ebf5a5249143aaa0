import { expect, test } from "vitest";
import { failedTestsIn, failedTestsInJunit, messageIn } from "../../../src/checks/doubt/failed-tests.ts";
import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tmpdir } from "node:os";

test.each([
  [
    "vitest",
    " FAIL  |fast| test/charges.test.ts > charges > a resent charge is booked once\nAssertionError: expected 1 to be 2",
    [{ name: "charges > a resent charge is booked once", file: "test/charges.test.ts" }],
  ],
  [
    "vitest in colours, with a project",
    "\u001b[41m FAIL \u001b[49m \u001b[45m slow \u001b[49m test/charges.test.ts\u001b[2m > \u001b[22mit is paid",
    [{ name: "it is paid", file: "test/charges.test.ts" }],
  ],
  [
    "jest",
    "FAIL test/charges.test.js\n  ● charges › a resent charge",
    [{ name: "charges › a resent charge" }],
  ],
  [
    "node:test",
    "✔ one (1.2ms)\n✖ two (3.4ms)\n\n✖ failing tests:\n\ntest at a.ts:1:1\n✖ two (3.4ms)\n✖ a.ts (5ms)",
    [{ name: "two" }],
  ],
  ["node:test as TAP", "ok 1 - one\nnot ok 2 - two\n", [{ name: "two" }]],
  [
    "pytest",
    "FAILED tests/test_charges.py::test_resent - AssertionError: assert 1 == 2",
    [{ name: "test_resent", file: "tests/test_charges.py" }],
  ],
  ["Maven", "[ERROR]   ChargesTest.resent:42 expected: <1>", [{ name: "ChargesTest.resent" }]],
  ["Gradle", "ChargesTest > resent() FAILED", [{ name: "ChargesTest > resent()" }]],
  ["JUnit", "    JUnit Jupiter:ChargesTest:resent()", [{ name: "ChargesTest:resent()" }]],
  ["Go", "--- FAIL: TestResent (0.01s)", [{ name: "TestResent" }]],
  ["a runner that nobody knows", "1 of 3 wrong", []],
])("the failed tests of %s are read from its output", (_, output, found) => {
  expect(failedTestsIn(output)).toEqual(found);
});

test.each([
  ["AssertionError: expected 1 to be 2", "AssertionError: expected 1 to be 2"],
  ["  AssertionError [ERR_ASSERTION]: not paid", "AssertionError [ERR_ASSERTION]: not paid"],
  ["E       assert 1 == 2", "assert 1 == 2"],
  ["1 of 3 wrong", undefined],
])("%j says what was wrong", (line, message) => {
  expect(messageIn(`first\n${line}\nlast`)).toBe(message);
});

test("the failed tests of JUnit reports are those of this run", () => {
  const folder = mkdtempSync(join(tmpdir(), "junit-"));
  const cases = [
    '<testcase name="one" classname="a" time="0.1"/>',
    '<testcase classname="a" name="two &gt; &quot;three&quot; &#233;" file="a.py"><failure message="x > y">no</failure></testcase>',
    '<testcase name="four"><error/></testcase>',
    '<testcase name="five"><skipped/></testcase>',
  ];
  writeFileSync(
    join(folder, "report.xml"),
    `<testsuites><testsuite>${cases.join("\n")}</testsuite></testsuites>`,
  );
  const found = [{ name: 'two > "three" é', file: "a.py" }, { name: "four" }];
  expect(failedTestsInJunit(join(folder, "*.xml"), Date.now() - 60_000)).toEqual(found);
  expect(failedTestsInJunit(join(folder, "*.xml"), Date.now() + 60_000)).toEqual([]);
});
