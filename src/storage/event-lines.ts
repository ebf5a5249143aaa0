import type { Change } from "../engine/store.ts";
import type { StoredRecord } from "../engine/collection.ts";
import type { WorldEvent } from "../worlds/saved-world.ts";

/** A change as it is written: a record that was put, or the id of one that was taken away. */
type WrittenChange = readonly [collection: string, putOrDeleted: StoredRecord | string];

/** Events as a line of the journal holds them. What stood before a change is known from the lines before. */
export function writtenEvents(events: readonly WorldEvent[]): unknown[] {
  return events.map((event) => {
    if (event.kind === "forked") return { ...event, renewed: event.renewed?.map(writtenChange) };
    if (event.kind !== "committed") return event;
    const { entry } = event;
    return { ...event, entry: { ...entry, changes: entry.changes.map(writtenChange) } };
  });
}

/** The events of a line that {@link writtenEvents} wrote. */
export function readEvents(line: unknown): WorldEvent[] {
  if (!Array.isArray(line)) throw new Error("a line holds no list of events");
  return line.map((written: WorldEvent) => {
    if (written.kind === "forked" && written.renewed !== undefined)
      return { ...written, renewed: written.renewed.map(readChange) };
    if (written.kind !== "committed") return written;
    const { entry } = written;
    return { ...written, entry: { ...entry, changes: entry.changes.map(readChange) } };
  });
}

function writtenChange({ collection, id, after }: Change): WrittenChange {
  return [collection, after ?? id];
}

function readChange(change: unknown): Change {
  const [collection, put] = change as WrittenChange;
  return typeof put === "string" ? { collection, id: put } : { collection, id: put.id, after: put };
}
