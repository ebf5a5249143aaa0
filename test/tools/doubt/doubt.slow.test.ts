import { expect, test } from "vitest";
import { commandLine } from "../../../src/control/shell.js";
import { doubt, type DoubtOptions } from "../../../src/tools/doubt/doubt.ts";

const SUITE = "test/tools/doubt/suite.ts";
const TIMEOUT_MS = 120_000;

function options(plant: string, given: Partial<DoubtOptions> = {}): DoubtOptions {
  return {
    command: commandLine([process.execPath, SUITE, plant]),
    sandbank: [process.execPath, "src/cli/main.ts"],
    timeMs: 600_000,
    timeoutMs: 60_000,
    seed: 1,
    jobs: 2,
    ...given,
  };
}

/** The mutants that find the planted dependences. */
const DOUBTS = [
  "charge.resend-delay",
  "charge.schedule-delay=PT15S",
  "webhook.retry-intervals",
  "freedoms.unknown-status",
  "freedoms.field-order",
  "freedoms.unknown-event",
  "freedoms.slow-answers",
];

test.concurrent.each([
  ["thirty minutes", "charge.resend-delay=PT90M", "a resent charge is booked once"],
  ["a webhook is the answer", "charge.schedule-delay=PT15S", "a resent charge is booked once"],
  [
    "a map of four retries",
    "webhook.retry-intervals=PT2M,PT5M,PT30M,PT2H",
    "an event is handled though the first answers are lost",
  ],
  ["unknown statuses are errors", "freedoms.unknown-status=true", "a resent charge is booked once"],
  ["fields by position", "freedoms.field-order=true", "an order is refunded"],
  [
    "unknown events are errors",
    "freedoms.unknown-event=true",
    "an event is handled though the first answers are lost",
  ],
  ["a delay is slept through", "freedoms.slow-answers=true", "an order is refunded"],
])(
  "a partner with the dependence: %s, breaks by %s",
  async (plant, mutant, name) => {
    const report = await doubt(options(plant, { only: [mutant] }));
    expect(report.verdict).toBe("failed");
    expect(report.mutants).toMatchObject([
      { verdict: "broke", failed: expect.arrayContaining([name]) as unknown },
    ]);
  },
  TIMEOUT_MS,
);

test(
  "a robust partner with a good suite has no finding",
  async () => {
    const report = await doubt(options("", { only: DOUBTS }));
    expect(report.mutants.filter(({ verdict }) => verdict !== "survived")).toEqual([]);
    expect(report).toMatchObject({ verdict: "passed", isComparable: true, notRun: [] });
  },
  TIMEOUT_MS,
);
