import type { Case, Report, Suite, Verdict } from "./report.ts";

/** The verdict of a command over its whole report. The reasons say why a report is undecided. */
export interface Conclusion {
  readonly verdict: "passed" | "failed" | "undecided";
  readonly reasons: readonly string[];
}

/** The exit code of a command, by its verdict. The command line ends with 2 as well if a command could not run. */
export const EXIT_CODES: Readonly<Record<Conclusion["verdict"], number>> = {
  passed: 0,
  failed: 1,
  undecided: 2,
};

/** The one list of exit codes, for help texts. */
export const EXIT_CODES_TEXT =
  "Exit codes: 0 passed, 1 failed, 2 not decided: wrong usage, a wrong file, nothing to judge, or an undecided verdict.";

/**
 * Returns the verdict over a report, in this order:
 *
 * 1. failed, if a suite failed;
 * 2. undecided, if a suite is undecided, or if no suite passed;
 * 3. passed.
 */
export function conclusionOf({ suites }: Pick<Report, "suites">): Conclusion {
  const judged = suites.map((suite) => ({ suite, verdict: verdictOf(suite) }));
  const having = (verdict: Verdict): Suite[] =>
    judged.flatMap((one) => (one.verdict === verdict ? [one.suite] : []));
  if (having("failed").length > 0) return { verdict: "failed", reasons: [] };
  const undecided = having("undecided").flatMap(({ cases }) => reasonsOf(cases, "undecided", " not decided"));
  if (having("undecided").length > 0) return { verdict: "undecided", reasons: undecided };
  if (having("passed").length > 0) return { verdict: "passed", reasons: [] };
  const skipped = suites.flatMap(({ cases }) => reasonsOf(cases, "skipped", " skipped"));
  return { verdict: "undecided", reasons: ["Nothing was judged.", ...skipped] };
}

/** Returns the verdict of a suite, which follows from its cases if the suite does not name it. */
function verdictOf({ verdict, cases }: Suite): Verdict {
  const judged = new Set(cases.map(({ verdict, isAccepted }) => (isAccepted === true ? "passed" : verdict)));
  const order: readonly Verdict[] = ["failed", "undecided", "passed"];
  return verdict ?? order.find((one) => judged.has(one)) ?? "skipped";
}

/** The number of names in a reason. The report has all of them. */
const NAMES_SHOWN = 5;

/** Returns the reasons of cases, each once, after the names of their cases. */
function reasonsOf(cases: readonly Case[], verdict: Verdict, word: string): string[] {
  const found = cases.filter((one) => one.verdict === verdict);
  const bySummary = Map.groupBy(found, ({ summary = verdict }) => summary);
  return Array.from(bySummary, ([summary, same]) => {
    const names = same.map(({ name, id = name }) => id);
    const more = names.length > NAMES_SHOWN ? ` and ${names.length - NAMES_SHOWN} more` : "";
    return `${names.slice(0, NAMES_SHOWN).join(", ")}${more}${word}: ${summary}`;
  });
}
