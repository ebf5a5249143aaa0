import type { Certificate, CertifiedPart, ComparedBooks, ProvenPart } from "./certificate.ts";
import { type Case, type Evidence, type Report, type Suite, isProblem } from "../../reports/report.ts";
import { english } from "./english.ts";
import { timeSentence } from "../../base/spent-time.ts";
import { html } from "../../pages/html/preact.js";
import { Table } from "../../pages/html/components.js";

/** Returns the part about the books that explorations and scenarios compared. Undefined if they compared none. */
export function booksPart(compared: readonly ComparedBooks[]): ProvenPart | undefined {
  const moments = compared.reduce((sum, one) => sum + one.moments, 0);
  const findings = compared.flatMap((one) => one.findings);
  if (moments + findings.length === 0) return undefined;
  const counted = { of: "books", moments, differences: findings.length } as const;
  const part = {
    name: "books",
    verdict: findings.length > 0 ? "failed" : "passed",
    summary: english.summary(counted),
    counted,
    reasons: findings.map(({ lines }) => lines.map((line) => line.trim()).join(" ")),
    report: { findings },
  } as const;
  const rows = findings.map(({ path, yours, ledger }) => [path, yours, ledger]);
  const evidence = tableOf(["Where", "Your books", "The ledger"], rows);
  return { ...part, found: { title: "books", suites: [suiteOf(part, evidence)] } };
}

/** Returns a table as evidence. Empty for a table without rows. */
export function tableOf(columns: readonly string[], rows: readonly (readonly unknown[])[]): Evidence[] {
  if (rows.length === 0) return [];
  const cells = rows.map((row) => row.map((cell) => String(cell)));
  const lines = cells.map((row) => row.join("  "));
  return [
    {
      lines,
      draw: (_prefix, { language, column }) =>
        html`<div lang=${language}><${Table} columns=${columns.map(column)} rows=${cells} /></div>`,
    },
  ];
}

/** Returns the report of a part. Without a report of a command, it has the verdict alone. */
export function reportOf(part: ProvenPart): Report {
  return part.found ?? { title: part.name, suites: [suiteOf(part)] };
}

/** Reports a part as one case. */
export function suiteOf(part: CertifiedPart, evidence: readonly Evidence[] = []): Suite {
  const one = caseOf(part);
  return { name: one.name, cases: [one], evidence };
}

function caseOf({ name, of, verdict, summary, reasons }: CertifiedPart): Case {
  const named = { name: of === undefined ? name : `${name} ${of}`, label: verdict };
  if (verdict === "passed") return { ...named, verdict };
  return {
    ...named,
    verdict: verdict === "failed" ? "failed" : "undecided",
    type: verdict,
    summary: reasons[0] ?? summary,
    reasons: [summary, ...reasons],
  };
}

/** Reports each part as one case. */
export function partsReport(parts: readonly CertifiedPart[]): Pick<Report, "suites"> {
  return { suites: [{ name: "parts", cases: parts.map(caseOf) }] };
}

/** Reports a certificate in short: a line for each part, with its reasons. */
export function shortReport({ verdict, parts, missing, digest, time }: Certificate): Report {
  const cases = parts.map((part): Case => {
    const { summary: _, ...one } = caseOf(part);
    return { ...one, title: `${one.name}: ${part.summary}`, reasons: part.reasons };
  });
  const lacking =
    missing.length === 0
      ? []
      : ["Missing for a complete integration:", ...missing.map((one) => `  - ${one}`)];
  const spent = time === undefined ? [] : [timeSentence(time)];
  const end = [...lacking, ...spent, `${verdict.toUpperCase().replace("-", " ")}. Digest ${digest}`];
  return { title: "sandbank certify", suites: [{ name: "parts", cases }], end };
}

/** Joins the reports of all parts. */
export function wholeReport({ verdict, missing, time }: Certificate, parts: readonly ProvenPart[]): Report {
  const lines = [
    verdict,
    ...missing.map((one) => `missing: ${one}`),
    ...(time === undefined ? [] : [timeSentence(time)]),
  ];
  return { title: "sandbank certify", suites: parts.flatMap(suitesOf), output: lines.join("\n") };
}

/** Returns the suites of a part, with its verdict if they do not show it. */
function suitesOf(part: ProvenPart): readonly Suite[] {
  const { suites } = reportOf(part);
  const isShown = hasProblem(suites) || (part.verdict === "passed" && suites.length > 0);
  return isShown ? suites : [...suites, suiteOf(part)];
}

/** Returns true if a suite has a case that could not pass. */
export function hasProblem(suites: readonly Suite[]): boolean {
  return suites.some(({ cases }) => cases.some(isProblem));
}
