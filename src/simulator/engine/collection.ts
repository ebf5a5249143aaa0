import type { Instant } from "./instant.ts";
import type { Lifecycle } from "./lifecycle.ts";

/** A record of the store: plain data with an id. */
export interface StoredRecord {
  readonly id: string;
}

/** A record that follows a lifecycle. */
export interface Stateful<State extends string = string> extends StoredRecord {
  readonly status: State;
  readonly updatedAt: Instant;
}

/** A named kind of record and its indexes. Without a key, a record is not in the index. */
export interface Collection<R extends StoredRecord, Index extends string = never> {
  readonly name: string;
  readonly indexes: Readonly<Record<Index, (record: R) => string | undefined>>;
  /** The table that the status of its records follows; `put` then refuses any other change of a status. */
  readonly lifecycle: Lifecycle | undefined;
}

/**
 * Declares a collection.
 *
 * ```ts
 * export const subscriptions = collection<Subscription, "externalId">(
 *   "subscriptions",
 *   { externalId: (subscription) => compositeKey(subscription.companyId, subscription.externalId) },
 *   subscriptionLifecycle,
 * );
 * ```
 */
export function collection<R extends StoredRecord, Index extends string = never>(
  name: string,
  indexes: Readonly<Record<Index, (record: R) => string | undefined>>,
  lifecycle?: Lifecycle,
): Collection<R, Index> {
  return { name, indexes, lifecycle };
}

/** One key from several parts, which cannot be confused: `a, bc` and `ab, c` give different keys. */
export function compositeKey(...parts: readonly string[]): string {
  return parts.join("\u0000");
}
