import type { StoredRecord } from "../engine/collection.ts";
import type { Transaction } from "../engine/transaction.ts";
import { collection } from "../engine/collection.ts";

/** What is set for a whole world as it is made, besides its assumptions. */
interface WorldSettings extends StoredRecord {
  readonly webhookUrl: string | null;
}

const worldSettings = collection<WorldSettings>("world-settings", {});

/** Sends every webhook of every company of this world to one URL; null lets each go its own way. */
export function overrideWebhookUrl(tx: Transaction, webhookUrl: string | null): void {
  tx.put(worldSettings, { id: "world", webhookUrl });
}

/** The one URL that every webhook of this world goes to, if there is one. */
export function webhookOverride(tx: Pick<Transaction, "get">): string | null {
  return tx.get(worldSettings, "world")?.webhookUrl ?? null;
}
