import type { JournalEntry } from "../engine/journal.ts";
import { createHash } from "node:crypto";

/** The SHA-256 of a journal: two worlds with the same digest went through the same, byte for byte. */
export function journalDigest(entries: readonly JournalEntry[]): string {
  const hash = createHash("sha256");
  for (const entry of entries) hash.update(`${JSON.stringify(entry)}\n`);
  return hash.digest("hex");
}
