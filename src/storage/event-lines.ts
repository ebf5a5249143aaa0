import type { Change } from "../engine/store.ts";
import type { StoredRecord } from "../engine/collection.ts";
import type { WorldEvent } from "../worlds/saved-world.ts";

/** A change as it is written: a record that was put, or the id of one that was taken away. */
type WrittenChange = readonly [collection: string, putOrDeleted: StoredRecord | string];

/** Events as a line of the journal holds them. What stood before a change is known from the lines before. */
export function writtenEvents(events: readonly WorldEvent[]): unknown[] {
  return events.map((event) => {
    if (event.kind !== "committed") return event;
    const { changes, ...entry } = event.entry;
    const written = changes.map(({ collection, id, after }): WrittenChange => [collection, after ?? id]);
    return { ...event, entry: { ...entry, changes: written } };
  });
}

/** The events of a line that {@link writtenEvents} wrote. */
export function readEvents(line: unknown): WorldEvent[] {
  if (!Array.isArray(line)) throw new Error("a line holds no list of events");
  return line.map((written: WorldEvent) => {
    if (written.kind !== "committed") return written;
    const { entry } = written;
    const changes = entry.changes.map((change): Change => {
      const [collection, put] = change as unknown as WrittenChange;
      return typeof put === "string" ? { collection, id: put } : { collection, id: put.id, after: put };
    });
    return { ...written, entry: { ...entry, changes } };
  });
}
