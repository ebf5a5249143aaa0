import { isClabe } from "../countries/mexico/clabe.ts";
import { isCnpj } from "../countries/brazil/documents.ts";
import { UUID_PATTERN } from "../engine/uuid.ts";

/** The reason why a value is hidden: it gives access, or it is the security code or the number of a card. */
type Confidential = "secret" | "code" | "card";

/** The endings of names of fields, headers and parameters with such values, in lower case and without punctuation. */
const NAMES: readonly (readonly [ending: RegExp, Confidential])[] = [
  [
    /(?:secret|password|passwd|token|apikey|privatekey|subscriptionkey|assertion|cookie|authorization)$/,
    "secret",
  ],
  [/(?:securitycode|cvv2?|cvc2?|cvn2?|csc|cav2|codigo(?:de)?seguranca)$|^(?:card)?pin$/, "code"],
  [/card(?:number|num|no)?$|^(?:cc|card|account|d|f)?pan$|^cc(?:number|num|no)?$|cartao$/, "card"],
];

/** Returns why the value of a field, a header or a parameter is not shown. Undefined if its name is harmless. */
export function confidentialAs(name: string): Confidential | undefined {
  if (name === "") return undefined;
  const known = knownNames.get(name);
  if (known !== undefined || knownNames.has(name)) return known;
  const plain = plainName(name);
  const as = NAMES.find(([ending]) => ending.test(plain))?.[1];
  if (knownNames.size < KNOWN_NAMES_MAX && name.length <= 100) knownNames.set(name, as);
  return as;
}

function plainName(name: string): string {
  return name
    .normalize("NFD")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, "");
}

/** Names that were looked at, up to a bound: clients send the same few names again and again. */
const knownNames = new Map<string, Confidential | undefined>();
const KNOWN_NAMES_MAX = 2_000;

/**
 * A string of JSON, which may be cut off, and the colon after the name of a field. It matches at each quotation mark,
 * so no character is read twice.
 */
const STRING = /"([^"\\]*(?:\\.[^"\\]*)*)(?:"(\s*:)?|\\?$)/gs;

/** Returns true if a field of a JSON text may have a confidential name. Most bodies have only other names. */
function hasConfidentialName(text: string): boolean {
  for (const [, name = "", colon] of text.matchAll(STRING))
    if (colon !== undefined && (confidentialAs(name) !== undefined || name.includes("\\"))) return true;
  return false;
}

/** Gives the stand-in for a confidential value. */
export type Replace = (value: string, as: Confidential) => string;

/**
 * Replaces the values with a confidential name in JSON, a form or a multipart form. Everything else stays to the last
 * byte, in broken JSON as well. A text without fields is returned as it is.
 */
export function withValues(text: string, replace: Replace): string {
  if (STRUCTURE.test(text)) return hasConfidentialName(text) ? withJsonValues(text, replace) : text;
  if (PARTS.test(text)) return withPartValues(text, replace);
  return FORM.test(text) ? withFormValues(text, replace) : text;
}

/** Returns true if a text is a form, whose fields have names. */
export function isForm(text: string): boolean {
  return PARTS.test(text) || FORM.test(text);
}

const STRUCTURE = /^\uFEFF?\s*[[{]/;
const PARTS = /^\s*--/;
const FORM = /^[^\s=&<>{}"]{1,200}=[^\n]*$/;

/** Replaces the confidential parameters of a form, or of a query. */
export function withFormValues(text: string, replace: Replace): string {
  return text
    .split("&")
    .map((pair) => {
      const at = pair.indexOf("=");
      const as = at < 0 ? undefined : confidentialAs(decoded(pair.slice(0, at)));
      if (as === undefined) return pair;
      const value = decoded(pair.slice(at + 1));
      const replaced = replace(value, as);
      return replaced === value ? pair : `${pair.slice(0, at)}=${encodeURIComponent(replaced)}`;
    })
    .join("&");
}

function decoded(part: string): string {
  const text = part.replaceAll("+", " ");
  try {
    return decodeURIComponent(text);
  } catch {
    // A part is not UTF-8. Masked values are ASCII.
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
      const as = confidentialAs(name);
      if (as === undefined) return part;
      const value = part.slice(head.length);
      const end = /\r?\n$/.exec(value)?.[0] ?? "";
      return head + replace(value.slice(0, value.length - end.length), as) + end;
    })
    .join(boundary);
}

/** A string (even a cut-off string), a sign, or a number or word. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?$)|[{}[\]:,]|[^\s{}[\]:,"]+/gs;
const COLON = /\s*:/y;

/** Properties that the values in a list or an object inherit from its name. */
interface Level {
  readonly as: Confidential | undefined;
  readonly isCard: boolean;
}

function withJsonValues(text: string, replace: Replace): string {
  const levels: Level[] = [];
  let level: Level = { as: undefined, isCard: false };
  let field = level;
  return text.replaceAll(TOKEN, (token: string, at: number) => {
    if (token === "{" || token === "[") {
      levels.push(level);
      level = field;
    } else if (token === "}" || token === "]") {
      level = levels.pop() ?? level;
      field = level;
    } else if (token === ",") field = level;
    else if (token.startsWith('"')) {
      COLON.lastIndex = at + token.length;
      if (COLON.test(text)) field = fieldIn(level, stringIn(token));
      else if (field.as !== undefined) {
        const value = stringIn(token);
        const replaced = replace(value, field.as);
        if (replaced !== value) return JSON.stringify(replaced);
      }
    } else if (field.as !== undefined && /^-?\d/.test(token)) {
      const value = /[.e]/i.test(token) ? String(Number(token)) : token;
      const replaced = replace(value, field.as);
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
    isCard: isCard || own === "card",
  };
}

/** Returns the value of a string of JSON. A cut-off or invalid string gives its text. */
function stringIn(token: string): string {
  if (!token.includes("\\") && token.length > 1 && token.endsWith('"')) return token.slice(1, -1);
  try {
    return JSON.parse(token) as string;
  } catch {
    return token.slice(1).replaceAll(/\\u([0-9a-f]{4})/gi, (_, code: string) => codeUnit(code));
  }
}

/** Returns the digits of a card number in the field of a card; undefined if the value has too few or too many. */
export function cardDigits(value: string): string | undefined {
  const digits = value.replaceAll(/\D/g, "");
  return digits.length >= 12 && digits.length <= LENGTH_MAX ? digits : undefined;
}

/** Ids of objects, hashes and keys. Their digits do not form a number. */
const ID = new RegExp(`(${UUID_PATTERN}|[0-9a-f]{32,})`, "gi");

/** Digits with up to three blanks or dashes between two of them. */
const DIGITS = /\d(?:[\s\p{Pd}]{0,3}\d){12,}/gu;
const SOME_DIGITS = /\d(?:[\s\p{Pd}]{0,3}\d){12}/u;

/**
 * Replaces what looks like the number of a card in a text without fields. Blanks and dashes between its digits stay.
 * Only for the written copy of such a text: in a field any number may be an id.
 */
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

/** Puts other digits into the places of the digits of a text. */
export function inPlaceOf(text: string, digits: string): string {
  let next = 0;
  return text.replaceAll(/\d/g, () => digits[next++] ?? "");
}
