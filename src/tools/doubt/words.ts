import type { Doubted } from "./report-data.ts";

/** What it means that no test notices a sabotage, by the end of its id. */
const UNNOTICED: Readonly<Record<string, (of: string) => string>> = {
  never: (of) => `No test depends on it: nothing would tell you that ${of} does not come any more.`,
  "other-amount": (of) =>
    `No test compares the amount: nothing would tell you that ${of} is about other money.`,
  failure: (of) => `No test reads what it says: a failure in ${of} would count as a success.`,
  fails: (of) => `No test depends on its answer: nothing would tell you that ${of} fails.`,
};

const OTHERS: Readonly<Record<string, string>> = {
  "signatures.wrong": "No test fails: anybody could send you webhooks.",
  "settlement.never": "No test depends on it: nothing would tell you that money does not arrive.",
  "clock.next-day-never": "No test depends on it: nothing that is due on another day is tested.",
};

/** What it means that no test noticed a sabotage. */
export function unnoticedText(id: string): string {
  const words = id.split(".");
  return OTHERS[id] ?? UNNOTICED[words.at(-1) ?? ""]?.(words.slice(1, -1).join(".")) ?? "";
}

const CONFIRMATIONS = {
  confirmed: "traffic has confirmed what is assumed",
  contradicted: "traffic has contradicted what is assumed",
  "not-seen": "no traffic has shown it",
} as const;

/** What is known about the assumption. */
export function confirmationText(confirmed: Doubted["confirmed"]): string {
  return CONFIRMATIONS[confirmed ?? "not-seen"];
}

/** `1 test failed: "a resent charge is booked once" (test/charges.test.ts)` */
export function failedText({
  verdict,
  failed,
  files,
}: Pick<Doubted, "verdict" | "failed" | "files">): string {
  if (verdict === "timed-out") return "the tests took too long";
  if (failed.length === 0) return "the tests failed";
  const shown = failed.slice(0, 3).map((name) => `"${name}"`);
  const more = failed.length > shown.length ? ` and ${failed.length - shown.length} more` : "";
  const place = files.length === 0 ? "" : ` (${files.slice(0, 3).join(", ")})`;
  const count = failed.length === 1 ? "1 test failed" : `${failed.length} tests failed`;
  return `${count}: ${shown.join(", ")}${more}${place}`;
}
