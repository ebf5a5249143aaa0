import type { HeldWebhook } from "../../simulator/api/generated/shapes.ts";
import { appliedIn } from "../../simulator/platform/faults/selection.ts";
import { companies } from "../../simulator/platform/companies/company.ts";
import { type Delivery, deliveries } from "../../simulator/platform/webhook-events/delivery.ts";
import { missingEvents } from "../../simulator/platform/webhook-events/due-attempts.ts";
import type { Records } from "../../simulator/engine/store.ts";

/** Lists the webhooks that a fault holds back without a time: no timer leads to them. */
export function heldWebhooks(records: Records): HeldWebhook[] {
  return Array.from(records.all(companies))
    .flatMap(({ id }) => records.find(deliveries, "held", id))
    .flatMap((delivery) => heldWebhook(records, delivery) ?? []);
}

/** Returns the fault that holds a webhook back, and the end of the wait. Undefined if the webhook has a time. */
export function heldWebhook(
  records: Records,
  delivery: Pick<Delivery, "id" | "event" | "objectId" | "nextAttemptAt" | "waitsFor" | "faults">,
): HeldWebhook | undefined {
  const { id, event, objectId, nextAttemptAt, waitsFor, faults } = delivery;
  const fault = appliedIn(faults, "start");
  if (waitsFor === null || nextAttemptAt !== null || fault === undefined) return undefined;
  const { faultId, effect } = fault;
  const held = records.get(deliveries, id);
  const missing = held === undefined ? 0 : missingEvents(records, held);
  const until =
    waitsFor === "later-events"
      ? `${missing} later ${missing === 1 ? "event has" : "events have"} arrived`
      : "it can leave together with a later event";
  return {
    id,
    event,
    objectId,
    fault: faultId,
    effect,
    until: `${until}, or the fault ${faultId} is removed`,
  };
}
