import { expect, test } from "vitest";
import type { CheckResult } from "../../../src/checks/receiver/run-checks.ts";
import { checksReport } from "../../../src/checks/receiver/report.ts";
import { partOfReceiver } from "../../../src/checks/certification/certificate.ts";

const passed: CheckResult = { id: "S1", title: "Rejects a wrong signature", level: "must", verdict: "pass" };
const advice: CheckResult = {
  id: "B5",
  title: "Tolerates an unknown event",
  level: "should",
  verdict: "fail",
  cause: "It is refused.",
};
const failed: CheckResult = {
  id: "I1",
  title: "Handles a duplicate once",
  level: "must",
  verdict: "fail",
  cause: "Twice.",
};

const outcomeOf = (...checks: readonly CheckResult[]) =>
  partOfReceiver({ url: "http://127.0.0.1/", seed: 1, level: "must", requests: 1, checks });

test("a failed check that is no requirement is advice, and a part that passed does not say that it failed", () => {
  expect(outcomeOf(passed, advice)).toMatchObject({
    verdict: "passed",
    summary: "1 of 2 checks passed.",
    reasons: [],
  });
  expect(outcomeOf(passed, advice, failed)).toMatchObject({
    verdict: "failed",
    summary: "1 of 3 checks failed.",
    reasons: ["I1 Handles a duplicate once: Twice.", "Advice: B5 Tolerates an unknown event: It is refused."],
  });
});

test("a warning lists each cause once, and does not say that a kind of object failed", () => {
  const report = checksReport({
    url: "http://127.0.0.1/",
    seed: 1,
    level: "must",
    requests: 1,
    checks: [
      {
        id: "I6",
        title: "Handles a repeated report once",
        level: "info",
        verdict: "warn",
        cause: "Orders changed. Payouts changed. This is only advice.",
        families: [
          { family: "orders", verdict: "fail", cause: "Orders changed." },
          { family: "payouts", verdict: "fail", cause: "Payouts changed." },
          { family: "charges", verdict: "pass" },
        ],
      },
    ],
  });
  const [found] = report.suites.flatMap(({ cases }) => cases);
  expect(found).toMatchObject({
    reasons: ["cause: Orders changed.", "cause: Payouts changed.", "cause: This is only advice."],
    evidence: [{ lines: ["by kind of object: seen for orders, payouts; passed for charges"] }],
  });
});
