import type { StatusChange } from "./state-machine.ts";
import { formatInstant } from "../engine/instant.ts";
import { type Money, formatMoney } from "../engine/money.ts";

/** The amount object of the platform API (interface: Common shapes). */
export function amountShape(amount: Money): { currency: string; value: string } {
  return { currency: amount.currency, value: formatMoney(amount) };
}

/** A status history as answers show it. */
export function historyShape<S extends string>(
  history: readonly StatusChange<S>[],
): { status: S; createdAt: string }[] {
  return history.map(({ status, createdAt }) => ({ status, createdAt: formatInstant(createdAt) }));
}

/** Returns the timestamp in the form for answers. Null without an instant. */
export function timestampOrNull(instant: number | null): string | null {
  return instant === null ? null : formatInstant(instant);
}

type WithoutNulls<T> = { [Key in keyof T]?: Exclude<T[Key], null> };

/** Removes the fields that are null: optional fields of the platform API are omitted, never null. */
export function omitNulls<T extends object>(fields: T): WithoutNulls<T> {
  const present: Partial<T> = {};
  for (const name in fields) if (fields[name] !== null) present[name] = fields[name];
  return present as WithoutNulls<T>;
}
