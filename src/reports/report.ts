import type { ComponentChildren } from "preact";

/** The verdict on a case. A tool's own word for it, such as `diverges`, is the label. */
export type Verdict = "passed" | "failed" | "undecided" | "skipped";

/** The findings of a tool, for every format but its JSON. */
export interface Report {
  /** The command, such as `sandbank explore`. */
  readonly title: string;
  /** The first lines for a person. */
  readonly head?: readonly string[];
  readonly suites: readonly Suite[];
  /** Text about the whole run, such as its coverage. */
  readonly output?: string;
  /** The last lines for a person, such as the command that repeats the run. */
  readonly end?: readonly string[];
}

export interface Suite {
  readonly name: string;
  /** The line above its cases. Without it a person sees the cases alone. */
  readonly heading?: string;
  /** The verdict over its cases, if it is shown at the heading. */
  readonly verdict?: Verdict;
  readonly label?: string;
  /** A few words after the heading, such as its file. */
  readonly remark?: string;
  /** The lines below the heading. */
  readonly intro?: readonly string[];
  readonly evidence?: readonly Evidence[];
  readonly cases: readonly Case[];
  /** The lines after its cases. */
  readonly end?: readonly string[];
}

/** A place in a file. Lines and columns count from 1. */
export interface Place {
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
}

/** One thing that a tool judged. */
export interface Case {
  readonly name: string;
  /** A short name, such as `I2`, if the case has one. */
  readonly id?: string;
  readonly verdict: Verdict;
  readonly label?: string;
  /** The name for a person, if it differs. */
  readonly title?: string;
  /** A few words after the title. */
  readonly remark?: string;
  /** The heading of its group inside the suite. */
  readonly section?: string;
  /** Its anchor on a page. */
  readonly anchor?: string;
  readonly className?: string;
  readonly place?: Place;
  readonly timeSeconds?: number;
  /** The kind of its problem, such as `expectation`. */
  readonly type?: string;
  /** The problem in one line. A passed case with a summary is advice. */
  readonly summary?: string;
  /** The reasons, and the fixes. */
  readonly reasons?: readonly string[];
  readonly evidence?: readonly Evidence[];
  /** Suspicious findings that decide nothing. */
  readonly warnings?: readonly string[];
  /** The cause. Cases with the same cause are shown once, with the names of the others. */
  readonly cause?: string;
  /** True for an accepted, known or pending finding. The report lists it, and it does not fail. */
  readonly isAccepted?: true;
  /** True if only complete lists show it. */
  readonly isMinor?: true;
}

/** Proof of a verdict: lines of text, or a drawing of them on a page. */
export interface Evidence {
  readonly title?: string;
  readonly lines: readonly string[];
  /** Its only readers: a person at a terminal, or a CI server. A page shows everything. */
  readonly isFor?: "people" | "ci";
  /** Draws it. The prefix makes anchors unique on a page with several reports. Columns are named in the page's language. */
  readonly draw?: (prefix: string, words: DrawnWords) => ComponentChildren;
}

/** The words of the page that a drawing may use. */
interface DrawnWords {
  readonly language: string;
  readonly column: (column: string) => string;
}

/** The marks of verdicts in texts. */
const MARKS: Readonly<Record<Verdict, string>> = { passed: "✓", failed: "✗", undecided: "?", skipped: "-" };

/** Returns the mark of a case. Advice has the mark `!`. */
export function markOf({ verdict, summary }: Pick<Case, "verdict" | "summary">): string {
  return verdict === "passed" && summary !== undefined ? "!" : MARKS[verdict];
}

/** Returns true for a case that a tool could not pass. */
export function isProblem({ verdict }: Case): boolean {
  return verdict === "failed" || verdict === "undecided";
}

/** Returns the problem of a case as text, without its summary. */
export function problemText(one: Case): string {
  const { name, title = name, remark = "", summary = "", reasons = [], evidence = [] } = one;
  const proof = evidence.flatMap(({ title, lines, isFor }) =>
    isFor === "people" ? [] : [...(title === undefined ? [] : [title]), ...lines],
  );
  const all = [...(title === name ? [] : [`${title} ${remark}`.trimEnd()]), ...reasons, ...proof];
  return (all.length === 0 ? [summary] : all).join("\n");
}

/** Returns the advice and the warnings of a case as text. Undefined for a case without them. */
export function warningText(one: Case): string | undefined {
  const { verdict, label, summary, warnings } = one;
  const isAdvice = verdict === "passed" && summary !== undefined;
  const advice = isAdvice ? [`${label ?? "advice"}: ${problemText(one)}`] : [];
  const all = [...advice, ...(warnings ?? [])];
  return all.length === 0 ? undefined : all.join("\n");
}

/** Returns `1 failed, 3 passed`. */
export function countsText(cases: readonly Case[]): string {
  const counts = Map.groupBy(cases, ({ verdict }) => verdict);
  return VERDICTS.flatMap((verdict) => {
    const count = counts.get(verdict)?.length ?? 0;
    return count === 0 ? [] : `${count} ${WORDS[verdict]}`;
  }).join(", ");
}

const VERDICTS: readonly Verdict[] = ["failed", "undecided", "passed", "skipped"];
export const WORDS: Readonly<Record<Verdict, string>> = {
  passed: "passed",
  failed: "failed",
  undecided: "not decided",
  skipped: "skipped",
};

/** The cases that one cause explains. */
export interface CauseGroup {
  readonly first: Case;
  /** The others, each line once. */
  readonly others: readonly Case[];
}

/** Groups cases by their cause, in the order of their first cases. A case without a cause is a group alone. */
export function byCause(cases: readonly Case[]): CauseGroup[] {
  const groups = Map.groupBy(cases, (one) => (one.cause === undefined ? one : `${one.verdict} ${one.cause}`));
  const lineOf = ({ name, title = name, remark = "" }: Case): string => `${title} ${remark}`;
  return Array.from(groups.values()).flatMap(([first, ...others]) => {
    if (first === undefined) return [];
    const distinct = new Map(others.map((one) => [lineOf(one), one]));
    distinct.delete(lineOf(first));
    return { first, others: [...distinct.values()] };
  });
}

/** Returns a number of events in words, such as `once` or `5 times`. */
export function times(count: number): string {
  return count === 1 ? "once" : `${count} times`;
}

/** Returns a number with its noun, such as `1 call` or `2 entries`. */
export function plural(count: number, one: string, several = `${one}s`): string {
  return `${count} ${count === 1 ? one : several}`;
}
