import type { Transaction } from "../../engine/transaction.ts";
import type { Records } from "../../engine/store.ts";
import type { Instant } from "../../engine/instant.ts";
import { appliedIn, appliedOf } from "../faults/selection.ts";
import { type StoredRecord, collection } from "../../engine/collection.ts";
import { type Delivery, deliveries, hasArrived } from "./delivery.ts";
import { later } from "../later.ts";
import { deliveryStates } from "./states.ts";

const RETRY = "webhook.retry";

/** The creation time of the last event, in microseconds. */
interface EventClock extends StoredRecord {
  readonly last: number;
}

const eventClock = collection<EventClock>("event-clock", {});

/** The given fields of a delivery. The other fields begin with the same values for all deliveries. */
type DeliverySeed = Pick<Delivery, "companyId" | "event" | "collection" | "objectId" | "url" | "body"> &
  Partial<Pick<Delivery, "operation" | "duplicateOf" | "faults">>;

/** Stores a delivery without a due attempt. Copies draw their ids from a separate stream. */
export function createDelivery(tx: Transaction, seed: DeliverySeed): Delivery {
  const duplicateOf = seed.duplicateOf ?? null;
  const chance = tx.chance(duplicateOf === null ? "webhook-deliveries" : "webhook-copies");
  return deliveryStates.create(tx, {
    id: chance.uuid(),
    status: "scheduled",
    createdAt: nextCreationTime(tx),
    updatedAt: tx.now,
    attempts: [],
    nextAttemptAt: null,
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
  // After the year 2255 not every microsecond is a number of its own.
  let step = 1;
  while (before + step === before) step *= 2;
  const last = Math.max(tx.now * 1000, before + step);
  tx.put(eventClock, { id: "events", last });
  return last;
}

/** The longest wait of a retry for newer state, with the fault `interleave-retry`. */
const INTERLEAVE_MAX = "P1D";

/** Makes the delivery's next attempt due now. */
export function makeDue(tx: Transaction, delivery: Delivery): Delivery {
  tx.disarm(RETRY, delivery.id);
  const trigger = delivery.duplicateOf === null ? "scheduled" : "injected";
  tx.task(delivery.id);
  return tx.put(deliveries, {
    ...delivery,
    pending: delivery.pending.concat(trigger),
    nextAttemptAt: tx.now,
    waitsFor: null,
  });
}

/** Makes the delivery's next attempt due at an instant. */
export function makeDueAt(tx: Transaction, delivery: Delivery, at: Instant): Delivery {
  tx.arm({ kind: RETRY, owner: delivery.id, due: at });
  return tx.put(deliveries, { ...delivery, nextAttemptAt: at });
}

/** The next attempt is due, unless a fault makes it wait for newer state. */
export function retryDelivery(tx: Transaction, delivery: Delivery): void {
  if (mustWaitForNewerState(tx, delivery)) {
    const latest = later(tx.now, INTERLEAVE_MAX);
    makeDueAt(tx, { ...delivery, waitsFor: "newer-state" }, latest);
  } else {
    makeDue(tx, delivery);
  }
}

/** Makes due what waited until this event had gone first; called when an attempt of it has ended. */
export function releaseHeld(tx: Transaction, gone: Delivery): void {
  if (gone.duplicateOf !== null) return;
  for (const held of tx.find(deliveries, "held", gone.companyId))
    if (isFreedBy(tx, gone, held)) makeDue(tx, held);
}

function isFreedBy(tx: Transaction, gone: Delivery, held: Delivery): boolean {
  switch (held.waitsFor) {
    case "next-event":
      return held.createdAt < gone.createdAt;
    case "newer-state":
      return overtakes(gone, held);
    case "later-events":
      return missingEvents(tx, held) <= 0;
    // It leaves together with an event about the same object, or when the fault is removed.
    case "same-object":
    case null:
      return false;
  }
}

/** Counts the later events that must still arrive before a held event leaves (fault: late). */
export function missingEvents(tx: Pick<Records, "find">, held: Delivery): number {
  return Number(appliedIn(held.faults, "start")?.fields["events"]) - arrivedAfter(tx, held);
}

/** Counts the later events of the company that have arrived. */
function arrivedAfter(tx: Pick<Records, "find">, { companyId, createdAt }: Delivery): number {
  return tx
    .find(deliveries, "company", companyId)
    .filter((other) => other.duplicateOf === null && other.createdAt > createdAt)
    .filter(({ attempts }) => attempts.some(hasArrived)).length;
}

/** The retry of an interleaved delivery comes only after newer state, once. */
function mustWaitForNewerState(tx: Transaction, delivery: Delivery): boolean {
  const { faults, attempts, waitsFor, objectId } = delivery;
  if (waitsFor !== null || attempts.length !== 1) return false;
  if (appliedOf(faults, "interleave-retry") === undefined) return false;
  return !tx.find(deliveries, "object", objectId).some((other) => overtakes(other, delivery));
}

/** Whether a newer event about the same object has been acknowledged before this one. */
function overtakes(other: Delivery, delivery: Delivery): boolean {
  return (
    other.objectId === delivery.objectId &&
    other.duplicateOf === null &&
    other.status === "delivered" &&
    other.createdAt > delivery.createdAt
  );
}
