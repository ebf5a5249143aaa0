import type { Records } from "../engine/store.ts";
import type { Transaction } from "../engine/transaction.ts";
import { type AssumptionValues, assume, assumedValues } from "./assumptions/assumptions.ts";
import { type StoredRecord, collection } from "../engine/collection.ts";

/** The settings that can change in an existing world. */
export interface ChangeableSettings {
  readonly assumptions: AssumptionValues;
  /** Receives every webhook; null sends each to the URL of its company or object. */
  readonly webhookUrl: string | null;
}

/** The URL of every webhook of a world, if the world has one. */
export const webhookOverrides = collection<StoredRecord & Pick<ChangeableSettings, "webhookUrl">>(
  "world-settings",
  {},
);

/** That the ids of a world come from another seed since an entry of its journal: it is a fork. */
interface SeedChange extends StoredRecord {
  readonly since: number;
}

const seedChanges = collection<SeedChange>("seed-changes", {});

/** Notes that the next draws of this world come from another seed than those before. */
export function noteSeedChange(tx: Transaction): void {
  tx.put(seedChanges, { id: "world", since: tx.entry });
}

/**
 * Returns the first journal entry whose ids come from another seed than those before. Undefined if the seed never
 * changed.
 */
export function seedChangedAt(records: Records): number | undefined {
  return records.get(seedChanges, "world")?.since;
}

/** Sends every webhook of this world to one URL; null sends each to the URL of its company or object. */
export function overrideWebhookUrl(tx: Transaction, webhookUrl: string | null): void {
  tx.put(webhookOverrides, { id: "world", webhookUrl });
}

/** Adds assumptions to those of this world, and replaces its webhook URL. */
export function changeSettings(
  tx: Transaction,
  { assumptions, webhookUrl }: Partial<ChangeableSettings>,
): void {
  if (assumptions !== undefined) assume(tx, { ...assumedValues(tx), ...assumptions });
  if (webhookUrl !== undefined) overrideWebhookUrl(tx, webhookUrl);
}

export function settingsOf(tx: Pick<Records, "get">): ChangeableSettings {
  return { assumptions: assumedValues(tx), webhookUrl: webhookOverride(tx) };
}

/** Returns the URL that receives every webhook of this world. Null if the world has no such URL. */
export function webhookOverride(tx: Pick<Records, "get">): string | null {
  return tx.get(webhookOverrides, "world")?.webhookUrl ?? null;
}
