import { expect, test } from "vitest";
import { doubtReports } from "../../../src/checks/doubt/report.ts";
import { partOfDoubt } from "../../../src/checks/certification/certificate.ts";
import { DOUBTED } from "./doubted.ts";
import type { Doubted } from "../../../src/checks/doubt/mutants.ts";

test("the report says what breaks, what nobody would notice, and how to try it", () => {
  expect(doubtReports.pretty(DOUBTED))
    .toBe(`sandbank doubt · npm test · 4 mutants reached of 5 · 0 without effect · 3 min 12 s

Breaks you if it is not so (1)
✗ charge.resend-delay = PT90M instead of PT30M  no traffic has shown it
    1 test failed: "a resent charge is booked once" (test/charges.test.ts)
    AssertionError: expected "paid", found "scheduled"
    try it: SANDBANK_MUTANT=charge.resend-delay=PT90M npm test

You would not notice (2)
✗ every signature is wrong  all tests pass
    No test fails: anybody could send you webhooks.
    try it: SANDBANK_MUTANT=sabotage:signatures.wrong npm test
- ORDER-PAYIN.PAID never comes  known
    No test depends on it: you would not notice if ORDER-PAYIN.PAID never comes again.
    try it: SANDBANK_MUTANT=sabotage:event.ORDER-PAYIN.PAID.never npm test
`);
});

test("a report says where nothing can be compared, and what was not run or was overruled", () => {
  const mutants = DOUBTED.mutants.map((one) => ({ ...one, verdict: "overruled" as const }));
  const text = doubtReports.pretty({
    ...DOUBTED,
    mutants,
    isComparable: false,
    notRun: ["refund.delay=PT0S"],
  });
  expect(text).toContain("Nothing broke, and nothing went unnoticed.");
  expect(text).toContain(
    "Not changed, because the tests set these assumptions: charge.resend-delay, refund.delay",
  );
  expect(text).toContain("Not run, because of --budget or --time: 1 mutants.");
  expect(text).toContain("Two runs without a mutant have different traffic");
});

test("a test that slow answers broke names its own time limit", () => {
  const [broke] = DOUBTED.mutants;
  const slow = {
    ...broke!,
    id: "freedoms.slow-answers",
    value: "true",
    message: "Error: Test timed out in 5000ms.",
  };
  const textOf = (one: Doubted) => doubtReports.pretty({ ...DOUBTED, mutants: [one] });
  expect(textOf(slow)).toContain(
    "A time limit of the test itself ended it (Error: Test timed out in 5000ms.)",
  );
  for (const other of [
    { ...slow, id: "refund.delay" },
    { ...slow, message: "AssertionError: 1 is not 2" },
  ])
    expect(textOf(other)).not.toContain("A time limit of the test itself");
});

test("a report without a run says that nothing is known", () => {
  const left = { ...DOUBTED, mutants: DOUBTED.mutants.slice(-1), verdict: "undecided" as const };
  const pretty = doubtReports.pretty(left);
  expect(pretty).toContain("Undecided: your tests reach no mutant.");
  expect(pretty).not.toContain("Nothing broke");
  const stopped = doubtReports.pretty({ ...left, notRun: ["a", "b"], stopped: "Failed to start.\nlines" });
  expect(stopped).toContain("Stopped: Failed to start.\nNot run, because of the stop: 2 mutants.\n");
});

test("what a baseline knows is no failure for CI, and what did not matter is skipped", () => {
  expect(doubtReports.junit(DOUBTED)).toContain('tests="5" failures="2" errors="0" skipped="2"');
  expect(doubtReports.github(DOUBTED).match(/^::error /gm)).toHaveLength(2);
});

test("the page has every finding and the table of the others", () => {
  const page = doubtReports.html(DOUBTED);
  expect(page).toContain("Breaks you if it is not so");
  expect(page).toContain("SANDBANK_MUTANT=charge.resend-delay=PT90M npm test");
  expect(page).toContain("tolerated");
});

test("certify fails where something broke that no traffic has shown; what goes unnoticed is missing", () => {
  expect(partOfDoubt(DOUBTED)).toMatchObject({
    verdict: "failed",
    summary: "4 mutants run, 1 broke the tests, 2 went unnoticed.",
    reasons: [
      expect.stringContaining("charge.resend-delay = PT90M instead of PT30M: 1 test failed") as unknown,
    ],
    missing: [
      {
        unnoticed: "every signature is wrong",
        means: "No test fails: anybody could send you webhooks.",
      },
      { unnoticed: "ORDER-PAYIN.PAID never comes" },
    ],
  });
  const confirmed = DOUBTED.mutants.map((one) => ({ ...one, confirmed: "confirmed" as const }));
  expect(partOfDoubt({ ...DOUBTED, mutants: confirmed })).toMatchObject({ verdict: "passed" });
});
