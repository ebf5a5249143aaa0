import { type Money, formatMoney } from "../../simulator/engine/money.ts";
import { parseAccept } from "hono/utils/accept";
import { type Words, english } from "./english.ts";
import { portuguese } from "./portuguese.ts";
import { spanish } from "./spanish.ts";

/** Portuguese of Brazil, Spanish of Mexico, or English. */
export type PayerLanguage = "pt" | "es" | "en";

/** The words of the pages in one language, and how it writes amounts, days and times. */
export type Texts = ReturnType<typeof textsIn>;

/** As the browser names the language, and as people who speak it call it. */
export const LANGUAGES: Readonly<Record<PayerLanguage, { readonly tag: string; readonly name: string }>> = {
  pt: { tag: "pt-BR", name: "Português" },
  es: { tag: "es-MX", name: "Español" },
  en: { tag: "en", name: "English" },
};

/**
 * Returns the language of a page: the value of `?lang=`; English if the browser asks for it first; otherwise the
 * language of the country.
 */
export function languageOf(
  {
    lang,
    acceptLanguage,
  }: { readonly lang: string | undefined; readonly acceptLanguage: string | undefined },
  ofCountry: PayerLanguage,
): PayerLanguage {
  const chosen = lang === undefined ? undefined : primaryOf(lang);
  if (chosen !== undefined && Object.hasOwn(LANGUAGES, chosen)) return chosen as PayerLanguage;
  const [first] = parseAccept(acceptLanguage ?? "");
  return first !== undefined && first.q > 0 && primaryOf(first.type) === "en" ? "en" : ofCountry;
}

/** `en` of `en-US`. */
function primaryOf(tag: string): string {
  return tag.toLowerCase().split("-")[0] ?? "";
}

const words: Readonly<Record<PayerLanguage, Words>> = { pt: portuguese, es: spanish, en: english };

/** Returns the texts of a language. */
export function textsIn(language: PayerLanguage) {
  const { tag } = LANGUAGES[language];
  return {
    language,
    tag,
    ...words[language],
    /** `R$ 1.234,50`, `$250.00`. */
    amount: (amount: Money): string =>
      new Intl.NumberFormat(tag, { style: "currency", currency: amount.currency })
        .format(formatMoney(amount) as Intl.StringNumericLiteral)
        .replaceAll("\u00a0", " "),
    /** The day of a date such as `2026-11-20`. */
    date: (date: string): string =>
      new Intl.DateTimeFormat(tag, { timeZone: "UTC", dateStyle: "long" }).format(Date.parse(date)),
    time: (instant: number, timeZone: string): string =>
      new Intl.DateTimeFormat(tag, { timeZone, dateStyle: "medium", timeStyle: "short" }).format(instant),
  };
}

/**
 * Turns an amount as people type it into the platform's form. `59,90`, `1.234,50` and `1,234.50` have a decimal
 * separator before their last one or two digits, `1.234` has only a separator of thousands. Other text is returned
 * unchanged, and is refused later.
 */
export function typedAmount(text: string): string {
  const [, whole, decimals] = /^(\d+|\d{1,3}(?:[.,]\d{3})+)(?:[.,](\d{1,2}))?$/.exec(text) ?? [];
  if (whole === undefined) return text;
  const digits = whole.replace(/[.,]/g, "");
  return decimals === undefined ? digits : `${digits}.${decimals}`;
}
