import { expect, test } from "vitest";
import type { ScenarioResult } from "../../../src/scenarios/result.ts";
import { partOfScenarios } from "../../../src/checks/certification/certificate.ts";

function resultWith(...lints: string[]): ScenarioResult {
  return {
    name: "a payout",
    file: "payout.yaml",
    status: "passed",
    steps: [],
    durationMs: 1,
    lints: lints.map((lint) => ({
      lint,
      message: `${lint} happened.`,
      fix: "Change it.",
      operation: null,
      requests: [],
    })),
  };
}

test("what is suspicious and fails nothing is shown as advice, also where everything passed", () => {
  expect(partOfScenarios([resultWith("event-without-trace")])).toMatchObject({
    verdict: "passed",
    reasons: ["Advice (event-without-trace): event-without-trace happened. Change it."],
  });
  expect(partOfScenarios([resultWith("key-reused", "two-keys")])).toMatchObject({
    verdict: "failed",
    reasons: ["two-keys happened. Change it.", "Advice (key-reused): key-reused happened. Change it."],
  });
});
