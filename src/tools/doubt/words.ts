import type { Doubted } from "./report-data.ts";

type Named = Pick<Doubted, "id" | "value" | "instead">;

/** What a sabotage does, by the end of its id, and what nobody would notice. */
const SABOTAGE: Readonly<
  Record<string, readonly [title: (of: string) => string, unnoticed: (of: string) => string]>
> = {
  never: [
    (of) => `${of} never comes`,
    (of) => `No test depends on it: nothing would tell you that ${of} does not come any more.`,
  ],
  "other-amount": [
    (of) => `${of} has another amount`,
    (of) => `No test compares it: nothing would tell you that ${of} is about other money.`,
  ],
  failure: [
    (of) => `${of} says failure where there was success`,
    (of) => `No test reads its status: a failure that ${of} reports would count as a success.`,
  ],
  fails: [
    (of) => `${of} always fails with 500`,
    (of) => `No test depends on its answer: nothing would tell you that ${of} fails.`,
  ],
};

/** Sabotage that is about no event and no operation. */
const OTHERS: Readonly<Record<string, readonly [title: string, unnoticed: string]>> = {
  "signatures.wrong": ["every signature is wrong", "No test fails: anybody could send you webhooks."],
  "settlement.never": [
    "nothing that was paid ever settles",
    "No test depends on it: nothing would tell you that money does not arrive.",
  ],
  "clock.next-day-never": [
    "the next day never comes",
    "No test depends on it: nothing of yours that is due on another day is tested.",
  ],
};

/** `charge.resend-delay = PT90M instead of PT30M`, or what a sabotage does. */
export function titleOf({ id, value, instead }: Named): string {
  if (value !== null) return `${id} = ${value} instead of ${instead}`;
  const [kind, ...words] = id.split(".");
  const [title] = SABOTAGE[words.at(-1) ?? ""] ?? [];
  if (OTHERS[id] !== undefined || title === undefined) return OTHERS[id]?.[0] ?? id;
  const of = words.slice(0, -1).join(".");
  return kind === "operation" && words.at(-1) === "other-amount" ? `the answer of ${title(of)}` : title(of);
}

/** What it means that no test noticed a sabotage. */
export function unnoticedText(id: string): string {
  const words = id.split(".").slice(1);
  return OTHERS[id]?.[1] ?? SABOTAGE[words.at(-1) ?? ""]?.[1](words.slice(0, -1).join(".")) ?? "";
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
