import type { Delivery } from "./delivery.ts";
import type { StoredRecord } from "../../core/collection.ts";
import type { Transaction } from "../../core/transaction.ts";
import { collection } from "../../core/collection.ts";
import { companyOf } from "../companies/company.ts";
import { deliveries } from "./delivery.ts";
import { webhookOverride } from "../world-settings.ts";

/** An event to tell a company of. */
export interface Announcement {
  readonly companyId: string;
  readonly event: string;
  readonly objectId: string;
  /** Where the object says its events go; the company's webhook URL where it says nothing. */
  readonly url?: string | null;
  readonly body: object;
}

/** When the last event was created, in microseconds. */
interface EventClock extends StoredRecord {
  readonly last: number;
}

const eventClock = collection<EventClock>("event-clock", {});

/**
 * Announces an event: its body is serialised once, here, and its first attempt is due at once. A world that
 * sends all webhooks to one address overrides the URL; without any URL the event is noted and goes nowhere.
 */
export function announce(tx: Transaction, announcement: Announcement): void {
  const { companyId, event, objectId, body } = announcement;
  tx.happened(`webhook ${event}`, objectId, { event });
  const url = webhookOverride(tx) ?? announcement.url ?? companyOf(tx, companyId).webhook.url;
  if (url === null) return;
  const delivery: Delivery = {
    id: tx.chance("webhook-deliveries").uuid(),
    companyId,
    event,
    objectId,
    url,
    body: JSON.stringify(body),
    status: "scheduled",
    createdAt: nextCreationTime(tx),
    updatedAt: tx.now,
    attempts: [],
    nextAttemptAt: tx.now,
    retryTimer: null,
    pending: ["scheduled"],
    announcedBy: tx.entry,
  };
  tx.put(deliveries, delivery);
  tx.effect({ kind: "attempt", id: delivery.id });
}

/** `max(now, the last + 1 microsecond)`: no two events of a world share a creation time. */
function nextCreationTime(tx: Transaction): number {
  const before = tx.get(eventClock, "events")?.last ?? 0;
  const last = Math.max(tx.now * 1000, before + 1);
  tx.put(eventClock, { id: "events", last });
  return last;
}
