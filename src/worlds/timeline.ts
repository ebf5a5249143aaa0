import type { Cause, JournalEntry, TimelineEntry } from "../engine/journal.ts";
import { formatInstant } from "../engine/instant.ts";

/** An entry of the timeline as it is shown: the entry of the journal's command, with time and cause. */
export interface TimelineLine extends TimelineEntry {
  readonly at: string;
  /** What led to it, such as `timer cancellation.answer`. */
  readonly cause: string;
  /** The number of its journal entry; `causedBy` names an earlier one. */
  readonly entry: number;
  readonly causedBy: number | null;
}

/** The timeline of these journal entries, in order. */
export function timelineLines(entries: readonly JournalEntry[]): TimelineLine[] {
  return entries.flatMap(({ at, cause, number, timeline }) =>
    timeline.map(({ what, objectId, kind, ...fields }) => ({
      at: formatInstant(at),
      what,
      objectId,
      cause: describeCause(cause),
      kind,
      ...fields,
      entry: number,
      causedBy: cause.entry ?? null,
    })),
  );
}

function describeCause({ by, name }: Cause): string {
  return `${by} ${name}`;
}
