import type { Journal, JournalEntry, TimelineEntry } from "../engine/journal.ts";
import type { UndrawnJson } from "../platform/undrawn-qr-image.ts";
import { type Delivery, deliveries } from "../platform/webhook-events/delivery.ts";

/** The reason why an event has no webhook, and the advice for it. */
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

/** Returns all events of an entry without a webhook, oldest first. */
export function allNotSent(entry: JournalEntry): ShownDelivery[] {
  return entry.timeline.flatMap((line) => notSent(entry, line) ?? []);
}

/**
 * Returns the numbers of the entries with an event without a webhook, in turns. With `object`, only the entries with
 * such an event of that object.
 */
export function entriesNotSent(
  journal: Pick<Journal, "numbersWith">,
  object: string | undefined,
): Generator<void, readonly number[]> {
  return object === undefined
    ? journal.numbersWith("not sent", notSentWords)
    : journal.numbersWith(object, notSentObjects);
}

function notSentWords(entry: JournalEntry): string | readonly string[] {
  return notSentObjects(entry).length > 0 ? "not sent" : [];
}

function notSentObjects(entry: JournalEntry): readonly string[] {
  if (!entry.timeline.some(isEvent)) return [];
  return [...new Set(allNotSent(entry).map(({ objectId }) => objectId))];
}

function isEvent({ kind }: TimelineEntry): boolean {
  return kind === "event";
}

/** The event without a webhook that has this id, which names its journal entry and the line there. */
export function notSentWithId(journal: Pick<Journal, "entry">, id: string): ShownDelivery | undefined {
  const [, number, line] = /^not-sent-([1-9]\d*)-([1-9]\d*)$/.exec(id) ?? [];
  const entry = journal.entry(Number(number));
  const found = entry?.timeline[Number(line) - 1];
  return entry && found && notSent(entry, found);
}
