import type { Change } from "../../simulator/engine/store.ts";
import type { StoredRecord } from "../../simulator/engine/collection.ts";
import type { WorldEvent } from "../../simulator/worlds/saved-world.ts";
import { type PatchedChange, patchOf, type RecordPatch } from "./record-patch.ts";

/** A stored change: the new record, the id of a deleted record, or the id of a changed record and its patch. */
type WrittenChange = readonly [collection: string, putOrId: StoredRecord | string, patch?: RecordPatch];

/** Returns an event in its stored form, without the previous records, because earlier events have them. */
export function writtenEvent(event: WorldEvent): unknown {
  if (event.kind === "forked") return { ...event, renewed: event.renewed?.map(writtenChange) };
  if (event.kind !== "committed") return event;
  const { entry } = event;
  return { ...event, entry: { ...entry, changes: entry.changes.map(writtenChange) } };
}

/** Reads an event in its stored form. */
export function readEvent<Event extends WorldEvent>(written: Event): Event {
  if (written.kind === "forked" && written.renewed !== undefined)
    return { ...written, renewed: written.renewed.map(readChange) };
  if (written.kind !== "committed") return written;
  const { entry } = written;
  return { ...written, entry: { ...entry, changes: entry.changes.map(readChange) } };
}

function writtenChange({ collection, id, before, after }: Change): WrittenChange {
  const patch = before && after && patchOf(before, after);
  return patch === undefined ? [collection, after ?? id] : [collection, id, patch];
}

function readChange(change: Change | WrittenChange): PatchedChange {
  // Rows of earlier tables have the whole records.
  if ("collection" in change) return change;
  const [collection, record, patch] = change;
  return typeof record === "string"
    ? { collection, id: record, ...(patch && { patch }) }
    : { collection, id: record.id, after: record };
}
