import { assert } from "./assertion.ts";

/** An amount in integer minor units (centavos, cents) of one currency. */
export interface Money {
  readonly currency: string;
  readonly minor: number;
}

/** Decimals of the currencies whose minor unit is not a hundredth. */
const DECIMALS: Readonly<Record<string, number>> = { CLP: 0, JPY: 0 };

export function decimalsOf(currency: string): number {
  return DECIMALS[currency] ?? 2;
}

export function money(currency: string, minor: number): Money {
  assert(Number.isSafeInteger(minor), `money in ${currency} is not a whole number of minor units: ${minor}`);
  return { currency, minor };
}

/** Reads a decimal amount greater than zero with at most the currency's decimals; undefined for any other value. */
export function parseMoney(currency: string, value: string | number): Money | undefined {
  const parts = /^(\d+)(?:\.(\d+))?$/.exec(String(value));
  if (parts === null) return undefined;
  const [, whole = "", fraction = ""] = parts;
  const decimals = decimalsOf(currency);
  if (fraction.length > decimals) return undefined;
  const minor = Number(whole + fraction.padEnd(decimals, "0"));
  return minor > 0 && Number.isSafeInteger(minor) ? { currency, minor } : undefined;
}

/** `10.50`: the amount with all decimals of its currency, as answers write it. */
export function formatMoney({ currency, minor }: Money): string {
  const decimals = decimalsOf(currency);
  const sign = minor < 0 ? "-" : "";
  const digits = String(Math.abs(minor)).padStart(decimals + 1, "0");
  return decimals === 0 ? sign + digits : `${sign}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}

/** The sum; refuses, as a bug, to add two currencies. */
export function add(left: Money, right: Money): Money {
  assert(left.currency === right.currency, `${left.currency} added to ${right.currency}`);
  return money(left.currency, left.minor + right.minor);
}

/** Subtracts an amount of the same currency. Another currency is a bug and is refused. */
export function subtract(left: Money, right: Money): Money {
  return add(left, negate(right));
}

/** The sum of amounts of one currency. */
export function sumOf(currency: string, amounts: readonly Money[]): Money {
  return amounts.reduce(add, money(currency, 0));
}

export function negate(amount: Money): Money {
  return money(amount.currency, amount.minor === 0 ? 0 : -amount.minor);
}

/** The lesser of two amounts of one currency. */
export function least(left: Money, right: Money): Money {
  assert(left.currency === right.currency, `${left.currency} compared with ${right.currency}`);
  return left.minor <= right.minor ? left : right;
}
