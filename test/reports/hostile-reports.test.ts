import type { ExploreResult } from "../../src/checks/explore/exploration.ts";
import { certificatePage, type Proof } from "../../src/checks/certification/certificate-page.ts";
import { suiteOf, tableOf } from "../../src/checks/certification/proven-part.ts";
import type { ScenarioResult } from "../../src/scenarios/result.ts";
import { scenariosReport } from "../../src/scenarios/report.ts";
import { DOUBTED } from "../checks/doubt/doubted.ts";
import { doubtReports } from "../../src/checks/doubt/report.ts";
import { expect, test } from "vitest";
import { exploreReport, exploreReports } from "../../src/checks/explore/report.ts";
import * as fc from "fast-check";

/** Texts that a partner chooses: names, answers, error messages, paths, values of a probe. */
const hostile = fc
  .array(
    fc.constantFrom(
      "<script>alert(1)</script>",
      '"><img src=x onerror=alert(1)>',
      "'><svg onload=alert(1)>",
      "</pre></code></title></style>",
      "javascript:alert(1)",
      "--><!--",
      "&lt;b&gt;&#60;",
      "]]>",
      "`${x}`",
      "\u2028\u0000\u202e",
      '" onfocus="alert(1)" autofocus="',
      "x",
    ),
    { minLength: 1, maxLength: 4 },
  )
  .map((parts) => parts.join(""));

/** The elements of a page with the names of their attributes, and all attributes that a page may act on. */
function skeleton(page: string): string[] {
  // A name may wrap where it has a point or a slash.
  const tags = page.replaceAll("<wbr/>", "").match(/<[!/a-z](?:"[^"]*"|[^>"])*>/gi) ?? [];
  return tags.map((tag) =>
    tag.replaceAll(/(\s(?:aria-label|data-title|title)=)"[^"]*"/g, '$1""').replaceAll(/\s+/g, " "),
  );
}

function exploration(text: string): ExploreResult {
  const deviations = [{ kind: "twice", event: 1 }] as const;
  const state = { [text]: [text, { [text]: text }] };
  return {
    scenario: text,
    file: text,
    events: [{ index: 1, event: text, object: text }],
    calls: [{ index: 1, operation: text, object: text }],
    depth: 1,
    schedules: { tried: 1, total: 1, skipped: 0 },
    ignored: [text],
    notTried: [text],
    notes: [text],
    verdict: "diverges",
    seed: 1,
    cells: [
      { kind: "twice", event: 1, result: "diverged" },
      { kind: "call-lost", call: 1, result: "diverged" },
    ],
    state,
    divergences: [
      {
        deviations,
        title: text,
        cause: text,
        replay: text,
        alike: [],
        state,
        differences: [{ path: text, baseline: text, found: { [text]: text } }],
        arrivals: [{ event: 1, name: text, status: null, error: text }],
      },
    ],
  } as unknown as ExploreResult;
}

function proof(text: string): Proof {
  const part = { name: "explore", verdict: "failed", summary: text, reasons: [text], of: text } as const;
  const passed = { name: "scenarios", verdict: "passed", summary: text, reasons: [text] } as const;
  const steps = [{ number: 1, title: text, note: text, status: "failed" }];
  const failure = {
    message: text,
    line: 1,
    column: 1,
    differences: [{ path: text, expected: text }],
    before: [],
  };
  const scenario = { name: text, file: text, status: "failed", steps, failure, durationMs: 1, world: text };
  const certificate = {
    partner: text,
    date: text,
    capabilities: ["payouts"],
    language: "en",
    verdict: "failed",
    parts: [part, passed],
    missing: [text],
    versions: { sandbank: text },
    seed: 1,
    assumptions: { [text]: text },
    digest: text,
    repeat: [text],
  };
  const counted = { of: "nothing" } as const;
  const parts = [
    { ...part, counted, found: exploreReport([exploration(text)]) },
    { ...passed, counted, found: scenariosReport({ results: [scenario as unknown as ScenarioResult] }) },
    { ...part, counted },
    { ...part, counted, found: { title: text, suites: [suiteOf(part, tableOf([text], [[text]]))] } },
  ];
  return { certificate: certificate as unknown as Proof["certificate"], parts };
}

const PAGES = {
  "the report of explore": (text: string) => exploreReports.html([exploration(text)]),
  "a scenario that explore could not try": (text: string) =>
    exploreReports.html([{ ...exploration(text), verdict: "not-tried", reason: text }]),
  "the report of doubt": (text: string) =>
    doubtReports.html({
      ...DOUBTED,
      test: text,
      mutants: DOUBTED.mutants.map((one) => ({
        ...one,
        id: text,
        says: text,
        failed: [text],
        files: [text],
        message: text,
        replay: text,
      })),
    }),
  "the certificate": (text: string) => certificatePage(proof(text)),
};

test.each(Object.entries(PAGES))("a partner's texts are text in %s, and it runs no script", (_, pageOf) => {
  const usual = skeleton(pageOf("x"));
  fc.assert(
    fc.property(hostile, (text) => {
      expect(skeleton(pageOf(text))).toEqual(usual);
    }),
    { numRuns: 300 },
  );
  expect(pageOf("x")).toContain("default-src 'none'");
  expect(usual.join("")).not.toMatch(/<script|\son\w+=|javascript:/i);
});
