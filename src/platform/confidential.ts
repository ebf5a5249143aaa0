import { cardCheckSum } from "./orders/card-number.ts";
import { isClabe } from "../countries/mexico/clabe.ts";
import { isCnpj } from "../countries/brazil/documents.ts";

/** Why a value is not shown: it gives access, is the security code of a card, or the number of one. */
export type Confidential = "secret" | "code" | "card";

/** How the names of fields, headers and parameters with such values end, in lower case and without punctuation. */
const NAMES: readonly (readonly [ending: RegExp, Confidential])[] = [
  [
    /(?:secret|password|passwd|token|apikey|privatekey|subscriptionkey|assertion|cookie|authorization)$/,
    "secret",
  ],
  [/(?:securitycode|cvv2?|cvc2?|cvn2?|csc|cav2|codigo(?:de)?seguranca)$|^(?:card)?pin$/, "code"],
  [/card(?:number|num|no)?$|^(?:cc|card|account|d|f)?pan$|^cc(?:number|num|no)?$|cartao$/, "card"],
];

/** Why the value of a field, a header or a parameter is not shown; undefined where its name says nothing. */
export function confidentialAs(name: string): Confidential | undefined {
  if (name === "") return undefined;
  const plain = plainName(name);
  return NAMES.find(([ending]) => ending.test(plain))?.[1];
}

function plainName(name: string): string {
  return name
    .normalize("NFD")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, "");
}

/** A part of each name above, however it is written. */
const SOME_NAME =
  /secret|passw|token|(?:api|private|subscription)[^a-z]?key|assertion|cookie|authori|security[^a-z]?code|c[av]v|cv[cn]|csc|seguran|[^a-z]pin[^a-z]|pan[^a-z]|[^a-z]cc|card|cart[aã]/i;

/** Whether a body has to be looked at closely: most have nothing that could be confidential. */
function maybeConfidential(text: string): boolean {
  return SOME_NAME.test(text) || /\\u|%/.test(text) || SOME_DIGITS.test(text.replaceAll(ID, ""));
}

/** Gives what is shown of a value. `name` is that of its field; empty where it has none. */
export type Replace = (value: string, as: Confidential | undefined, name: string) => string;

/** JSON in the text of a field of JSON, and so on, is looked at so often. */
const NESTED_MAX = 3;

/**
 * A body with its values replaced: JSON, a form, a multipart form or any other text. What is not replaced stays to the
 * last byte, fields that are there twice as well; so a body that is broken or cut off is no exception.
 */
export function withValues(text: string, replace: Replace, nested = 0): string {
  if (nested === 0 && !maybeConfidential(text)) return text;
  const inner: Replace = (value, as, name) =>
    nested < NESTED_MAX && as === undefined && STRUCTURE.test(value)
      ? withValues(value, replace, nested + 1)
      : replace(value, as, name);
  if (STRUCTURE.test(text) || /^\s*"/.test(text)) return withJsonValues(text, inner);
  if (/^\s*--/.test(text)) return withPartValues(text, inner);
  if (FORM.test(text)) return withFormValues(text, inner);
  return replace(text, undefined, "");
}

const STRUCTURE = /^\uFEFF?\s*[[{]/;
const FORM = /^[^\s=&<>{}"]{1,200}=[^\n]*$/;

/** The parameters of a form, or of a query, with their values replaced. */
export function withFormValues(text: string, replace: Replace): string {
  const shown = (part: string, as: (value: string) => string): string => {
    const value = decoded(part);
    const replaced = as(value);
    return replaced === value ? part : encodeURIComponent(replaced);
  };
  return text
    .split("&")
    .map((pair) => {
      const at = pair.indexOf("=");
      const written = at < 0 ? pair : pair.slice(0, at);
      const name = decoded(written);
      const key = shown(written, (value) => replace(value, undefined, ""));
      return at < 0
        ? key
        : `${key}=${shown(pair.slice(at + 1), (value) => replace(value, confidentialAs(name), name))}`;
    })
    .join("&");
}

function decoded(part: string): string {
  const text = part.replaceAll("+", " ");
  try {
    return decodeURIComponent(text);
  } catch {
    // Some of it is no UTF-8. What is masked is ASCII.
    return text.replaceAll(/%([0-7][0-9a-f])/gi, (_, code: string) => codeUnit(code));
  }
}

function codeUnit(hex: string): string {
  return String.fromCharCode(Number.parseInt(hex, 16));
}

function withPartValues(text: string, replace: Replace): string {
  const [boundary = "--"] = /--[^\r\n]*/.exec(text) ?? [];
  return text
    .split(boundary)
    .map((part) => {
      const [blank = ""] = /\r?\n\r?\n/.exec(part) ?? [];
      const head = part.slice(0, part.indexOf(blank) + blank.length);
      const [, name = ""] = /\bname="([^"]*)"/.exec(head) ?? [];
      const value = part.slice(head.length);
      const end = /\r?\n$/.exec(value)?.[0] ?? "";
      return head + replace(value.slice(0, value.length - end.length), confidentialAs(name), name) + end;
    })
    .join(boundary);
}

/** A string, also one that was cut off, a sign, or a number or word. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?$)|[{}[\]:,]|[^\s{}[\]:,"]+/gs;
const COLON = /\s*:/y;

/** What the values in a list or an object inherit from the name of it. */
interface Level {
  readonly as: Confidential | undefined;
  readonly name: string;
  readonly isCard: boolean;
}

function withJsonValues(text: string, replace: Replace): string {
  const levels: Level[] = [];
  let level: Level = { as: undefined, name: "", isCard: false };
  let field = level;
  const shown = (token: string, value: string, of: Level): string => {
    const replaced = replace(value, of.as, of.name);
    return replaced === value ? token : JSON.stringify(replaced);
  };
  return text.replaceAll(TOKEN, (token: string, at: number) => {
    if (token === "{" || token === "[") {
      levels.push(level);
      level = field;
    } else if (token === "}" || token === "]") {
      level = levels.pop() ?? level;
      field = level;
    } else if (token === ",") field = level;
    else if (token.startsWith('"')) {
      const value = stringIn(token);
      COLON.lastIndex = at + token.length;
      if (!COLON.test(text)) return shown(token, value, field);
      field = fieldIn(level, value);
      return shown(token, value, { ...level, as: undefined });
    } else if (/^-?\d/.test(token)) {
      const value = /[.e]/i.test(token) ? String(Number(token)) : token;
      const replaced = replace(value, field.as, field.name);
      if (replaced !== value) return /^-?(?:0|[1-9]\d*)$/.test(replaced) ? replaced : "0";
    }
    return token;
  });
}

function fieldIn({ as, isCard }: Level, name: string): Level {
  const own = confidentialAs(name);
  const isNumber = isCard && /^n(?:umber|um|umero|o)$/i.test(name);
  return {
    as: own ?? (isNumber ? "card" : as === "card" ? undefined : as),
    name,
    isCard: isCard || own === "card",
  };
}

/** The value of a string of JSON; of one that is cut off or wrong, its text. */
function stringIn(token: string): string {
  if (!token.includes("\\") && token.length > 1 && token.endsWith('"')) return token.slice(1, -1);
  try {
    return JSON.parse(token) as string;
  } catch {
    return token.slice(1).replaceAll(/\\u([0-9a-f]{4})/gi, (_, code: string) => codeUnit(code));
  }
}

/** What is shown of each kind of value. */
export interface Masks {
  readonly secret: (value: string) => string;
  readonly code: (value: string) => string;
  /** Gives as many signs as the number has digits. */
  readonly card: (number: string) => string;
}

/** Replaces what is confidential by its name, and the numbers of cards wherever they are. */
export function masking({ secret, code, card }: Masks): Replace {
  return (value, as) => {
    if (value === "") return value;
    if (as === "secret") return secret(value);
    if (as === "code") return code(value);
    const digits = as === "card" ? value.replaceAll(/\D/g, "") : "";
    if (digits.length >= 12 && digits.length <= LENGTH_MAX) return inPlaceOf(value, card(digits));
    return withCardNumbers(value, card);
  };
}

/** Ids of objects, hashes and keys, whose digits are no number. */
const ID = /([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{32,})/gi;

/** Digits with up to three blanks or dashes between two of them. */
const DIGITS = /\d(?:[\s\p{Pd}]{0,3}\d){12,}/gu;
const SOME_DIGITS = /\d(?:[\s\p{Pd}]{0,3}\d){12}/u;

/** A text with the numbers of cards in it replaced. Blanks and dashes between their digits stay where they are. */
export function withCardNumbers(text: string, replace: (number: string) => string): string {
  if (!SOME_DIGITS.test(text)) return text;
  return text
    .split(ID)
    .map((part, index) =>
      index % 2 === 1 && /[a-f-]/i.test(part)
        ? part
        : part.replaceAll(DIGITS, (digits) => withNumbers(digits, replace)),
    )
    .join("");
}

/** A masked number may be a part of another one; then that is masked next. */
const ROUNDS_MAX = 10;

function withNumbers(digits: string, replace: (number: string) => string): string {
  let shown = digits;
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const before = shown;
    shown = withEachNumber(before, replace);
    if (shown === before) break;
  }
  return shown;
}

/** Blanks and dashes divide digits into groups. A number is some groups in a row: others may stand next to it. */
function withEachNumber(text: string, replace: (number: string) => string): string {
  const groups = text.split(/\D+/);
  const digits = groups.join("");
  let length = 0;
  const ends = groups.map((group) => (length += group.length));
  const isChecked = checkSums(digits);
  let shown = "";
  let done = 0;
  for (let group = 0; group < ends.length; group++) {
    const start = ends[group - 1] ?? 0;
    if (start < done) continue;
    let end = 0;
    // The longest number that begins here.
    for (let at = group; ends[at]! - start <= LENGTH_MAX; at++)
      if (isChecked(start, ends[at]!) && isCardNumber(digits.slice(start, ends[at]))) end = ends[at]!;
    if (end === 0) continue;
    shown += digits.slice(done, start) + replace(digits.slice(start, end));
    done = end;
  }
  return done === 0 ? text : inPlaceOf(text, shown + digits.slice(done));
}

/** Whether the digits from one place to another have the check sum of a card: each digit is looked at once for all. */
function checkSums(digits: string): (from: number, to: number) => boolean {
  const even = [0];
  const odd = [0];
  for (let at = 0; at < digits.length; at++) {
    const digit = digits.charCodeAt(at) - 48;
    const doubled = digit > 4 ? 2 * digit - 9 : 2 * digit;
    even.push(even[at]! + (at % 2 === 0 ? digit : doubled));
    odd.push(odd[at]! + (at % 2 === 0 ? doubled : digit));
  }
  return (from, to) => {
    const sums = to % 2 === 1 ? even : odd;
    return (sums[to]! - sums[from]!) % 10 === 0;
  };
}

const LENGTH_MAX = 19;

/** The numbers of payment cards (ISO/IEC 7812): no instant in milliseconds is one, and no date. */
const CARD_NUMBER = /^(?:4\d{12}|(?:[3-6]\d|2[2-7])\d{12,17})$/;

/** Whether digits with the check sum of a card are the number of one: every tenth CNPJ and CLABE has it too. */
function isCardNumber(number: string): boolean {
  return CARD_NUMBER.test(number) && !isCnpj(number) && !isClabe(number);
}

/**
 * The number of a card with only its first and last digits; in between are equal ones, and one that keeps the check sum
 * as it was: the number stays as valid as it was, and is masked once and for all. That of a test card decides what
 * happens, so it stays, and no other becomes one.
 */
export function maskedCardNumber(number: string, isTestCard: (number: string) => boolean): string {
  if (isTestCard(number)) return number;
  const shown = number.length < 16 ? 4 : 6;
  const last = number.slice(-4);
  for (const filler of "0123456789") {
    const first = number.slice(0, shown) + filler.repeat(number.length - shown - 5);
    const digit = (10 + cardCheckSum(number) - cardCheckSum(`${first}0${last}`)) % 10;
    const masked = `${first}${digit}${last}`;
    if (!isTestCard(masked)) return masked;
  }
  return "0".repeat(number.length);
}

/** A text with other digits, each in its place. */
function inPlaceOf(text: string, digits: string): string {
  let next = 0;
  return text.replaceAll(/\d/g, () => digits[next++] ?? "");
}
