import type { Transaction } from "../../engine/transaction.ts";
import { type Instant } from "../../engine/instant.ts";
import { appliedIn, appliedOf, applyFaults } from "../faults/selection.ts";
import { assertDefined } from "../../engine/assertion.ts";
import { assumption } from "../assumptions/assumptions.ts";
import { companyOf, rotateSecret, signingSecret } from "../companies/company.ts";
import { createDelivery, makeDue, makeDueAt, releaseHeld } from "./due-attempts.ts";
import { deliveryStates } from "./states.ts";
import { type Attempt, type AttemptTrigger, type Delivery, deliveries } from "./delivery.ts";
import { type AppliedFault, type EffectValues, type Fault, dropFault, faults } from "../faults/fault.ts";
import { type EffectIn, effectOf } from "../faults/effects.ts";
import { isAbout, objectNumber } from "./announcement.ts";
import { later } from "../later.ts";
import { slots } from "../faults/effect.ts";

/** The changes of faults to one attempt. */
export interface Injection {
  /** Every fault that touches it, to be recorded on it. */
  readonly faults: readonly AppliedFault[];
  /** The reason why it fails without ever leaving. Null if it leaves. */
  readonly unsent: "timeout" | "refused" | null;
  /** The time of the next try, if a fault decides it. */
  readonly retryAt: Instant | null;
  /** The key that signs, if it is not the company's key. */
  readonly secret: string | null;
}

/** The order of one attempt for the shell, in addition to its delivery: the secret of this moment, and its faults. */
export interface AttemptOrder {
  readonly deliveryId: string;
  readonly number: number;
  readonly trigger: AttemptTrigger;
  readonly sequence: number;
  readonly secret: string;
  readonly injection: Injection;
  /** Copies and other events that are to arrive at the very same moment, each in its own delivery. */
  readonly together: readonly AttemptOrder[];
}

/** The result of an attempt, as far as a world remembers it. */
export type AttemptOutcome = Omit<Attempt, "number" | "trigger" | "sequence" | "injected">;

/** Opens the due attempt, with the secret that signs now. Undefined if no attempt is due. */
export function openAttempt(tx: Transaction, deliveryId: string): AttemptOrder | undefined {
  const delivery = tx.get(deliveries, deliveryId);
  const trigger = delivery?.pending[0];
  if (delivery === undefined || trigger === undefined) return undefined;
  const order = orderOf(tx, delivery, trigger);
  const copies = concurrentCopies(tx, delivery, order);
  return { ...order, together: [...copies, ...companions(tx, delivery, order)] };
}

function orderOf(tx: Transaction, delivery: Delivery, trigger: AttemptTrigger): AttemptOrder {
  const number = delivery.attempts.length + 1;
  const injection = injectFaults(tx, { delivery, number, trigger });
  const secret = injection.secret ?? signingSecret(tx, companyOf(tx, delivery.companyId));
  const sequence = tx.count("attempts");
  return { deliveryId: delivery.id, number, trigger, sequence, secret, injection, together: [] };
}

/** The earlier events, about the same object or about any, that a fault makes leave at the same moment as this one. */
function companions(tx: Transaction, delivery: Delivery, { injection }: AttemptOrder): AttemptOrder[] {
  // An event that does not arrive leaves alone. The next attempt takes the others with it.
  const arrives = injection.faults.every(({ effect }) => effectOf(effect).arrives !== false);
  if (!arrives || injection.unsent !== null || delivery.duplicateOf !== null) return [];
  const { companyId, objectId, createdAt } = delivery;
  const isCompanion = (held: Delivery): boolean =>
    held.objectId === objectId || appliedOf(held.faults, "together")?.fields["anyObject"] === true;
  return (
    tx
      .find(deliveries, "held", companyId)
      .filter((held) => held.waitsFor === "same-object" && held.createdAt < createdAt && isCompanion(held))
      // A resent event is on its way already.
      .filter(({ pending }) => pending.length === 0)
      .map((held) => {
        const pending: Delivery["pending"] = ["scheduled"];
        const due = tx.put(deliveries, { ...held, pending, nextAttemptAt: tx.now, waitsFor: null });
        return orderOf(tx, due, "scheduled");
      })
  );
}

/** Removes faults, and sends the events that they still hold back, then the copies that wait for their removal. */
export function removeFaults(tx: Transaction, removed: readonly Fault[]): void {
  for (const fault of removed) dropFault(tx, fault);
  const ids = new Set(removed.filter(({ effect }) => effectOf(effect).endsWithFault).map(({ id }) => id));
  if (ids.size === 0) return;
  const touched = Array.from(tx.all(deliveries)).filter(
    ({ faults: own, duplicateOf }) => duplicateOf === null && own.some(({ faultId }) => ids.has(faultId)),
  );
  for (const delivery of touched)
    if (delivery.waitsFor === "later-events" || delivery.waitsFor === "same-object") makeDue(tx, delivery);
  for (const delivery of touched) {
    const fault = appliedOf(delivery.faults, "duplicate-at-end");
    if (delivery.status !== "delivered" || fault === undefined || !ids.has(fault.faultId)) continue;
    for (let count = 0; count < Number(fault.fields["copies"]); count++)
      makeDue(tx, createCopy(tx, delivery, fault));
  }
}

/**
 * Commits the outcome of an attempt. A 2xx delivers the event; a scheduled attempt that failed arms the next one,
 * until four more have failed (interface: Events, Delivery rule 2); a manual one, or a copy that a fault made,
 * starts no retries.
 */
export function closeAttempt(tx: Transaction, order: AttemptOrder, outcome: AttemptOutcome): void {
  const delivery = tx.get(deliveries, order.deliveryId);
  if (delivery?.pending[0] !== order.trigger) return;
  const { number, trigger, sequence, injection } = order;
  const injected = injection.faults.map(({ effect }) => effect);
  const attempt: Attempt = { number, trigger, sequence, ...outcome, injected };
  // Items that are spread into a list with another one leave it with room for seventeen more.
  const attempts = delivery.attempts.concat(attempt);
  const tried: Delivery = { ...delivery, attempts, pending: delivery.pending.slice(1), updatedAt: tx.now };
  const how = attempt.error === null ? `answered ${attempt.status}` : `failed: ${attempt.error}`;
  const { status, error } = attempt;
  const what = `attempt ${number} of ${delivery.event} ${how}`;
  tx.log({ kind: "attempt", ...named(delivery), number, status, error, what });
  releaseHeld(tx, conclude(tx, tried, order));
  if (appliedOf(injection.faults, "rotate-mid-retry") !== undefined) {
    rotateSecret(tx, companyOf(tx, delivery.companyId));
  }
}

/** Makes a manual attempt due now, in any status of the delivery. */
export function resend(tx: Transaction, delivery: Delivery): Delivery {
  const pending: Delivery["pending"] = [...delivery.pending, "manual"];
  const resent = tx.put(deliveries, { ...delivery, pending, updatedAt: tx.now });
  tx.log({ kind: "resend", ...named(delivery), what: `resend of ${delivery.event} requested` });
  tx.task(delivery.id);
  return resent;
}

/** Returns the fields of a delivery for the timeline. */
function named({ objectId, collection, event, id: delivery }: Delivery) {
  return { objectId, collection, event, delivery };
}

function conclude(tx: Transaction, tried: Delivery, order: AttemptOrder): Delivery {
  if (tried.attempts.at(-1)?.error === null) return deliver(tx, tried);
  // A manual resend may have delivered it while this attempt was in flight: then no retry is needed.
  if (order.trigger === "scheduled" && tried.status !== "delivered") return retryOrGiveUp(tx, tried, order);
  const nextAttemptAt = tx.isArmed("webhook.retry", tried.id) ? tried.nextAttemptAt : null;
  const isFailedCopy = order.trigger === "injected" && tried.status === "scheduled";
  if (isFailedCopy) return deliveryStates.take(tx, tried, "give-up", { nextAttemptAt });
  return tx.put(deliveries, { ...tried, nextAttemptAt });
}

function deliver(tx: Transaction, delivery: Delivery): Delivery {
  const delivered = deliveryStates.take(tx, delivery, "deliver", {
    nextAttemptAt: null,
    waitsFor: null,
    // Scheduled attempts that became due in the meantime are no longer needed. Manual attempts are still made.
    pending: delivery.pending.filter((trigger) => trigger === "manual"),
  });
  if (delivery.status !== "delivered" && delivery.duplicateOf === null) planCopies(tx, delivered);
  return delivered;
}

function retryOrGiveUp(tx: Transaction, delivery: Delivery, { injection }: AttemptOrder): Delivery {
  const failures = delivery.attempts.filter((attempt) => attempt.trigger === "scheduled").length;
  const interval = assumption(tx, "webhook.retry-intervals")[failures - 1];
  if (interval === undefined) {
    tx.log({ kind: "undelivered", ...named(delivery), what: `webhook ${delivery.event} undelivered` });
    return deliveryStates.take(tx, delivery, "give-up", { nextAttemptAt: null });
  }
  const at = injection.retryAt ?? later(tx.now, interval);
  return makeDueAt(tx, deliveryStates.take(tx, delivery, "retry"), at);
}

/** The copies that leave together with a first attempt; those in flight when the process stopped are sent again. */
function concurrentCopies(tx: Transaction, delivery: Delivery, order: AttemptOrder): AttemptOrder[] {
  const fault = appliedOf(order.injection.faults, "duplicate-concurrent");
  if (fault === undefined || delivery.duplicateOf !== null) return [];
  const existing = tx
    .find(deliveries, "copies", delivery.id)
    .filter(({ pending }) => pending[0] === "injected");
  return Array.from({ length: Number(fault.fields["copies"]) }, (_, index) => {
    const { id: deliveryId } = existing[index] ?? createPendingCopy(tx, delivery, fault);
    return { ...order, deliveryId, number: 1, trigger: "injected", sequence: tx.count("attempts") };
  });
}

function createPendingCopy(tx: Transaction, delivery: Delivery, fault: AppliedFault): Delivery {
  const copy = createCopy(tx, delivery, fault);
  return tx.put(deliveries, { ...copy, pending: ["injected"], nextAttemptAt: tx.now });
}

/** Creates a separate delivery with the bytes of another delivery, which a fault sends again. */
function createCopy(tx: Transaction, original: Delivery, fault: AppliedFault): Delivery {
  const { companyId, event, collection, objectId, url, body, operation, id: duplicateOf } = original;
  const repeated = { companyId, event, collection, objectId, url, body, operation };
  return createDelivery(tx, { ...repeated, duplicateOf, faults: [fault] });
}

/** Plans the copies that follow an acknowledgement. They count for nothing in the original's attempts. */
function planCopies(tx: Transaction, acknowledged: Delivery): void {
  for (const fault of acknowledged.faults) {
    const dueTimes = COPIES[fault.effect as keyof typeof COPIES] as DueTimes | undefined;
    for (const at of dueTimes?.(tx.now, fault.fields) ?? []) {
      const copy = createCopy(tx, acknowledged, fault);
      if (at === tx.now) makeDue(tx, copy);
      else makeDueAt(tx, copy, at);
    }
  }
}

type DueTimes = (acknowledgedAt: Instant, fields: EffectValues) => Instant[];

/** The due times of the copies of an acknowledged event, by the effect that makes them. */
const COPIES = {
  duplicate: (acknowledgedAt, { copies, gap }) => {
    let at = acknowledgedAt;
    return Array.from({ length: Number(copies) }, () => (at = later(at, String(gap))));
  },
  "duplicate-late": (acknowledgedAt, { copies, after }) =>
    Array.from({ length: Number(copies) }, () => later(acknowledgedAt, String(after))),
  // They are made when the fault is removed.
  "duplicate-at-end": () => [],
} satisfies Readonly<Record<EffectIn<"copies" | "late-copies">, DueTimes>>;

type Tried = Pick<AttemptOrder, "number" | "trigger"> & { readonly delivery: Delivery };

/** Decides what faults change about an attempt when it is opened. */
function injectFaults(tx: Transaction, tried: Tried): Injection {
  const { delivery, number } = tried;
  const lasting = lastingFaults(tried);
  const isDecided = delivery.duplicateOf === null && appliedIn(lasting, "first-attempts") !== undefined;
  const former = companyOf(tx, delivery.companyId).webhook.formerSecrets.at(-1);
  const momentary = applyFaults(tx, {
    slots: isDecided ? slots.attempt.filter((slot) => slot !== "connection") : slots.attempt,
    event: delivery.event,
    operation: delivery.operation,
    objectId: delivery.objectId,
    collection: delivery.collection,
    isAbout: (id) => isAbout(delivery, id),
    objectNumber: () => objectNumber(tx, delivery),
    attempt: number,
    suits: (effect) => effect !== "old-secret" || former !== undefined,
  });
  const applied = [...lasting, ...momentary];
  const outage = appliedOf(momentary, "outage");
  const signing = appliedIn(applied, "secret");
  return {
    faults: applied,
    unsent: applied.map(({ effect }) => effectOf(effect).unsent).find((unsent) => unsent) ?? null,
    retryAt: outage === undefined ? null : endOf(tx, outage),
    secret: signing === undefined ? null : SECRETS[signing.effect](former),
  };
}

/** Returns the faults of the whole delivery that touch this attempt. For a copy, it is the fault that made it. */
function lastingFaults({ delivery, trigger }: Tried): readonly AppliedFault[] {
  if (delivery.duplicateOf !== null) return trigger === "injected" ? delivery.faults : [];
  const tried = delivery.attempts.filter((attempt) => attempt.trigger === "scheduled").length;
  if (trigger !== "scheduled") return [];
  return delivery.faults.filter(({ effect, fields }) => {
    const { attempts } = effectOf(effect);
    return tried < (attempts === "first" ? 1 : attempts === "counted" ? Number(fields["attempts"]) : 0);
  });
}

/** The secret that signs, from the one before the last rotation. */
const SECRETS = {
  "old-secret": (former) => assertDefined(former, "the secret before the last rotation"),
  "empty-secret": () => "",
  "wrong-secret": () => "not-the-secret-of-anyone",
} satisfies Readonly<Record<EffectIn<"secret">, (former: string | undefined) => string>>;

/** An outage ends at its second time; a fault is only accepted with one. */
function endOf(tx: Transaction, { faultId }: AppliedFault): Instant {
  return assertDefined(tx.get(faults, faultId)?.selectors.between, `the times of the outage ${faultId}`)[1];
}
