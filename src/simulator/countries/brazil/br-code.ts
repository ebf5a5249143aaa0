import { assert } from "../../engine/assertion.ts";
import { formatMoney, money, parseMoney } from "../../engine/money.ts";
import { pixKeyType } from "./pix-keys.ts";
import { Refusal } from "../../engine/refusal.ts";
import { crc16, readFields, unreadable, writeField } from "./emv.ts";

const PIX = "br.gov.bcb.pix";
const NO_TRANSACTION_ID = "***";
const ONCE = "12";
const REAL = "986";

export const MERCHANT_NAME_LENGTH_MAX = 25;
const CITY_LENGTH_MAX = 15;
/** The longest URL that fits into field 26 after the name of the arrangement; also the limit of the central bank. */
const LOCATION_LENGTH_MAX = 77;
/** The limit of the central bank's interface for a copy-and-paste payload. */
const CODE_LENGTH_MAX = 512;
/** EMV: field 54 has at most thirteen characters. */
const AMOUNT_LENGTH_MAX = 13;

const PRINTABLE_ASCII = /^[ -~]+$/;
const LOCATION = /^[!-~]+$/;
const STATIC_TRANSACTION_ID = /^[a-zA-Z0-9]{1,25}$/;

interface Merchant {
  /** At most 25 characters of printable ASCII: see `asciiUpper`. */
  readonly merchantName: string;
  /** At most 15 characters of printable ASCII: see `asciiUpper`. */
  readonly city: string;
}

interface StaticCharge extends Merchant {
  readonly key: string;
  /** Centavos; without it the payer chooses the amount. */
  readonly amountMinor?: number;
  /** 1 to 25 letters and digits. */
  readonly txid?: string;
  /** Printable ASCII; it shares 73 characters with the key. */
  readonly description?: string;
}

interface DynamicCharge extends Merchant {
  /** The URL of the charge without `https://`, at most 77 characters. */
  readonly location: string;
  /** Centavos, for display: the amount that the location answers decides. */
  readonly amountMinor?: number;
}

interface Recurrence extends Merchant {
  /** The URL of the recurrence without `https://`, at most 77 characters. */
  readonly recurrenceLocation: string;
  /** The URL of the charge that the same reading pays: present in journey 3, absent in journey 2. */
  readonly chargeLocation?: string;
}

/** The content of a text that should be a BR Code. `reason` is a clause without a full stop. */
export type BrCode =
  | ({ readonly kind: "static"; readonly recurrenceLocation?: string } & StaticCharge)
  | ({ readonly kind: "dynamic"; readonly recurrenceLocation?: string } & DynamicCharge)
  | ({ readonly kind: "recurrence"; readonly recurrenceLocation: string } & Merchant)
  | { readonly kind: "unreadable"; readonly reason: string };

/** The code of a PIX key, which can be paid any number of times. A value outside the limits of the format is a bug. */
export function staticBrCode(charge: StaticCharge): string {
  const { key, txid = NO_TRANSACTION_ID, description } = charge;
  assert(pixKeyType(key) !== undefined, `${key} is not a PIX key`);
  assert(txid === NO_TRANSACTION_ID || STATIC_TRANSACTION_ID.test(txid), `${txid} is not a static txid`);
  assert(description === undefined || PRINTABLE_ASCII.test(description), "a description is not ASCII");
  const account = writeField("01", key) + (description === undefined ? "" : writeField("02", description));
  return writeCode({ ...charge, account, txid });
}

/** The code of one charge behind a URL, which can be paid once. A value outside the limits of the format is a bug. */
export function dynamicBrCode(charge: DynamicCharge): string {
  return writeCode({ ...charge, once: true, account: locationField(charge.location) });
}

/** The code of a PIX Automático authorization: alone (journey 2), or with a charge to be paid (journey 3). */
export function recurrenceBrCode({ recurrenceLocation, chargeLocation, ...merchant }: Recurrence): string {
  const recurrence = locationField(recurrenceLocation);
  if (chargeLocation === undefined) return writeCode({ recurrence, ...merchant });
  return writeCode({ once: true, account: locationField(chargeLocation), recurrence, ...merchant });
}

/** `JOAO ACAI`: the text in capital ASCII, cut to `maxLength`; empty when no character can be written so. */
export function asciiUpper(text: string, maxLength: number): string {
  const plain = text.normalize("NFKD").replace(/\p{Mark}/gu, "");
  const upper = plain.toUpperCase().replace(/[^!-~]+/g, " ");
  return upper.trim().slice(0, maxLength).trimEnd();
}

/**
 * Reads any BR Code of PIX. A text that is cut, altered, incomplete or of another arrangement is
 * unreadable, with the reason; a code with a recurrence and no charge carries no payment.
 */
export function decodeBrCode(text: string): BrCode {
  try {
    return readCode(text);
  } catch (error) {
    if (error instanceof Refusal) return { kind: "unreadable", reason: error.message };
    throw error;
  }
}

interface CodeParts extends Merchant {
  readonly once?: boolean;
  readonly account?: string;
  readonly amountMinor?: number;
  readonly txid?: string;
  readonly recurrence?: string;
}

function writeCode(parts: CodeParts): string {
  const { account = "", amountMinor, merchantName, city, txid = NO_TRANSACTION_ID, recurrence } = parts;
  assertText("the merchant's name", merchantName, MERCHANT_NAME_LENGTH_MAX);
  assertText("the city", city, CITY_LENGTH_MAX);
  assert(amountMinor === undefined || amountMinor > 0, `a BR Code of ${amountMinor} centavos`);
  const arrangement = writeField("00", PIX);
  const covered = [
    writeField("00", "01"),
    parts.once === true ? writeField("01", ONCE) : "",
    writeField("26", arrangement + account),
    writeField("52", "0000"),
    writeField("53", REAL),
    amountMinor === undefined ? "" : writeField("54", formatMoney(money("BRL", amountMinor))),
    writeField("58", "BR"),
    writeField("59", merchantName),
    writeField("60", city),
    writeField("62", writeField("05", txid)),
    recurrence === undefined ? "" : writeField("80", arrangement + recurrence),
    "6304",
  ].join("");
  return covered + crc16(covered);
}

function assertText(what: string, text: string, lengthMax: number): void {
  assert(PRINTABLE_ASCII.test(text) && text.length <= lengthMax, `${what} does not fit a BR Code: "${text}"`);
}

function locationField(location: string): string {
  const fits = LOCATION.test(location) && !location.includes("://") && location.length <= LOCATION_LENGTH_MAX;
  assert(fits, `${location} is not a location of a BR Code`);
  return writeField("25", location);
}

type Fields = ReadonlyMap<string, string>;

function readCode(text: string): BrCode {
  if (text.length > CODE_LENGTH_MAX) throw unreadable(`it is longer than ${CODE_LENGTH_MAX} characters`);
  const fields = readFields(text, "the code");
  checkFrame(text, fields);
  const merchant = { merchantName: required(fields, "59"), city: required(fields, "60") };
  const account = pixTemplate(fields, 26, 51);
  if (account === undefined) throw unreadable(`it is not a PIX code: no field 26 to 51 names ${PIX}`);
  const recurrenceLocation = pixTemplate(fields, 80, 99)?.get("25");
  const amountMinor = readAmount(fields.get("54"));
  const payable = {
    ...merchant,
    ...(recurrenceLocation === undefined ? {} : { recurrenceLocation }),
    ...(amountMinor === undefined ? {} : { amountMinor }),
  };
  const location = account.get("25");
  if (location !== undefined) return { kind: "dynamic", location, ...payable };
  const key = account.get("01");
  if (key !== undefined) return { kind: "static", ...payable, ...readStatic(key, account, fields) };
  if (recurrenceLocation !== undefined) return { kind: "recurrence", recurrenceLocation, ...merchant };
  throw unreadable("it carries neither a PIX key nor the location of a charge or recurrence");
}

/** The version comes first, the checksum last and correct; country and currency are those of PIX. */
function checkFrame(text: string, fields: Fields): void {
  if (!text.startsWith("000201")) throw unreadable("it does not begin with 000201");
  if ([...fields.keys()].at(-1) !== "63" || required(fields, "63").length !== 4) {
    throw unreadable("it does not end with its checksum (field 63)");
  }
  const checksum = crc16(text.slice(0, -4));
  if (!text.endsWith(checksum)) {
    throw unreadable(`its checksum is ${text.slice(-4)} and its text gives ${checksum}`);
  }
  if (!/^\d{4}$/.test(required(fields, "52"))) throw unreadable("field 52 is not a merchant category");
  if (required(fields, "53") !== REAL) throw unreadable(`field 53 is not ${REAL}, the Brazilian real`);
  if (required(fields, "58") !== "BR") throw unreadable("field 58 is not BR");
}

function required(fields: Fields, id: string): string {
  const value = fields.get(id);
  if (value === undefined) throw unreadable(`field ${id} is missing`);
  return value;
}

/**
 * The fields of the first template between two ids that belongs to PIX; there may be templates of other arrangements.
 */
function pixTemplate(fields: Fields, first: number, last: number): Fields | undefined {
  for (const [id, value] of fields) {
    if (Number(id) < first || Number(id) > last) continue;
    const template = readFields(value, `field ${id}`);
    if (template.get("00")?.toLowerCase() === PIX) return template;
  }
  return undefined;
}

/** An amount of zero leaves the amount to the payer, as its absence does. */
function readAmount(text: string | undefined): number | undefined {
  if (text === undefined || /^0+(\.0{0,2})?$/.test(text)) return undefined;
  const amount = text.length > AMOUNT_LENGTH_MAX ? undefined : parseMoney("BRL", text);
  if (amount === undefined) throw unreadable(`field 54 is ${text}, which is not an amount`);
  return amount.minor;
}

function readStatic(
  key: string,
  account: Fields,
  fields: Fields,
): Pick<StaticCharge, "key" | "txid" | "description"> {
  if (pixKeyType(key) === undefined) throw unreadable(`${key} is not a PIX key`);
  const additional = fields.get("62");
  const txid = additional === undefined ? undefined : readFields(additional, "field 62").get("05");
  const description = account.get("02");
  return {
    key,
    ...(txid === undefined || txid === NO_TRANSACTION_ID ? {} : { txid }),
    ...(description === undefined ? {} : { description }),
  };
}
