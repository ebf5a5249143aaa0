import type { Cause } from "../../reports/cause.ts";

/** The first difference between the books of a partner and the ledger. */
export interface BooksFinding {
  /** `$books.paidOut`, or `$books.rows.payouts`. */
  readonly path: string;
  /** The partner's value, as it was found. */
  readonly yours: unknown;
  readonly ledger: unknown;
  /** The last journal entry of agreement. Null if they never agreed. */
  readonly agreedUntil: { readonly entry: number; readonly at: string } | null;
  /** The journal entry of the first difference, with a sentence. Null if the entry is unknown. */
  readonly entry: { readonly number: number; readonly at: string; readonly sentence: string } | null;
  /** Rows without a counterpart, and rows that differ, as sentences. */
  readonly rows: readonly string[];
  /** The whole finding for a person. */
  readonly lines: readonly string[];
}

/** Returns the cause of a difference between the books and the ledger. It names the first entry that differs, if it is known. */
export function causeOfBooks(findings: readonly BooksFinding[]): Cause<"books-differ"> {
  const entry = findings[0]?.entry ?? null;
  return {
    code: "books-differ",
    text:
      entry === null
        ? "Compare what each event books with the ledger: GET /sandbox/books?history=true."
        : `Your system and the ledger book different amounts at entry ${entry.number}.`,
    evidence: findings.flatMap(({ rows }) => rows),
  };
}
