import type { Transaction } from "../../engine/transaction.ts";
import { applyFaults } from "./selection.ts";
import { slots } from "./effect.ts";

/** Whether a fault keeps money from settling (fault: never-settles). */
export function neverSettles(
  tx: Transaction,
  { objectIds, collection }: { readonly objectIds: readonly string[]; readonly collection: string },
): boolean {
  const applied = applyFaults(tx, {
    slots: slots.settlement,
    operation: null,
    objectId: objectIds[0] ?? null,
    collection,
    isAbout: (id) => objectIds.includes(id),
  });
  return applied.length > 0;
}
