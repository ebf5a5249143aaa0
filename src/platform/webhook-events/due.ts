import type { Delivery } from "./delivery.ts";
import type { Instant } from "../../engine/instant.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { addDuration } from "../../engine/instant.ts";
import { appliedOf } from "../faults/selection.ts";
import { deliveries } from "./delivery.ts";
import { assertDefined } from "../../engine/assertion.ts";
import { saoPaulo } from "../../countries/brazil/calendar.ts";
import { timerKind } from "../../engine/timers.ts";

/** How long the fault `interleave-retry` holds a retry back for newer state, at most. */
const INTERLEAVE_MAX = "P1D";

/** Makes the delivery's next attempt due now. */
export function makeDue(tx: Transaction, delivery: Delivery): Delivery {
  tx.disarm(delivery.retryTimer);
  const trigger = delivery.duplicateOf === null ? "scheduled" : "injected";
  tx.effect({ kind: "attempt", id: delivery.id });
  return tx.put(deliveries, {
    ...delivery,
    pending: [...delivery.pending, trigger],
    nextAttemptAt: tx.now,
    retryTimer: null,
    waitsFor: null,
  });
}

/** Makes the delivery's next attempt due at an instant. */
export function makeDueAt(tx: Transaction, delivery: Delivery, at: Instant): Delivery {
  const retryTimer = tx.arm(retryDelivery, at, { deliveryId: delivery.id });
  return tx.put(deliveries, { ...delivery, nextAttemptAt: at, retryTimer });
}

export const retryDelivery = timerKind<{ deliveryId: string }>("webhook.retry", (tx, { deliveryId }) => {
  const delivery = assertDefined(tx.get(deliveries, deliveryId), `the delivery ${deliveryId}`);
  if (mustWaitForNewerState(tx, delivery)) {
    const latest = addDuration(tx.now, INTERLEAVE_MAX, saoPaulo);
    makeDueAt(tx, { ...delivery, waitsFor: "newer-state" }, latest);
  } else {
    makeDue(tx, delivery);
  }
});

/** Lets go of what was held back until this event had gone first; called as an attempt of it has ended. */
export function releaseHeld(tx: Transaction, gone: Delivery): void {
  if (gone.duplicateOf !== null) return;
  for (const held of tx.find(deliveries, "held", gone.companyId)) {
    const isFree = held.waitsFor === "next-event" ? held.createdAt < gone.createdAt : overtakes(gone, held);
    if (isFree) makeDue(tx, held);
  }
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
