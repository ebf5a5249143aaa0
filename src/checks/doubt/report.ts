import type { Doubted, DoubtReport } from "./mutants.ts";
import type { Case, Report } from "../../reports/report.ts";
import {
  confirmationText,
  failedText,
  isFinding,
  ownLimitText,
  reachedText,
  remarksOn,
  unnoticedText,
} from "./words.ts";
import { jsonText, reportFormats } from "../../reports/formats.ts";

const SECTIONS = { doubts: "Breaks you if it is not so", sabotage: "You would not notice" } as const;

/** Reports the mutants that break the tests, then the unnoticed mutants. Each mutant is a case. */
export function mutantsReport(report: DoubtReport): Report {
  const { test, mutants, verdict } = report;
  const found = mutants.filter(isFinding);
  const isClean = found.length === 0 && verdict !== "undecided";
  const families = ["doubts", "sabotage"] as const;
  const ordered = families.flatMap((family) => mutants.filter((one) => one.family === family));
  return {
    title: "sandbank doubt",
    head: [`sandbank doubt · ${test} · ${reachedText(report)} · ${timeText(report.seconds)}`],
    suites: [{ name: test, cases: [...ordered.map(caseOf), ...undecidedCase(report)] }],
    end: [...(isClean ? ["Nothing broke, and nothing went unnoticed.", ""] : []), ...remarksOn(report)],
  };
}

/** Returns the case of runs that decided nothing. The last lines say the same to a person. */
function undecidedCase(report: DoubtReport): Case[] {
  if (report.verdict !== "undecided") return [];
  const summary = report.stopped ?? remarksOn(report).join(" ");
  return [{ name: "runs", verdict: "undecided", type: "undecided", summary, isMinor: true }];
}

function caseOf(one: Doubted): Case {
  const { id, says, behaviour, family, verdict, output, replay, seconds, known } = one;
  const named = {
    name: says,
    className: family,
    label: known === true ? "known" : verdict,
    ...(seconds !== null && { timeSeconds: seconds }),
  };
  if (!isFinding(one)) {
    const isSkipped = ["not-reached", "without-effect", "overruled"].includes(verdict);
    const why = isSkipped ? verdict : otherText(one);
    return {
      ...named,
      isMinor: true,
      verdict: isSkipped ? "skipped" : "passed",
      ...(isSkipped ? { summary: why } : { remark: why }),
    };
  }
  const changed = behaviour === undefined ? [] : [behaviour];
  const reasons = family === "doubts" ? [...changed, failedText(one), ...reasonOf(one)] : [unnoticedText(id)];
  const shown = {
    ...named,
    section: SECTIONS[family],
    remark: ` ${remarkOn(one)}`,
    reasons,
    evidence: [{ lines: [`try it: ${replay}`] }],
  };
  if (known === true) return { ...shown, verdict: "skipped", summary: "known", isAccepted: true };
  const message =
    family === "doubts" ? `${failedText(one)} (${confirmationText(one.confirmed)})` : unnoticedText(id);
  const last = output === "" ? [] : [{ lines: output.split("\n"), isFor: "ci" as const }];
  return {
    ...shown,
    verdict: "failed",
    type: verdict,
    summary: message,
    evidence: [...last, ...shown.evidence],
  };
}

/** Returns the failed tests of a mutant that is not a finding. */
function otherText(one: Doubted): string {
  return ["noticed", "timed-out"].includes(one.verdict) ? failedText(one) : "";
}

function remarkOn({ known, family, confirmed }: Doubted): string {
  if (known === true) return "known";
  return family === "doubts" ? confirmationText(confirmed) : "all tests pass";
}

/** Returns the line with the reason of the failure, or else the last lines. */
function reasonOf(one: Doubted): readonly string[] {
  const { message, output } = one;
  const limit = ownLimitText(one);
  return [
    ...(message === null ? output.split("\n").slice(-5) : [message]),
    ...(limit === undefined ? [] : [limit]),
  ];
}

/** `3 min 12 s` */
function timeText(seconds: number): string {
  const whole = Math.round(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

/** The formats of the report. */
export const doubtReports = reportFormats(mutantsReport, jsonText);
