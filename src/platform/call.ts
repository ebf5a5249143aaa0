import type { Problem } from "../engine/refusal.ts";
import type { Transaction } from "../engine/transaction.ts";

/**
 * A request to one operation, as the platform sees it: who asks, what for, and what its shape has wrong. The
 * body is typed as the schema describes it; where `problems` names a field, that field cannot be trusted.
 */
export interface Call<Body = unknown, Query = unknown> {
  readonly companyId: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly body: Body;
  readonly problems: readonly Problem[];
  readonly idempotencyKey: string | null;
  /** `http://host:port` of the request, from which every URL handed out is built. */
  readonly origin: string;
  /** The world the request is for: addresses of pages that need no token carry it. */
  readonly worldId: string;
}

/**
 * What an operation does: reads, refuses or writes, and gives the body of the answer. A refusal that is thrown
 * undoes what the operation did; one that is given as the answer outlives it, such as a wrong code that counts.
 */
export type Handler<Body = never, Query = never> = (tx: Transaction, call: Call<Body, Query>) => object;

/** A path parameter that the route has declared. */
export function pathParameter(call: Pick<Call, "params">, name: string): string {
  return call.params[name] ?? "";
}
