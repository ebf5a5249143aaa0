import type { Records } from "../engine/store.ts";
import { accessTokens } from "./companies/access-token.ts";
import { cardCheckSum } from "./orders/card-number.ts";
import { cardDigits, inPlaceOf, isForm, withCardNumbers, withValues } from "./confidential.ts";
import { companies } from "./companies/company.ts";
import { testCards } from "./orders/checkout.ts";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { sha256 } from "@noble/hashes/sha2.js";

/** The beginning of the stand-in for a secret. */
export const MASK = "masked";

/**
 * Returns the copy of a request's text that is written down. Operations work with the text itself. Fields whose names
 * are those of cards and secrets get stand-ins. Known secrets and test cards stay, because a recording needs them.
 * A recording gives the same answers because of three rules:
 *
 * 1. A stand-in has the same length, form and check sum. It passes the same checks.
 * 2. Different values have different stand-ins. So a reused key is refused again.
 * 3. The copy of a copy is the copy itself.
 */
export function writtenCopy(text: string, known: Records): string {
  const found: FoundCards = { numbers: [], codes: [], isShown: false };
  const copy = withValues(text, (value, as) => {
    if (as === "secret") return secretStandIn(value, known);
    if (as === "code") found.codes.push(value);
    else noteCard(found, value, known);
    return value;
  });
  const { numbers, codes, isShown } = found;
  // The code of a test card is public, and that of a stand-in is a stand-in.
  if (numbers.length === 0 && (isShown || codes.length === 0)) return copy;
  return withValues(copy, (value, as) => {
    if (as === "secret") return value;
    if (as === "code") return value.replaceAll(/\d/g, "0");
    const digits = cardDigits(value);
    return digits !== undefined && numbers.includes(digits)
      ? inPlaceOf(value, cardStandIn(digits, codes))
      : value;
  });
}

/** Returns the copy of a text that is neither JSON nor a form: card numbers are found by their look. */
export function writtenCopyOfText(text: string, known: Records): string {
  const copy = writtenCopy(text, known);
  if (isForm(text)) return copy;
  return withCardNumbers(copy, (number) => (isShownCard(number, known) ? number : cardStandIn(number, [])));
}

interface FoundCards {
  /** The numbers that need a stand-in. */
  readonly numbers: string[];
  readonly codes: string[];
  /** True if a number is there that may be written down. */
  isShown: boolean;
}

function noteCard(found: FoundCards, value: string, known: Records): void {
  const digits = cardDigits(value);
  if (digits === undefined) return;
  if (isShownCard(digits, known)) found.isShown = true;
  else found.numbers.push(digits);
}

function isShownCard(number: string, known: Records): boolean {
  return number.startsWith(STAND_IN_START) || known.get(testCards, number) !== undefined;
}

/** No payment card has a number that begins so (ISO/IEC 7812). */
const STAND_IN_START = "000";

/**
 * Returns the stand-in for a card number: its last four digits, its check sum and four digits of a hash.
 * These tell two cards apart, and are too few to find the number.
 */
function cardStandIn(number: string, codes: readonly string[]): string {
  const tag = String(Number.parseInt(hashOf([number, ...codes.toSorted()]).slice(0, 8), 16) % 10_000);
  const start = tag.padStart(4, "0").padStart(number.length - 5, "0");
  const last = number.slice(-4);
  const digit = (10 + cardCheckSum(number) - cardCheckSum(`${start}0${last}`)) % 10;
  return `${start}${digit}${last}`;
}

const SECRET_STAND_IN = new RegExp(`^${MASK}(?:-[0-9a-f]{4}\\.*)?$`);

/** Returns the stand-in for a secret. It has the same number of characters, unless the secret is a short one. */
export function secretStandIn(value: string, known: Records): string {
  if (value.trim() === "" || SECRET_STAND_IN.test(value) || isKnownSecret(value, known)) return value;
  return `${MASK}-${hashOf([value]).slice(0, 4)}`.padEnd(Array.from(value).length, ".");
}

function hashOf(parts: readonly string[]): string {
  return bytesToHex(sha256(utf8ToBytes(JSON.stringify(parts))));
}

/** Returns true if a secret belongs to the world: a token, a stored test card, or a secret of a company. */
export function isKnownSecret(secret: string, known: Records): boolean {
  if (known.get(accessTokens, secret) !== undefined) return true;
  if (known.find(testCards, "token", secret).length > 0) return true;
  for (const { clientSecret, webhook } of known.all(companies))
    if ([clientSecret, webhook.secret, ...webhook.formerSecrets].includes(secret)) return true;
  return false;
}
