import type { Problem } from "../engine/refusal.ts";
import type { Transaction } from "../engine/transaction.ts";

/**
 * A request to one operation, as the platform gets it: the company, the input and the problems of its shape. The
 * body is typed as the schema describes it; a field that `problems` names may have any other value.
 */
export interface Call<Body = unknown, Query = unknown> {
  readonly companyId: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly body: Body;
  readonly problems: readonly Problem[];
  readonly idempotencyKey: string | null;
  /** Returns the SHA-256 of a text in hexadecimal. Node computes it eight times as fast as a library. */
  readonly sha256: (text: string) => string;
  /** Returns `http://host:port` of the request: every URL in an answer starts with it. Few calls need it. */
  readonly origin: () => string;
  /** The world of the request: the URLs of pages that need no token contain it. */
  readonly worldId: string;
}

/**
 * Runs an operation: it reads, refuses or writes, and returns the body of the answer. A thrown refusal undoes the
 * changes of the operation. A returned refusal keeps them, such as the count of wrong codes.
 */
export type Handler<Body = never, Query = never> = (tx: Transaction, call: Call<Body, Query>) => object;

/** A path parameter that the route has declared. */
export function pathParameter(call: Pick<Call, "params">, name: string): string {
  return call.params[name] ?? "";
}
