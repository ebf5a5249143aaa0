import { expect, test } from "vitest";
import {
  type Certificate,
  certificateOf,
  partOfReceiver,
  type ProvenPart,
} from "../../../src/checks/certification/certificate.ts";
import { booksPart, suiteOf, tableOf } from "../../../src/checks/certification/proven-part.ts";
import { capabilitiesFlag } from "../../../src/checks/certification/capabilities.ts";
import { certificatePage } from "../../../src/checks/certification/certificate-page.ts";
import type { Counted, PartVerdict } from "../../../src/checks/certification/counted.ts";
import { english } from "../../../src/checks/certification/english.ts";
import type { CheckResult } from "../../../src/checks/receiver/run-checks.ts";

const SUBJECT = "FINDING";

const check = (verdict: CheckResult["verdict"], index: number): CheckResult => ({
  id: `I${index}`,
  title: SUBJECT,
  level: "must",
  verdict,
  cause: SUBJECT,
  fix: SUBJECT,
});

function part(name: ProvenPart["name"], verdict: PartVerdict, counted: Counted): ProvenPart {
  const evidence = tableOf(["Operation", "Calls", "Answers"], [["createPayout", 1, "201"]]);
  const bare = { name, verdict, counted, summary: english.summary(counted), reasons: [SUBJECT] };
  return { ...bare, found: { title: name, suites: [suiteOf(bare, evidence)] } };
}

/** A report with each kind of part, each verdict and each kind of missing point. */
function pageIn(language: Certificate["language"], count: number): string {
  const verdicts = ["pass", "pass", "fail", "warn", "inconclusive", "skipped"] as const;
  const checked = { url: "http://127.0.0.1/", seed: 1, level: "must" as const, requests: 1 };
  const finding = { path: "$.sum", yours: "1.00", ledger: "2.00", lines: [SUBJECT] };
  const numbers: readonly [number, number] = [count, count + 1];
  const results = { passed: count, failed: 0, undecided: 0, all: count };
  const parts: ProvenPart[] = [
    { name: "receiver", ...partOfReceiver({ ...checked, checks: verdicts.map(check) }) },
    part("explore", "not-judged", { of: "schedules", tried: count, diverged: count }),
    part("scenarios", "passed", { of: "scenario", ...results }),
    part("scenarios", "failed", { of: "scenario", ...results, failed: count }),
    part("contracts", "passed", { of: "interaction", ...results, all: count + 1 }),
    part("contracts", "not-judged", { of: "interaction", ...results, undecided: count }),
    part("contracts", "not-judged", { of: "nothing" }),
    {
      ...part("doubt", "failed", { of: "mutants", run: count, broke: count, unnoticed: count }),
      missing: [
        { unnoticed: SUBJECT, means: SUBJECT },
        { operation: "createPayout" },
        { event: "ORDER-PAYOUT.PAID" },
        { refusal: "none" },
      ],
    },
    part("client", "passed", { of: "client", operations: numbers, refused: numbers, events: numbers }),
    booksPart([{ moments: count, findings: [finding as never] }])!,
  ];
  const capabilities = capabilitiesFlag.read(
    "accounts,charges,claims,orders,payouts,refunds,subscriptions,webhooks",
  )!;
  const subject = { partner: "Ana & Co", date: "2026-11-23", capabilities, language };
  const certificate = certificateOf({
    parts,
    seed: 1,
    use: undefined,
    repeat: ["sandbank certify"],
    subject,
  });
  return certificatePage({ certificate, parts });
}

const ENDLESS = new Set(["meta", "wbr", "br"]);

/** The texts of a page in its language: without findings in another language, and without commands. */
function textsIn(page: string, language: string): string[] {
  const [, body = ""] = page.split("<main>");
  const open: { readonly tag: string; readonly lang: string }[] = [{ tag: "main", lang: language }];
  const texts: string[] = [];
  for (const [, closing, tag = "", attributes = "", text = ""] of body.matchAll(
    /<(\/?)(\w+)([^>]*)>|([^<>]+)/g,
  )) {
    if (text.trim() !== "") {
      const isOwn = open.at(-1)?.lang === language && !open.some((one) => one.tag === "pre");
      if (isOwn) texts.push(text.trim());
    } else if (closing === "/") open.pop();
    else if (tag !== "" && !ENDLESS.has(tag) && !attributes.endsWith("/")) {
      const [, lang = open.at(-1)?.lang ?? ""] = /\slang="([^"]*)"/.exec(attributes) ?? [];
      open.push({ tag, lang });
      for (const [, title = ""] of attributes.matchAll(/(?:data-title|title|aria-label)="([^"]*)"/g))
        if (lang === language) texts.push(title);
    }
  }
  return texts;
}

/** Names and numbers, which are the same in each language. */
const DATA =
  /^(?:[\d.%:, -]+|\d{4}-\d\d-\d\d|[0-9a-f]{64}|v?\d+\.\d+\.\d+|sandbank|node|Ana &amp; Co|createPayout|\$\.sum|webhooks|: )$/;

test.each([1, 2])("no text of the Portuguese report is English, with %i of each", (count) => {
  const texts = textsIn(pageIn("pt-BR", count), "pt-BR");
  const ofEnglish = new Set(textsIn(pageIn("en", count), "en"));
  expect(texts.length).toBeGreaterThan(60);
  expect(texts.filter((text) => ofEnglish.has(text) && !DATA.test(text))).toEqual([]);
  expect(texts.filter((text) => text.includes(SUBJECT) && !text.startsWith("Os testes não"))).toEqual([]);
});

test("the Portuguese report uses the words of engineers in Brazil", () => {
  const page = pageIn("pt-BR", 2);
  for (const word of ["recorrências", "Conciliação", "Endpoint de webhooks", "chaves Pix", "assinatura HMAC"])
    expect(page).toContain(word);
  expect(page).not.toMatch(/PIX|Receptor|Livros contábeis/);
});
