import type { Bench } from "./bench.ts";

/**
 * pass and fail as usual; warn: works, and will hurt one day; inconclusive: it was tried, and nothing outside the
 * receiver could tell; skipped: it was not tried.
 */
export type CheckVerdict = "pass" | "fail" | "warn" | "inconclusive" | "skipped";

/** must: security and money; should: what keeps an integration well; info: good to know. */
export type CheckLevel = "must" | "should" | "info";

/** What a check found out. */
export interface Finding {
  readonly verdict: CheckVerdict;
  /** The probable cause, or why nothing was found out; a sentence. */
  readonly cause?: string;
  /** What to change; a sentence. */
  readonly mend?: string;
  /** What was sent and what came back, for whom wants to see it with their own eyes. */
  readonly evidence?: readonly Evidence[];
  /** No answer came in time. */
  readonly isLate?: true;
  /** It was not made because requests or time were used up: nothing is known, and somebody should know. */
  readonly isUnmade?: true;
}

/** One request and its answer, where it was not the one that was wanted. */
export interface Evidence {
  readonly sent: string;
  readonly expected: string;
  readonly answered: string;
  /** A command line that sends the same again; left out for what no command line can send. */
  readonly curl?: string;
}

/** One thing a receiver has to do well. The ids are those of the catalogue: B1, S1, I2… */
export interface Check {
  readonly id: string;
  readonly title: string;
  readonly level: CheckLevel;
  readonly run: (bench: Bench) => Promise<Finding>;
}

export const PASS: Finding = { verdict: "pass" };

export function skipped(cause: string): Finding {
  return { verdict: "skipped", cause };
}

export function inconclusive(cause: string, mend?: string): Finding {
  return { verdict: "inconclusive", cause, ...(mend !== undefined && { mend }) };
}
