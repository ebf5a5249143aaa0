import type { AppliedFault } from "../faults/fault.ts";
import type { Attempt, AttemptTrigger, Delivery } from "./delivery.ts";
import type { Injection } from "./injection.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { addDuration } from "../../engine/instant.ts";
import { appliedOf } from "../faults/selection.ts";
import { assumption } from "../assumptions/assumptions.ts";
import { companyOf } from "../companies/company.ts";
import { createCopy, planCopies } from "./copies.ts";
import { deliveries } from "./delivery.ts";
import { injectFaults } from "./injection.ts";
import { makeDueAt, releaseHeld } from "./due.ts";
import { rotateSecret, signingSecret } from "../companies/secret.ts";
import { saoPaulo } from "../../countries/brazil/calendar.ts";

/** What the shell needs to make one attempt: the bytes, the address, the secret of this moment, and its faults. */
export interface AttemptOrder {
  readonly deliveryId: string;
  readonly number: number;
  readonly trigger: AttemptTrigger;
  readonly sequence: number;
  readonly url: string;
  readonly body: string;
  readonly secret: string;
  readonly injection: Injection;
  /** Copies that are to arrive at the very same moment, each a delivery of its own. */
  readonly copies: readonly AttemptOrder[];
}

/** What came of an attempt, as far as a world remembers it. */
export type AttemptOutcome = Omit<Attempt, "number" | "trigger" | "sequence" | "injected">;

/** Opens the attempt that is due, with the secret that signs now; undefined where none is due any more. */
export function openAttempt(tx: Transaction, deliveryId: string): AttemptOrder | undefined {
  const delivery = tx.get(deliveries, deliveryId);
  const trigger = delivery?.pending[0];
  if (delivery === undefined || trigger === undefined) return undefined;
  const number = delivery.attempts.length + 1;
  const injection = injectFaults(tx, { delivery, number, trigger });
  const secret = injection.secret ?? signingSecret(tx, companyOf(tx, delivery.companyId));
  const { url, body } = delivery;
  const sequence = tx.count("attempts");
  const order = { deliveryId, number, trigger, sequence, url, body, secret, injection, copies: [] };
  return { ...order, copies: concurrentCopies(tx, delivery, order) };
}

/**
 * Takes in how an attempt ended. A 2xx delivers the event; a scheduled attempt that failed arms the next one,
 * until four more have failed (interface: Events, Delivery rule 2); one made by hand, or a copy that a fault
 * made, starts no chain.
 */
export function closeAttempt(tx: Transaction, order: AttemptOrder, outcome: AttemptOutcome): void {
  const delivery = tx.get(deliveries, order.deliveryId);
  if (delivery?.pending[0] !== order.trigger) return;
  const { number, trigger, sequence, injection } = order;
  const injected = injection.faults.map(({ effect }) => effect);
  const attempt: Attempt = { number, trigger, sequence, ...outcome, injected };
  const attempts = [...delivery.attempts, attempt];
  const tried: Delivery = { ...delivery, attempts, pending: delivery.pending.slice(1), updatedAt: tx.now };
  const how = attempt.error === null ? `answered ${attempt.status}` : `failed: ${attempt.error}`;
  tx.log({
    kind: "attempt",
    objectId: delivery.objectId,
    event: delivery.event,
    delivery: delivery.id,
    number,
    status: attempt.status,
    error: attempt.error,
    what: `attempt ${number} of ${delivery.event} ${how}`,
  });
  releaseHeld(tx, conclude(tx, tried, { order, isAcknowledged: attempt.error === null }));
  if (appliedOf(injection.faults, "rotate-mid-retry") !== undefined) {
    rotateSecret(tx, companyOf(tx, delivery.companyId));
  }
}

/** Makes an attempt by hand due now, whatever became of the delivery before. */
export function resend(tx: Transaction, delivery: Delivery): Delivery {
  const pending: Delivery["pending"] = [...delivery.pending, "manual"];
  const resent = tx.put(deliveries, { ...delivery, pending, updatedAt: tx.now });
  tx.log({
    kind: "resend",
    objectId: delivery.objectId,
    event: delivery.event,
    delivery: delivery.id,
    what: `resend of ${delivery.event} requested`,
  });
  tx.effect({ kind: "attempt", id: delivery.id });
  return resent;
}

interface Ending {
  readonly order: AttemptOrder;
  readonly isAcknowledged: boolean;
}

function conclude(tx: Transaction, tried: Delivery, { order, isAcknowledged }: Ending): Delivery {
  if (isAcknowledged) return deliver(tx, tried);
  // A resend by hand may have delivered it while this attempt was on its way: then there is nothing to retry.
  if (order.trigger === "scheduled" && tried.status !== "delivered") return retryOrGiveUp(tx, tried, order);
  const nextAttemptAt = tried.retryTimer === null ? null : tried.nextAttemptAt;
  const isLostCopy = order.trigger === "injected" && tried.status === "scheduled";
  return tx.put(deliveries, { ...tried, nextAttemptAt, ...(isLostCopy && { status: "undelivered" }) });
}

function deliver(tx: Transaction, delivery: Delivery): Delivery {
  tx.disarm(delivery.retryTimer);
  const delivered = tx.put(deliveries, {
    ...delivery,
    status: "delivered",
    nextAttemptAt: null,
    retryTimer: null,
    waitsFor: null,
    // What the timetable had made due meanwhile is no longer wanted; what was asked for by hand is.
    pending: delivery.pending.filter((trigger) => trigger === "manual"),
  });
  if (delivery.status !== "delivered" && delivery.duplicateOf === null) planCopies(tx, delivered);
  return delivered;
}

function retryOrGiveUp(tx: Transaction, delivery: Delivery, { injection }: AttemptOrder): Delivery {
  const failures = delivery.attempts.filter((attempt) => attempt.trigger === "scheduled").length;
  const interval = assumption(tx, "webhook.retry-intervals")[failures - 1];
  if (interval === undefined) {
    tx.log({
      kind: "undelivered",
      objectId: delivery.objectId,
      event: delivery.event,
      delivery: delivery.id,
      what: `webhook ${delivery.event} undelivered`,
    });
    return tx.put(deliveries, { ...delivery, status: "undelivered", nextAttemptAt: null });
  }
  const at = injection.retryAt ?? addDuration(tx.now, interval, saoPaulo);
  return makeDueAt(tx, { ...delivery, status: "retrying" }, at);
}

/**
 * The copies that go out beside a first attempt: the same order, each under the name of a delivery of its own.
 * Those that were on their way already, when a life of the world was cut short, are the ones that go again.
 */
function concurrentCopies(tx: Transaction, delivery: Delivery, order: AttemptOrder): AttemptOrder[] {
  const fault = appliedOf(order.injection.faults, "duplicate-concurrent");
  if (fault === undefined || delivery.duplicateOf !== null) return [];
  const existing = tx.find(deliveries, "copies", delivery.id).filter(({ pending }) => pending.length > 0);
  return Array.from({ length: Number(fault.fields["copies"]) }, (_, index) => {
    const { id: deliveryId } = existing[index] ?? createPendingCopy(tx, delivery, fault);
    return { ...order, deliveryId, number: 1, trigger: "injected", sequence: tx.count("attempts") };
  });
}

function createPendingCopy(tx: Transaction, delivery: Delivery, fault: AppliedFault): Delivery {
  const copy = createCopy(tx, delivery, fault);
  return tx.put(deliveries, { ...copy, pending: ["injected"], nextAttemptAt: tx.now });
}
