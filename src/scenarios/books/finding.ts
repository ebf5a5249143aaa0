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
