import type { AppliedFault } from "../faults/fault.ts";
import type { Delivery } from "./delivery.ts";
import type { Instant } from "../../engine/instant.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { addDuration } from "../../engine/instant.ts";
import { createDelivery } from "./creation.ts";
import { makeDue, makeDueAt } from "./due.ts";
import { saoPaulo } from "../../countries/brazil/calendar.ts";

/** A delivery of its own with the bytes of another one, because a fault wants them sent again. */
export function createCopy(tx: Transaction, original: Delivery, fault: AppliedFault): Delivery {
  const { companyId, event, objectId, url, body, operation, id: duplicateOf } = original;
  return createDelivery(tx, {
    companyId,
    event,
    objectId,
    url,
    body,
    operation,
    duplicateOf,
    faults: [fault],
  });
}

/** Plans the copies that follow an acknowledgement. They count for nothing in the original's attempts. */
export function planCopies(tx: Transaction, acknowledged: Delivery): void {
  for (const fault of acknowledged.faults) {
    const due = dueTimes(tx.now, fault);
    for (const at of due) {
      const copy = createCopy(tx, acknowledged, fault);
      if (at === tx.now) makeDue(tx, copy);
      else makeDueAt(tx, copy, at);
    }
  }
}

function dueTimes(now: Instant, { effect, fields }: AppliedFault): Instant[] {
  const copies = Number(fields["copies"]);
  if (effect === "duplicate") {
    let at = now;
    return Array.from({ length: copies }, () => (at = addDuration(at, String(fields["gap"]), saoPaulo)));
  }
  if (effect !== "duplicate-late") return [];
  const at = addDuration(now, String(fields["after"]), saoPaulo);
  return Array.from({ length: copies }, () => at);
}
