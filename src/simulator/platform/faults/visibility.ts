import type { Store } from "../../engine/store.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { type Instant, type IsoDuration } from "../../engine/instant.ts";
import { type StoredRecord, collection } from "../../engine/collection.ts";
import { later } from "../later.ts";

/** A command whose changes cannot be read yet, although its event was sent (fault: event-before-commit). */
interface HiddenEntry extends StoredRecord {
  /** The journal entry whose changes are hidden. */
  readonly entry: number;
  readonly until: Instant;
}

const hiddenEntries = collection<HiddenEntry>("hidden-entries", {});

/** Hides the changes of the current command from reads. */
export function delayReadVisibility(tx: Transaction, by: IsoDuration): void {
  for (const hidden of Array.from(tx.all(hiddenEntries)))
    if (hidden.until <= tx.now) tx.delete(hiddenEntries, hidden.id);
  tx.put(hiddenEntries, { id: String(tx.entry), entry: tx.entry, until: later(tx.now, by) });
}

/** The journal entries whose changes are hidden at an instant, oldest first. */
export function hiddenEntriesAt(records: Pick<Store, "all" | "count">, now: Instant): number[] {
  if (records.count(hiddenEntries) === 0) return [];
  return Array.from(records.all(hiddenEntries))
    .filter(({ until }) => now < until)
    .map(({ entry }) => entry);
}
