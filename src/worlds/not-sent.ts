import type { Journal, JournalEntry, TimelineEntry } from "../engine/journal.ts";
import type { UndrawnJson } from "../platform/undrawn-qr-image.ts";
import { type Delivery, deliveries } from "../platform/webhook-events/delivery.ts";

/** Why an event has no webhook, and what to do about it. */
export const NO_URL =
  "no webhook URL is set. Set one: --webhook-url, the option webhookUrl, or the act webhook.set-url";

/** A webhook as reads show it: sent, scheduled, or not sent because it has no URL. */
export type ShownDelivery = Omit<Delivery, "status" | "body"> & {
  readonly status: Delivery["status"] | "not-sent";
  readonly body: UndrawnJson | string;
};

/**
 * Returns the event of a timeline line, if its journal entry made no webhook of it. The event is not stored: the line
 * exists, but a delivery record does not.
 */
export function notSent(entry: JournalEntry, line: TimelineEntry): ShownDelivery | undefined {
  const { kind, objectId, event, collection } = line;
  if (kind !== "event" || objectId === null) return undefined;
  const isSent = entry.changes.some(({ collection: name, before, after }) => {
    const made = after as Delivery | undefined;
    return name === deliveries.name && !before && made?.event === event && made?.objectId === objectId;
  });
  if (isSent) return undefined;
  return {
    id: `not-sent-${entry.number}-${entry.timeline.indexOf(line) + 1}`,
    companyId: "",
    event: String(event),
    objectId,
    collection: String(collection),
    url: "",
    body: "",
    status: "not-sent",
    createdAt: entry.at * 1000,
    updatedAt: entry.at,
    attempts: [],
    nextAttemptAt: null,
    pending: [],
    announcedBy: entry.number,
    operation: null,
    duplicateOf: null,
    faults: [],
    waitsFor: null,
  };
}

/**
 * Returns all events of these entries without a webhook, oldest first. With `object`, only the events of that object.
 */
export function allNotSent(entries: readonly JournalEntry[], object?: string): ShownDelivery[] {
  const found: ShownDelivery[] = [];
  // Each read of deliveries walks the whole journal here: a list for each line would be most of its cost.
  for (const entry of entries)
    for (const line of entry.timeline) {
      if (object !== undefined && line.objectId !== object) continue;
      const unsent = notSent(entry, line);
      if (unsent !== undefined) found.push(unsent);
    }
  return found;
}

/** The event without a webhook that has this id, which names its journal entry and the line there. */
export function notSentWithId(journal: Pick<Journal, "entry">, id: string): ShownDelivery | undefined {
  const [, number, line] = /^not-sent-([1-9]\d*)-([1-9]\d*)$/.exec(id) ?? [];
  const entry = journal.entry(Number(number));
  const found = entry?.timeline[Number(line) - 1];
  return entry && found && notSent(entry, found);
}
