import type { Instant, IsoDuration } from "../../engine/instant.ts";
import type { Store } from "../../engine/store.ts";
import type { StoredRecord } from "../../engine/collection.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { addDuration } from "../../engine/instant.ts";
import { collection } from "../../engine/collection.ts";
import { saoPaulo } from "../../countries/brazil/calendar.ts";

/** What a command changed cannot be read yet, although its event is out (fault: event-before-commit). */
interface Veil extends StoredRecord {
  /** The journal entry whose changes are hidden. */
  readonly entry: number;
  readonly until: Instant;
}

const veils = collection<Veil>("veils", {});

/** Hides from readers what the present command changes. */
export function veilReads(tx: Transaction, by: IsoDuration): void {
  for (const veil of Array.from(tx.all(veils))) if (veil.until <= tx.now) tx.delete(veils, veil.id);
  tx.put(veils, { id: String(tx.entry), entry: tx.entry, until: addDuration(tx.now, by, saoPaulo) });
}

/** The journal entries whose changes are hidden at an instant, oldest first. */
export function veiledEntries(records: Pick<Store, "all" | "count">, now: Instant): number[] {
  if (records.count(veils) === 0) return [];
  return Array.from(records.all(veils))
    .filter(({ until }) => now < until)
    .map(({ entry }) => entry);
}
