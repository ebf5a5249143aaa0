import type { Lifecycle } from "./lifecycle.ts";

/** What the store keeps: plain data under an id. */
export interface StoredRecord {
  readonly id: string;
}

/**
 * A named kind of record and the keys it can be found by besides its id. A key function returns undefined for a
 * record that the index leaves out.
 */
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

/** One key out of several parts; no part can run into its neighbour. */
export function compositeKey(...parts: readonly string[]): string {
  return parts.join("\u0000");
}
