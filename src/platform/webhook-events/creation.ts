import type { Delivery } from "./delivery.ts";
import type { StoredRecord } from "../../engine/collection.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { collection } from "../../engine/collection.ts";
import { deliveries } from "./delivery.ts";

/** When the last event was created, in microseconds. */
interface EventClock extends StoredRecord {
  readonly last: number;
}

const eventClock = collection<EventClock>("event-clock", {});

/** What a delivery is made from; everything else begins as it does for all. */
type DeliverySeed = Pick<Delivery, "companyId" | "event" | "objectId" | "url" | "body"> &
  Partial<Pick<Delivery, "operation" | "duplicateOf" | "faults" | "status">>;

/**
 * Puts a delivery of which nothing is due yet. Copies draw their ids from a chance of their own, so that a fault
 * changes the ids of no events.
 */
export function createDelivery(tx: Transaction, seed: DeliverySeed): Delivery {
  const duplicateOf = seed.duplicateOf ?? null;
  const chance = tx.chance(duplicateOf === null ? "webhook-deliveries" : "webhook-copies");
  return tx.put(deliveries, {
    id: chance.uuid(),
    status: "scheduled",
    createdAt: nextCreationTime(tx),
    updatedAt: tx.now,
    attempts: [],
    nextAttemptAt: null,
    retryTimer: null,
    pending: [],
    announcedBy: tx.entry,
    operation: null,
    faults: [],
    waitsFor: null,
    ...seed,
    duplicateOf,
  });
}

/** `max(now, the last + 1 microsecond)`: no two events of a world share a creation time. */
function nextCreationTime(tx: Transaction): number {
  const before = tx.get(eventClock, "events")?.last ?? 0;
  const last = Math.max(tx.now * 1000, before + 1);
  tx.put(eventClock, { id: "events", last });
  return last;
}
