import type { Doubted, DoubtReport } from "./mutants.ts";

/** The meaning of an unnoticed sabotage, by the end of its id. */
const UNNOTICED: Readonly<Record<string, (of: string) => string>> = {
  never: (of) => `No test depends on it: you would not notice if ${of} never comes again.`,
  "other-amount": (of) => `No test compares the amount: you would not notice another amount in ${of}.`,
  failure: (of) => `No test reads its status: a failure in ${of} would count as a success.`,
  fails: (of) => `No test depends on its answer: you would not notice if ${of} fails.`,
};

const OTHERS: Readonly<Record<string, string>> = {
  "signatures.wrong": "No test fails: anybody could send you webhooks.",
  "settlement.never": "No test depends on it: you would not notice if money never arrives.",
  "clock.next-day-never": "No test depends on it: events of later days are not tested.",
};

/** Says the meaning of an unnoticed sabotage. */
export function unnoticedText(id: string): string {
  const words = id.split(".");
  return OTHERS[id] ?? UNNOTICED[words.at(-1) ?? ""]?.(words.slice(1, -1).join(".")) ?? "";
}

/** Says if traffic has confirmed an assumption. */
export function confirmationText(confirmed: Doubted["confirmed"]): string {
  return confirmed === "confirmed" ? "traffic has confirmed the assumption" : "no traffic has shown it";
}

/** The words of test runners for a test that exceeded its own time limit. */
const OWN_LIMIT = /timed? ?out|exceeded timeout|took longer than|time limit/i;

/** Names the time limit of a test as the reason, if slow answers broke it. */
export function ownLimitText({ id, verdict, message, output }: Doubted): string | undefined {
  if (id !== "freedoms.slow-answers" || verdict !== "broke") return undefined;
  const line = [message ?? "", ...output.split("\n")].find((one) => OWN_LIMIT.test(one));
  if (line === undefined) return undefined;
  return `A time limit of the test itself ended it (${line.trim()}), because each answer takes two seconds. Raise the limit.`;
}

/** Returns `1 test failed: "a resent charge is booked once" (test/charges.test.ts)`. */
export function failedText({ verdict, failed, files }: Doubted): string {
  if (verdict === "timed-out") return "the tests took too long";
  if (failed.length === 0) return "the tests failed";
  const shown = failed.slice(0, 3).map((name) => `"${name}"`);
  const more = failed.length > shown.length ? ` and ${failed.length - shown.length} more` : "";
  const place = files.length === 0 ? "" : ` (${files.slice(0, 3).join(", ")})`;
  const count = failed.length === 1 ? "1 test failed" : `${failed.length} tests failed`;
  return `${count}: ${shown.join(", ")}${more}${place}`;
}

/** Returns true if a mutant is a finding, known or not. A doubt that takes too long is a finding too. */
export function isFinding({ verdict, family }: Pick<Doubted, "verdict" | "family">): boolean {
  return verdict === "broke" || verdict === "unnoticed" || (verdict === "timed-out" && family === "doubts");
}

/** Says how many mutants were reached. */
export function reachedText({ mutants, notRun, counts }: DoubtReport): string {
  const all = mutants.length + notRun.length;
  return `${all - counts["not-reached"]} ${all === 1 ? "mutant" : "mutants"} reached of ${all} · ${counts["without-effect"]} without effect`;
}

/** Returns the remarks on the whole report, in sentences. */
export function remarksOn({ mutants, notRun, isComparable, stopped, verdict }: DoubtReport): string[] {
  const overruled = mutants.filter(({ verdict }) => verdict === "overruled").map(({ id }) => id);
  return [
    ...(overruled.length === 0
      ? []
      : [`Not changed, because the tests set these assumptions: ${[...new Set(overruled)].join(", ")}.`]),
    ...(stopped === undefined ? [] : [`Stopped: ${stopped.split("\n")[0]}`]),
    ...(notRun.length === 0
      ? []
      : [
          `Not run, ${stopped === undefined ? "because of --budget or --time" : "because of the stop"}: ${notRun.length} mutants.`,
        ]),
    ...(verdict === "undecided" && stopped === undefined
      ? [
          mutants.every((one) => one.verdict === "not-reached")
            ? "Undecided: your tests reach no mutant. Let them call the sandbox."
            : "Undecided: no mutant was run.",
        ]
      : []),
    ...(isComparable
      ? []
      : [
          "Two runs without a mutant have different traffic, so mutants without effect cannot be recognised.",
        ]),
  ];
}
