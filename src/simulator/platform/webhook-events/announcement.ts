import type { Records } from "../../engine/store.ts";
import type { AppliedFault, EffectValues } from "../faults/fault.ts";
import type { EffectIn } from "../faults/effects.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { appliedIn, applyFaults } from "../faults/selection.ts";
import { companyOf } from "../companies/company.ts";
import { createDelivery, makeDue, makeDueAt } from "./due-attempts.ts";
import { deliveryStates } from "./states.ts";
import { delayReadVisibility } from "../faults/visibility.ts";
import { type Delivery, deliveries } from "./delivery.ts";
import { later } from "../later.ts";
import { slots } from "../faults/effect.ts";
import { UNKNOWN, uses, withFreedoms } from "../freedoms.ts";
import { mentions, undrawnJson } from "../undrawn-qr-image.ts";
import { webhookOverride } from "../world-settings.ts";

/** An event to send to a company. */
export interface Announcement {
  readonly companyId: string;
  readonly event: string;
  /** The object that the event is about, and its collection. */
  readonly objectId: string;
  readonly collection: string;
  /** The URL that the object gives for its events. Without it, the company's webhook URL is used. */
  readonly url?: string | null;
  readonly body: object;
}

/**
 * Announces an event: its body is serialised once, here, and its first attempt is due at once, unless a fault
 * delays it. A world that sends all webhooks to one address overrides the URL; without any URL the
 * event is logged and goes nowhere. Some are followed by an event of an unknown name (assumption:
 * freedoms.unknown-event).
 */
export function announce(tx: Transaction, announcement: Announcement): void {
  send(tx, announcement);
  if (!uses(tx, "freedoms.unknown-event")) return;
  const isChosen = tx.chance("freedoms").below(10) === 0;
  if (tx.count("freedoms.unknown-event") !== 3 && !isChosen) return;
  const event = announcement.event.replace(/[^.]+$/, UNKNOWN);
  send(tx, { ...announcement, event, body: { ...announcement.body, event } });
}

function send(tx: Transaction, announcement: Announcement): void {
  const { companyId, event, collection, objectId } = announcement;
  tx.log({ kind: "event", objectId, collection, event, what: `webhook ${event}` });
  const url = webhookOverride(tx) ?? announcement.url ?? companyOf(tx, companyId).webhook.url;
  if (url === null) return;
  const body = undrawnJson(withFreedoms(tx, announcement.body));
  const operation = tx.cause.by === "call" ? tx.cause.name : null;
  const faults = applyFaults(tx, {
    slots: slots.event,
    event,
    operation,
    objectId,
    collection,
    isAbout: (id) => isAbout({ objectId, body }, id),
    objectNumber: () => objectNumber(tx, { collection, objectId }),
    // The event that overtakes a held one must not be held as well.
    suits: (effect) => effect !== "reorder" || !isOneHeld(tx, companyId),
  });
  begin(
    tx,
    createDelivery(tx, { companyId, event, collection, objectId, url, body, operation, faults }),
    faults,
  );
}

/** Whether an event is about an object, or names it. */
export function isAbout({ objectId, body }: Pick<Delivery, "objectId" | "body">, id: string): boolean {
  return objectId === id || mentions(body, id);
}

/** The position of an object among those of its collection that events were announced about, counted from 1. */
export function objectNumber(
  tx: Records,
  { collection, objectId }: Pick<Delivery, "collection" | "objectId">,
): number {
  const known = new Set<string>();
  for (const delivery of tx.all(deliveries)) {
    if (delivery.collection !== collection) continue;
    known.add(delivery.objectId);
    if (delivery.objectId === objectId) return known.size;
  }
  return known.size + 1;
}

function begin(tx: Transaction, delivery: Delivery, faults: readonly AppliedFault[]): void {
  const delayed = appliedIn(faults, "reads");
  if (delayed !== undefined) delayReadVisibility(tx, String(delayed.fields["by"]));
  const fault = appliedIn(faults, "start");
  if (fault === undefined) makeDue(tx, delivery);
  else STARTS[fault.effect](tx, delivery, fault.fields);
}

/** The start of an event's first attempt because of a fault, or the event that it waits for. */
const STARTS = {
  delay: (tx, delivery, { by }) => makeDueAt(tx, delivery, later(tx.now, String(by))),
  reorder: (tx, delivery, { window }) =>
    makeDueAt(tx, { ...delivery, waitsFor: "next-event" }, later(tx.now, String(window))),
  late: (tx, delivery, { within }) => {
    const held = { ...delivery, waitsFor: "later-events" } as const;
    return within === undefined
      ? tx.put(deliveries, held)
      : makeDueAt(tx, held, later(tx.now, String(within)));
  },
  together: (tx, delivery) => tx.put(deliveries, { ...delivery, waitsFor: "same-object" }),
  early: makeDue,
  lose: (tx, delivery) => deliveryStates.take(tx, delivery, "lose"),
} satisfies Readonly<
  Record<EffectIn<"start">, (tx: Transaction, delivery: Delivery, fields: EffectValues) => Delivery>
>;

function isOneHeld(tx: Transaction, companyId: string): boolean {
  return tx.find(deliveries, "held", companyId).some(({ waitsFor }) => waitsFor === "next-event");
}
