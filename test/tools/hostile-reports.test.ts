import type { Certificate } from "../../src/tools/certification/certificate.ts";
import type { ExploreResult } from "../../src/tools/explore/exploration.ts";
import { certificatePage } from "../../src/tools/certification/certificate-page.ts";
import { DOUBTED } from "./doubt/doubted.ts";
import { doubtPage } from "../../src/tools/doubt/report-html.ts";
import { expect, test } from "vitest";
import { explorePage } from "../../src/tools/explore/report-html.ts";
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

function certificate(text: string): Certificate {
  const row = { name: text, status: text, id: text, title: text, level: text, verdict: text, cause: text };
  const used = { operation: text, calls: 1, statuses: [{ value: text, count: 1 }], error: text, event: text };
  const own = { ...row, ...used, description: text, scenario: text, sent: 1, handled: 1, count: 1 };
  const part = { verdict: "failed", summary: text, reasons: [text], of: text } as const;
  return {
    partner: text,
    date: text,
    capabilities: [text],
    language: "en",
    verdict: "failed",
    parts: [
      { ...part, name: "receiver", report: { checks: [own] } },
      { ...part, name: "scenarios", report: { scenarios: [own] } },
      { ...part, name: "contracts", report: { pacts: [{ interactions: [own] }] } },
      { ...part, name: "explore", report: { results: [own] } },
      { ...part, name: "client", report: { operations: [own], errors: [own], events: [own] } },
    ],
    missing: [text],
    versions: { sandbank: text },
    seed: 1,
    assumptions: { [text]: text },
    digest: text,
    repeat: [text],
  } as unknown as Certificate;
}

const PAGES = {
  "the report of explore": (text: string) => explorePage([exploration(text)]),
  "a scenario that explore could not try": (text: string) =>
    explorePage([{ ...exploration(text), verdict: "not-tried", reason: text }]),
  "the report of doubt": (text: string) =>
    doubtPage({
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
  "the certificate": (text: string) => certificatePage(certificate(text)),
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
