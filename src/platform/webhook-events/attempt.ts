import type { Attempt, AttemptTrigger, Delivery } from "./delivery.ts";
import type { Transaction } from "../../core/transaction.ts";
import { addDuration } from "../../core/instant.ts";
import { assumption } from "../assumptions/assumptions.ts";
import { companyOf } from "../companies/company.ts";
import { deliveries } from "./delivery.ts";
import { known } from "../../core/assertion.ts";
import { signingSecret } from "../companies/secret.ts";
import { timerKind } from "../../core/timers.ts";

/** What the shell needs to make one attempt: the bytes, the address and the secret of this moment. */
export interface AttemptOrder {
  readonly deliveryId: string;
  readonly number: number;
  readonly trigger: AttemptTrigger;
  readonly url: string;
  readonly body: string;
  readonly secret: string;
}

/** What came of an attempt, as far as a world remembers it. */
export type AttemptOutcome = Omit<Attempt, "number" | "trigger">;

/** Opens the attempt that is due, with the secret that signs now; undefined where none is due any more. */
export function openAttempt(tx: Transaction, deliveryId: string): AttemptOrder | undefined {
  const delivery = tx.get(deliveries, deliveryId);
  const trigger = delivery?.pending[0];
  if (delivery === undefined || trigger === undefined) return undefined;
  const secret = signingSecret(tx, companyOf(tx, delivery.companyId));
  const number = delivery.attempts.length + 1;
  return { deliveryId, number, trigger, url: delivery.url, body: delivery.body, secret };
}

/**
 * Takes in how an attempt ended. A 2xx delivers the event; a scheduled attempt that failed arms the next one,
 * until four more have failed (interface: Events, Delivery rule 2); one made by hand starts no new chain.
 */
export function closeAttempt(tx: Transaction, order: AttemptOrder, outcome: AttemptOutcome): void {
  const delivery = tx.get(deliveries, order.deliveryId);
  if (delivery?.pending[0] !== order.trigger) return;
  const attempt: Attempt = { number: order.number, trigger: order.trigger, ...outcome };
  const attempts = [...delivery.attempts, attempt];
  const tried: Delivery = { ...delivery, attempts, pending: delivery.pending.slice(1), updatedAt: tx.now };
  const how = attempt.error === null ? `answered ${attempt.status}` : `failed: ${attempt.error}`;
  tx.happened(`attempt ${attempt.number} of ${delivery.event} ${how}`, delivery.objectId);
  if (attempt.error === null) deliver(tx, tried);
  else if (order.trigger === "scheduled") retryOrGiveUp(tx, tried);
  else
    tx.put(deliveries, { ...tried, nextAttemptAt: tried.retryTimer === null ? null : tried.nextAttemptAt });
}

/** Makes an attempt by hand due now, whatever became of the delivery before. */
export function resend(tx: Transaction, delivery: Delivery): Delivery {
  const resent = tx.put(deliveries, {
    ...delivery,
    pending: [...delivery.pending, "manual"],
    updatedAt: tx.now,
  });
  tx.happened(`resend of ${delivery.event} asked for`, delivery.objectId);
  tx.effect({ kind: "attempt", id: delivery.id });
  return resent;
}

export const retryDelivery = timerKind<{ deliveryId: string }>("webhook.retry", (tx, { deliveryId }) => {
  const delivery = known(tx.get(deliveries, deliveryId), `the delivery ${deliveryId}`);
  tx.put(deliveries, { ...delivery, pending: [...delivery.pending, "scheduled"], retryTimer: null });
  tx.effect({ kind: "attempt", id: deliveryId });
});

function deliver(tx: Transaction, delivery: Delivery): void {
  tx.disarm(delivery.retryTimer);
  tx.put(deliveries, { ...delivery, status: "delivered", nextAttemptAt: null, retryTimer: null });
}

function retryOrGiveUp(tx: Transaction, delivery: Delivery): void {
  const failures = delivery.attempts.filter((attempt) => attempt.trigger === "scheduled").length;
  const interval = assumption(tx, "webhook.retry-intervals")[failures - 1];
  if (interval === undefined) {
    tx.put(deliveries, { ...delivery, status: "undelivered", nextAttemptAt: null });
    tx.happened(`webhook ${delivery.event} undelivered`, delivery.objectId);
    return;
  }
  const nextAttemptAt = addDuration(tx.now, interval, "America/Sao_Paulo");
  const retryTimer = tx.arm(retryDelivery, nextAttemptAt, { deliveryId: delivery.id });
  tx.put(deliveries, { ...delivery, status: "retrying", nextAttemptAt, retryTimer });
}
