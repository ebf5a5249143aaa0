import type { Parting } from "./parting.ts";

/** Where the books of a partner and the ledger part. */
export interface BooksFinding {
  /** `$books.paidOut`, or `$books.rows.payouts`. */
  readonly path: string;
  /** The partner's value, as it was found. */
  readonly yours: unknown;
  readonly ledger: unknown;
  /** The journal entry up to which they agreed; null where they never did. */
  readonly agreedUntil: { readonly entry: number; readonly at: string } | null;
  /** The journal entry at which they parted, with a sentence; null where none is known. */
  readonly entry: Parting | null;
  /** Rows that have no partner on the other side, or differ; a sentence each. */
  readonly rows: readonly string[];
  /** The whole finding for a person. */
  readonly lines: readonly string[];
}
