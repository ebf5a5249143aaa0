import { isDuration, parseInstant } from "../../engine/instant.ts";
import { readAssumption } from "../../platform/assumptions/reading.ts";
import { isHttpUrl } from "../http-url.ts";

/** What was written for a setting, read: its value, or what would be right and what was found. */
export type Read<T> = { readonly value: T } | { readonly mistake: string };

/** Reads what stands in a flag, a variable or a file. */
export type Reader<T> = (written: unknown) => Read<T>;

function mustBe(wanted: string, written: unknown): { readonly mistake: string } {
  const found = Array.isArray(written) ? `${written.length} values` : JSON.stringify(written);
  return { mistake: `must be ${wanted}; found ${found}` };
}

export function wholeNumber({ min, max }: { readonly min: number; readonly max: number }): Reader<number> {
  return function readWholeNumber(written) {
    const text = typeof written === "number" ? String(written) : written;
    const value = typeof text === "string" && /^\d+$/.test(text) ? Number(text) : Number.NaN;
    return value >= min && value <= max ? { value } : mustBe(`a whole number from ${min} to ${max}`, written);
  };
}

export const yesOrNo: Reader<boolean> = function readYesOrNo(written) {
  if (typeof written === "boolean") return { value: written };
  if (written === "true" || written === "1") return { value: true };
  if (written === "false" || written === "0") return { value: false };
  return mustBe("true or false", written);
};

export function text(wanted: string, isRight: (text: string) => boolean = () => true): Reader<string> {
  return function readText(written) {
    return typeof written === "string" && written !== "" && isRight(written)
      ? { value: written }
      : mustBe(wanted, written);
  };
}

export const timestamp = text(
  "a timestamp with its offset, such as 2026-11-20T09:00:00-03:00",
  (written) => parseInstant(written) !== undefined,
);

export const duration = text("an ISO 8601 duration such as PT1H", isDuration);

export const webAddress = text("an http or https address, such as http://127.0.0.1:4011/webhooks", isHttpUrl);

/** A header carries it, so it is made of visible ASCII characters. */
export const headerToken = text("a word of visible ASCII characters, without spaces", (written) =>
  /^[\x21-\x7e]+$/.test(written),
);

export function oneOf<T extends string>(choices: readonly T[]): Reader<T> {
  return (written) =>
    choices.includes(written as T)
      ? { value: written as T }
      : mustBe(`one of ${choices.join(", ")}`, written);
}

/** A list in a file, a flag that is repeated, or a variable with commas. */
export const texts: Reader<readonly string[]> = function readTexts(written) {
  const list = typeof written === "string" ? written.split(",").map((one) => one.trim()) : written;
  const isRight = Array.isArray(list) && list.every((one) => typeof one === "string" && one !== "");
  return isRight ? { value: list as string[] } : mustBe("a list of texts", written);
};

/** A mapping in a file, flags of `id=value`, or a variable with commas between such pairs. */
export const assumptionValues: Reader<Readonly<Record<string, unknown>>> = function readAssumptionValues(
  written,
) {
  const pairs = typeof written === "string" ? written.split(/,\s*(?=[\w.-]+=)/) : written;
  const values = Array.isArray(pairs) ? valuesOfPairs(pairs) : { value: pairs };
  if ("mistake" in values) return values;
  const { value } = values;
  if (typeof value !== "object" || value === null)
    return mustBe("a mapping of assumption ids to values", written);
  // Each by itself: what has to agree may stand in different places, and is checked once all of them are read.
  const mistakes = Object.entries(value).flatMap(([id, one]) => {
    const read = readAssumption(id, one);
    return "mistake" in read ? [read.mistake] : [];
  });
  return mistakes.length === 0
    ? { value: value as Record<string, unknown> }
    : { mistake: `is wrong: ${mistakes.join(" ").replace(/\.$/, "")}` };
};

function valuesOfPairs(pairs: readonly unknown[]): Read<unknown> {
  const entries: [string, string][] = [];
  for (const pair of pairs) {
    const at = typeof pair === "string" ? pair.indexOf("=") : -1;
    if (at < 1) return mustBe("id=value", pair);
    entries.push([String(pair).slice(0, at), String(pair).slice(at + 1)]);
  }
  return { value: Object.fromEntries(entries) };
}
