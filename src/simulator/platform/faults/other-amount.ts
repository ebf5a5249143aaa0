import { formatMoney, parseMoney } from "../../engine/money.ts";
import { isRecord } from "../../engine/json.ts";

/** Adds a minor unit to every amount in a value of JSON. A value without amounts stays unchanged. */
export function withOtherAmount(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withOtherAmount);
  if (!isRecord(value)) return value;
  const { currency } = value;
  const hasValue = typeof currency === "string";
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => {
      const isAmount = /amount$/i.test(name) || (hasValue && name === "value");
      return [name, isAmount && typeof field === "string" ? more(field, currency) : withOtherAmount(field)];
    }),
  );
}

function more(text: string, currency: unknown): string {
  if (!/^\d+(\.\d+)?$/.test(text)) return text;
  const code = typeof currency === "string" ? currency : "BRL";
  const { minor = 0 } = parseMoney(code, text) ?? {};
  return formatMoney({ currency: code, minor: minor + 1 });
}
