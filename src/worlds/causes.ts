import type { Delivery } from "../platform/webhook-events/delivery.ts";
import type { TimelineLine } from "./timeline.ts";
import type { JournalEntry } from "../engine/journal.ts";
import type { World } from "./world.ts";
import { deliveries } from "../platform/webhook-events/delivery.ts";
import { timelineLines } from "./timeline.ts";

/**
 * Why an object, or a delivery, is as it is: every line about it, and those of all that led there, back to the
 * calls, acts, plans and faults that began it; oldest first.
 */
export function causesOf(world: World, id: string): TimelineLine[] {
  const { journal } = world;
  const entries = journal.since(1);
  const delivery = world.records.get(deliveries, id);
  const isDelivery = delivery !== undefined;
  const about = entries.filter((entry) => (isDelivery ? concerns(entry, delivery) : isAbout(entry, id)));
  const causes = ancestors(about, { entry: (number) => journal.entry(number), armed: armings(entries) });
  const lines = about.flatMap((entry) => {
    const all = timelineLines([entry]);
    return isDelivery ? all : all.filter(({ objectId }) => objectId === id);
  });
  return [...lines, ...timelineLines(causes)].toSorted((a, b) => a.entry - b.entry);
}

interface Past {
  readonly entry: (number: number) => JournalEntry | undefined;
  /** The entry that armed a plan or a fault. */
  readonly armed: ReadonlyMap<string, JournalEntry>;
}

/** The entries that led to these, which are not among them. */
function ancestors(from: readonly JournalEntry[], past: Past): JournalEntry[] {
  const known = new Set(from);
  const found: JournalEntry[] = [];
  const waiting = [...from];
  for (let entry = waiting.pop(); entry !== undefined; entry = waiting.pop()) {
    for (const cause of directCauses(entry, past)) {
      if (known.has(cause)) continue;
      known.add(cause);
      found.push(cause);
      waiting.push(cause);
    }
  }
  return found;
}

function directCauses({ cause, timeline }: JournalEntry, past: Past): JournalEntry[] {
  const used = timeline.map(({ used }) => past.armed.get(String(used)));
  return [cause.entry === undefined ? undefined : past.entry(cause.entry), ...used].filter(
    (entry) => entry !== undefined,
  );
}

function armings(entries: readonly JournalEntry[]): Map<string, JournalEntry> {
  return new Map(
    entries.flatMap((entry) =>
      entry.timeline.flatMap(({ armed }) => (armed === undefined ? [] : [[String(armed), entry] as const])),
    ),
  );
}

function isAbout({ timeline }: JournalEntry, id: string): boolean {
  return timeline.some(({ objectId }) => objectId === id);
}

/** Whether the entry changed a delivery, or opened an attempt of it. */
function concerns({ cause, changes }: JournalEntry, delivery: Delivery): boolean {
  const { by, name, entry } = cause;
  if (by === "delivery" && name === delivery.event && entry === delivery.announcedBy) return true;
  return changes.some(({ collection, id }) => collection === deliveries.name && id === delivery.id);
}
