import { createHash } from "node:crypto";
import type { Journal, JournalEntry } from "../engine/journal.ts";

/** The name of the header, and of the fields with its value. */
export const TRACEPARENT = "traceparent";

/** A W3C trace context: a trace, and the span that the next span belongs to. */
export interface TraceContext {
  readonly traceId: string;
  readonly spanId: string;
  /** Two hexadecimal digits. The last bit says that the caller records the trace. */
  readonly flags: string;
}

/** A version, a trace, a span and flags. A later version than `00` may have more parts. */
const FORM = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** Reads a `traceparent` header. Undefined if it is missing or wrong: W3C says that a wrong header is ignored. */
export function readTraceparent(header: string | undefined): TraceContext | undefined {
  const [, version, traceId, spanId, flags, more] = FORM.exec(header ?? "") ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  return version === "00" && more !== undefined ? undefined : { traceId, spanId, flags };
}

/** Writes a `traceparent` header. */
export function writeTraceparent({ traceId, spanId, flags }: TraceContext): string {
  return `00-${traceId}-${spanId}-${flags}`;
}

type Past = Pick<Journal, "entry" | "isTraced">;

/** The header of each entry that was asked for. Most chains of causes share their beginning. */
const known = new WeakMap<JournalEntry, string | undefined>();

/**
 * Returns the `traceparent` of the request that led to a journal entry: the first one on the way back along its causes.
 * Undefined if that request had none, or if the journal has dropped it.
 */
export function traceparentOf(journal: Past, last: JournalEntry | undefined): string | undefined {
  if (!journal.isTraced) return undefined;
  const passed: JournalEntry[] = [];
  let found: string | undefined;
  for (let entry = last; entry !== undefined; entry = entryOf(journal, entry.cause.entry)) {
    found = known.get(entry) ?? entry.cause.input?.traceparent;
    if (found !== undefined || known.has(entry)) break;
    passed.push(entry);
  }
  for (const entry of passed) known.set(entry, found);
  return found;
}

function entryOf(journal: Past, number: number | undefined): JournalEntry | undefined {
  return number === undefined ? undefined : journal.entry(number);
}

/**
 * Returns the span of an attempt of a webhook, as a part of the trace of the request that led to its event. The span
 * follows from the attempt, so an attempt that is made again after a restart has the same span.
 */
export function attemptTrace(
  traceparent: string | undefined,
  { delivery, number }: { readonly delivery: string; readonly number: number },
): TraceContext | undefined {
  const context = readTraceparent(traceparent);
  return context && { ...context, spanId: spanOf(context.spanId, delivery, number) };
}

/** Returns the id of the span of an attempt. Worlds with one seed have the same ids, so the parent is a part of it. */
export function spanOf(parent: string, delivery: string, attempt: number): string {
  const hash = createHash("sha256").update(`${parent} ${delivery} ${attempt}`);
  return hash.digest("hex").slice(0, 16);
}
