import type { Cause, JournalEntry } from "../engine/journal.ts";
import { formatInstant } from "../engine/instant.ts";

/** One line of what happened in a world, for people. */
export interface HappeningLine {
  readonly at: string;
  readonly what: string;
  readonly objectId: string | null;
  /** What led to it, such as `timer cancellation.answer`. */
  readonly cause: string;
  /** The journal entry it belongs to; its cause may name an earlier one. */
  readonly entry: number;
  readonly causedBy: number | null;
}

/** What the journal entries tell, in order. */
export function happeningLines(entries: readonly JournalEntry[]): HappeningLine[] {
  return entries.flatMap((entry) => {
    const at = formatInstant(entry.at);
    const cause = describeCause(entry.cause);
    return entry.happenings.map(({ what, objectId }) => ({
      at,
      what,
      objectId,
      cause,
      entry: entry.number,
      causedBy: entry.cause.entry ?? null,
    }));
  });
}

function describeCause({ by, name }: Cause): string {
  return `${by} ${name}`;
}
