import type { Collection, StoredRecord } from "../engine/collection.ts";
import type { Transaction } from "../engine/transaction.ts";
import { Refusal } from "../engine/refusal.ts";

/** Companies are no collection of `/sandbox/resources`; a world shows its own. */
const LISTS: Readonly<Record<string, string>> = { companies: "worlds" };

/** The object an act names, of whichever company; refused as not found, saying what was looked for. */
export function actObject<R extends StoredRecord, I extends string>(
  tx: Transaction,
  of: Collection<R, I>,
  id: string,
): R {
  const found = tx.get(of, id);
  if (found === undefined) {
    throw new Refusal(
      "NOT_FOUND",
      `There is no object "${id}" in ${of.name}. GET /sandbox/${LISTS[of.name] ?? `resources/${of.name}`} lists them.`,
    );
  }
  return found;
}
