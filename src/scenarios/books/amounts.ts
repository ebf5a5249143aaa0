import { compile } from "json-p3";
import { decimalsOf, formatMoney } from "../../simulator/engine/money.ts";
import { isRecord } from "../../simulator/engine/json.ts";
import { shown } from "../source.ts";

/**
 * Returns the values that a JSONPath selects. Empty if the path is wrong, because the check of the file reports that.
 */
export function valuesAt(path: string, state: unknown): unknown[] {
  if (typeof state !== "object" || state === null) return [];
  return compile(path)
    .query(state as never)
    .nodes.map(({ value }): unknown => value);
}

/** Returns a partner's sums in minor units by currency, from the values of a path. A missing value is zero. */
export function sumsOf(
  [yours, ...others]: readonly unknown[],
  { isMinor, known }: { readonly isMinor: boolean; readonly known: Readonly<Record<string, string>> },
): { readonly sums?: ReadonlyMap<string, number>; readonly problem?: string } {
  if (others.length > 0) return { problem: `The path selects ${others.length + 1} values: select one.` };
  if (yours === undefined || yours === null) return { sums: new Map() };
  const currencies = Object.keys(known);
  if (isRecord(yours)) {
    const unknown = Object.keys(yours).find((key) => !/^[A-Z]{3}$/.test(key));
    if (unknown !== undefined)
      return { problem: `"${unknown}" is not a currency. Show an object such as { BRL: "100.00" }.` };
    const sums = new Map<string, number>();
    for (const [currency, value] of Object.entries(yours)) {
      const amount = amountIn(value, currency, isMinor);
      if (typeof amount === "string") return { problem: amount };
      sums.set(currency, amount);
    }
    return { sums };
  }
  const moved = currencies.filter((currency) => Number(known[currency]) !== 0);
  if (moved.length > 1)
    return {
      problem: `It is one number, but there is money in ${moved.join(" and ")}. Show an object by currency.`,
    };
  const currency = moved[0] ?? currencies[0] ?? "BRL";
  const value = amountIn(yours, currency, isMinor);
  return typeof value === "string" ? { problem: value } : { sums: new Map([[currency, value]]) };
}

/** Returns an amount in minor units, or its mistake. */
export function amountIn(value: unknown, currency: string, isMinor: boolean): number | string {
  const text = typeof value === "number" || typeof value === "string" ? String(value).trim() : "";
  const decimals = isMinor ? 0 : decimalsOf(currency);
  const [, sign = "", whole = "", fraction = ""] = /^([+-]?)(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  if (whole === "") {
    if (text === "" || !Number.isFinite(Number(text))) return `${shownValue(value)} is not an amount.`;
    return tooFine(value, currency);
  }
  if (isMinor && fraction !== "")
    return `${shownValue(value)} is not an integer, but \`unit: minor\` counts in the smallest unit.`;
  if (fraction.slice(decimals).replaceAll("0", "") !== "") return tooFine(value, currency);
  const minor = Number(whole + fraction.slice(0, decimals).padEnd(decimals, "0"));
  return sign === "-" && minor !== 0 ? -minor : minor;
}

function tooFine(value: unknown, currency: string): string {
  return `${shownValue(value)} has more decimals than ${currency}: it looks like a sum of floats. Count in the smallest unit.`;
}

export function minorOf(text: string, currency: string): number {
  const value = amountIn(text, currency, false);
  return typeof value === "number" ? value : 0;
}

/** Sums in the currencies of both sides, which are named unless they are reais only. */
export function written(sums: ReadonlyMap<string, number>, currencies: readonly string[]): string {
  const shown = currencies.filter((currency) => sums.size === 0 || sums.has(currency));
  const texts = shown.map((currency) => formatMoney({ currency, minor: sums.get(currency) ?? 0 }));
  if (currencies.every((currency) => currency === "BRL")) return texts[0] ?? "0.00";
  return texts.map((text, index) => `${text} ${shown[index]}`).join(", ");
}

export function shownValue(value: unknown): string {
  return value === undefined ? "nothing there" : shown(value);
}
