import { beforeAll, describe, expect, test, vi } from "vitest";
import { mkdtempSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { join } from "node:path";
import { tmpdir } from "node:os";
import { doubt } from "../../../src/checks/doubt/doubt.ts";
import { CHARGE, options, REFUND } from "./suite-runs.ts";
import type { DoubtReport } from "../../../src/checks/doubt/mutants.ts";

const TIMEOUT_MS = 120_000;

/** What a partner depends on, by the mutant that finds it, the test that breaks, and what that says. */
const DEPENDENCES = [
  ["thirty minutes", "charge.resend-delay=PT90M", "a resent charge is booked once", "the charge is not paid"],
  [
    "a webhook is the answer",
    "charge.schedule-delay=PT15S",
    "a resent charge is booked once",
    "no answer yet",
  ],
  [
    "a map of four retries",
    "webhook.retry-intervals=PT2M,PT5M,PT30M,PT2H",
    "an event is handled though the first answers are lost",
    "retry 1",
  ],
  [
    "unknown statuses are errors",
    "freedoms.unknown-status=true",
    "a resent charge is booked once",
    "unknown status",
  ],
  ["fields by position", "freedoms.field-order=true", "an order is refunded", "the member is not active"],
  [
    "unknown events are errors",
    "freedoms.unknown-event=true",
    "an event is handled though the first answers are lost",
    "an event was not delivered",
  ],
  [
    "a delay is slept through",
    "freedoms.slow-answers=true",
    "an order is refunded",
    "no answer after half a second",
  ],
] as const;

/** What a suite has no test of, by the mutant that it does not notice. */
const GAPS = [
  ["no test of a refused refund", "event.ORDER-PAYIN.REFUNDED.failure"],
  ["no test of a paid order", "event.ORDER-PAYIN.PAID.never"],
  ["signatures unchecked", "signatures.wrong"],
] as const;

describe("a partner with all these dependences, whose suite has all these gaps", () => {
  let report: DoubtReport;
  beforeAll(async () => {
    const planted = [...DEPENDENCES, ...GAPS];
    const plants = planted.map(([plant]) => plant);
    report = await doubt(options(plants, { only: planted.map(([, mutant]) => mutant) }));
  }, TIMEOUT_MS);

  test("is tried with each mutant once, and fails", () => {
    expect(report.mutants).toHaveLength(DEPENDENCES.length + GAPS.length);
    expect(report.verdict).toBe("failed");
  });

  test.each(DEPENDENCES)("with the dependence: %s, it breaks by %s", (_, mutant, name, message) => {
    const found = report.mutants.find(({ id, value }) => `${id}=${value}` === mutant);
    expect(found).toMatchObject({
      verdict: "broke",
      failed: expect.arrayContaining([name]) as unknown,
      message: expect.stringContaining(message) as unknown,
    });
  });

  test.each(GAPS)("with the gap: %s, it does not notice %s", (_, mutant) => {
    expect(report.mutants.find(({ id }) => id === mutant)).toMatchObject({
      verdict: "unnoticed",
      failed: [],
    });
  });
});

test(
  "a robust partner with a good suite has no finding",
  async () => {
    const doubts = DEPENDENCES.map(([, mutant]) => mutant);
    // Each kind of sabotage; which events and operations there are is tested in mutants.test.ts.
    const sabotage = [
      "event.ORDER-PAYIN.PAID.*",
      "event.ORDER-PAYIN.REFUNDED.failure",
      "event.ORDER-PAYIN.EXPIRED.never",
      "operation.createSubscription.*",
      "operation.refundOrder.*",
      "signatures.wrong",
      "settlement.never",
      "clock.next-day-never",
    ];
    const report = await doubt(options([], { only: [...doubts, ...sabotage] }));
    const verdicts = new Set(report.mutants.map(({ family, verdict }) => `${family} ${verdict}`));
    expect([...verdicts].toSorted()).toEqual([
      "doubts tolerated",
      "sabotage not-reached",
      "sabotage noticed",
      "sabotage without-effect",
    ]);
    // The answer to a subscription without a first charge has no amount.
    expect(report.mutants.filter(({ verdict }) => verdict === "without-effect")).toMatchObject([
      { id: "operation.createSubscription.other-amount" },
    ]);
    expect(report).toMatchObject({ verdict: "passed", isComparable: true, notRun: [] });
  },
  TIMEOUT_MS,
);

test(
  "what nothing in the traffic shows is without effect, and what the budget leaves out is not run",
  async () => {
    const only = ["charge.final-at", "freedoms.long-texts"];
    const given = { command: CHARGE(), only };
    const report = await doubt(options([], { ...given, without: ["charge.final-at=20:00"] }));
    expect(report.mutants).toMatchObject([
      { id: "charge.final-at", value: "22:00", verdict: "without-effect", failed: [] },
      { id: "freedoms.long-texts", verdict: "tolerated" },
    ]);
    const cut = await doubt(options([], { ...given, budget: 1 }));
    expect([cut.mutants.length, cut.notRun.length]).toEqual([1, 2]);
  },
  TIMEOUT_MS,
);

test(
  "a run that takes too long is broken by time, and what a baseline knows fails nothing",
  async () => {
    const command = `${REFUND} && { test -z "$SANDBANK_MUTANT" || sleep 300; }`;
    // A right run may take more than five seconds beside other tests.
    const slow = options([], { command, only: ["freedoms.field-order"], timeoutMs: 20_000 });
    const report = await doubt(slow);
    expect(report).toMatchObject({ verdict: "failed", mutants: [{ verdict: "timed-out" }] });
    const baseline = { mutants: report.mutants };
    expect(await doubt({ ...slow, baseline })).toMatchObject({
      verdict: "passed",
      mutants: [{ known: true }],
    });
  },
  TIMEOUT_MS,
);

test("tests that pass once and then fail are not doubted, and nothing that they start is left behind", async () => {
  const folder = mkdtempSync(join(tmpdir(), "doubt-"));
  const command = `${REFUND} && cd ${folder} && ! test -e again && touch again && { sleep 300 & echo $! > pid; }`;
  await expect(doubt(options([], { command }))).rejects.toThrow(
    "of two equal runs one passed and the other failed",
  );
  const pid = Number(readFileSync(join(folder, "pid"), "utf8"));
  // A process that was killed is there until the kernel has given it up.
  await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow("ESRCH"), 10_000);
});

/** A server that listens at even ports, and at odd ones says why it does not. */
const SERVER = `
const port = Number(process.argv[process.argv.indexOf("--port") + 1]);
if (port % 2 === 1) { console.log("the port is in use"); process.exit(1); }
console.log("sandbank listening on http://127.0.0.1:" + port);
setInterval(() => undefined, 1_000);`;

test(
  "a server that cannot start ends the other runs, and the finished part is reported",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "sandbank-doubt-"));
    writeFileSync(join(folder, "server.mjs"), SERVER);
    const report = await doubt(
      options([], {
        command: REFUND,
        sandbank: [process.execPath, join(folder, "server.mjs")],
        port: 4100,
        only: ["freedoms.*"],
      }),
    );
    expect(report.stopped).toContain("it does not listen");
    expect(report.stopped).toContain("the port is in use");
    expect(report.notRun.length).toBeGreaterThan(0);
    expect(report.verdict).toBe("undecided");
  },
  TIMEOUT_MS,
);

test(
  "tests that reach no mutant are undecided: exit 2",
  async () => {
    const report = await doubt(options([], { command: REFUND, only: ["claim.*"] }));
    expect([report.verdict, report.counts["not-reached"]]).toEqual(["undecided", report.mutants.length]);
  },
  TIMEOUT_MS,
);

test.each(["SIGINT", "SIGTERM"] as const)(
  "%s ends the runs: the finished part is reported, and no folder is left",
  async (name) => {
    const folder = mkdtempSync(join(tmpdir(), "sandbank-doubt-"));
    const words = ["src/cli/main.ts", "doubt", "--test", REFUND, "--family", "doubts", "--reporter", "json"];
    const child = spawn(process.execPath, words, {
      env: { ...process.env, TMPDIR: folder },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const [out, err] = [text(child.stdout), text(child.stderr)];
    const ownFolders = (): string[] => readdirSync(folder).filter((one) => one.startsWith("sandbank-doubt-"));
    await vi.waitUntil(() => ownFolders().length > 0, { timeout: TIMEOUT_MS });
    child.kill(name);
    const [code] = (await once(child, "close")) as [number | null];
    expect(code).toBe(2);
    expect([await out, await err]).toEqual([expect.any(String), expect.stringContaining(`ended by ${name}`)]);
    expect(ownFolders()).toEqual([]);
  },
  TIMEOUT_MS,
);
