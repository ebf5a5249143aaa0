import { expect, test } from "vitest";
import {
  type Certificate,
  certificateOf,
  partOfReceiver,
} from "../../../src/checks/certification/certificate.ts";
import { shortReport } from "../../../src/checks/certification/proven-part.ts";
import { exploreReport } from "../../../src/checks/explore/report.ts";
import { certificatePage } from "../../../src/checks/certification/certificate-page.ts";

function pageIn(language: Certificate["language"]): string {
  const result = partOfReceiver({
    url: "http://127.0.0.1/",
    seed: 1,
    level: "must",
    requests: 1,
    checks: [
      {
        id: "I1",
        title: "Handles a duplicate once",
        level: "must",
        verdict: "fail",
        cause: "It was booked twice.",
        fix: "Store its key.",
      },
    ],
  });
  const part = { name: "receiver", ...result } as const;
  const certificate = certificateOf({
    parts: [part],
    seed: 1,
    use: undefined,
    repeat: [],
    subject: { date: "2026-11-23", capabilities: [], language },
  });
  return certificatePage({ certificate, parts: [part] });
}

test("a check that failed is on the page once, with what to do about it", () => {
  const page = pageIn("en");
  expect(page.split("It was booked twice.")).toHaveLength(2);
  expect(page).toContain("Store its key.");
  expect(page).toContain("The integration of the partner with the payments platform");
});

test("in Portuguese the verdicts have their colours too, and a partner without a name is written as one writes it", () => {
  const page = pageIn("pt-BR");
  expect(page).toContain('<span class="badge bad">reprovado</span>');
  expect(page).toContain("A integração do parceiro com a plataforma");
});

test("an exploration that could not be tried is an error of its report, and no failure", () => {
  const { suites } = exploreReport([
    {
      scenario: "An order",
      file: "order.yaml",
      seed: 1,
      events: [],
      calls: [],
      depth: 1,
      schedules: { tried: 0, total: 0, skipped: 0 },
      ignored: [],
      notes: [],
      notTried: [],
      divergences: [],
      cells: [],
      verdict: "not-tried",
      reason: "Nobody answers.",
    },
  ]);
  expect(suites[0]?.cases).toMatchObject([
    { name: "baseline", verdict: "undecided", summary: "Nobody answers." },
  ]);
});

test("a certificate says where the time of its parts went, and its digest does not depend on that", () => {
  const certificateWith = (seconds: number) => {
    const time = { seconds, shares: { rest: 0.8, own: 0.2 } };
    const report = {
      url: "http://127.0.0.1/",
      seed: 1,
      level: "must",
      requests: 1,
      checks: [],
      time,
    } as const;
    const part = { name: "receiver", ...partOfReceiver(report) } as const;
    return certificateOf({
      parts: [part, part],
      seed: 1,
      use: undefined,
      repeat: [],
      subject: { date: "2026-11-23", capabilities: [], language: "en" },
    });
  };
  const [quick, slow] = [certificateWith(1), certificateWith(5)];
  expect(slow.time).toEqual({ seconds: 10, shares: { rest: 0.8, own: 0.2 } });
  expect(slow.digest).toBe(quick.digest);
  expect(shortReport(slow).end).toContain("Time: 10 s: waiting for rest 80 %, the sandbox 20 %.");
});
