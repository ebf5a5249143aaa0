import { AsyncLocalStorage } from "node:async_hooks";

/** A request as it came in from outside, with what was answered once that is known. */
export interface Inbound {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly origin: string;
  /** The headers that a world's answer may depend on; null where they were not sent. */
  readonly authorization: string | null;
  readonly contentType: string | null;
  readonly idempotencyKey: string | null;
  /** The text of its body, where it was read. */
  text?: string;
  /** Null where the connection was dropped in place of an answer. */
  status?: number | null;
  /** The body of the answer as a value; it is shared, not copied. */
  answer?: unknown;
  /** Who has taken it down last. */
  takenDownBy?: object;
}

/** The request that the code now running works for, so that what a world takes can be told by where it came from. */
export const inbound = new AsyncLocalStorage<Inbound>();
