import { createHash, createHmac } from "node:crypto";
import { cardCheckSum } from "../simulator/platform/orders/card-number.ts";
import {
  cnpjFrom,
  cpfFrom,
  hasCnpjForm,
  hasCpfForm,
  isCnpj,
  isCpf,
} from "../simulator/countries/brazil/documents.ts";
import { crc16, readFields, writeField } from "../simulator/countries/brazil/emv.ts";

const KNOWN_MAX = 20_000;

const ALL_EQUAL = /^(.)\1*$/;

/**
 * Replaces values by stand-ins of the same form. Equal values get equal stand-ins, so relations survive. Right check
 * digits of documents and cards stay right, and wrong ones stay wrong. A stand-in can be computed only with the key.
 */
export class StandIns {
  readonly #key: Uint8Array;
  /** The stand-ins so far by their value, to find the values in sentences. */
  readonly #known = new Map<string, string>();

  constructor(key: Uint8Array) {
    this.#key = key;
  }

  /** Replaces a token, a password, a key or any other text: letters by letters, digits by digits. */
  text(value: string): string {
    return this.#keep(value, (text) => this.#scrambled(text));
  }

  /** Replaces a CPF, a CNPJ or any other document number, with or without punctuation. */
  document(value: string): string {
    const compact = value.replace(/[^0-9A-Za-z]/g, "").toUpperCase();
    if (ALL_EQUAL.test(compact)) return value;
    return this.#keep(value, () => inFormOf(value, this.#plainDocument(compact)));
  }

  /** Replaces an address such as `name@host.example`. The last label of the host stays. */
  email(value: string): string {
    return this.#keep(value, () => {
      const [, address = value, last = ""] = /^(.*@.*?)(\.[^.@]*)?$/s.exec(value) ?? [];
      const lower = this.#scrambled(address.toLowerCase());
      const cased = Array.from(lower, (sign, at) =>
        /[A-Z]/.test(address[at] ?? "") ? sign.toUpperCase() : sign,
      );
      return cased.join("") + last;
    });
  }

  /** Replaces a phone number such as `+5511…`. The country code stays. */
  phone(value: string): string {
    return this.#keep(value, () => {
      const [, country = "", rest = ""] = /^(\+\d{2})?(.*)$/s.exec(value) ?? [];
      return country + this.#scrambled(rest);
    });
  }

  /** Replaces a PIX key of any kind. */
  pixKey(value: string): string {
    if (value.includes("@")) return this.email(value);
    if (value.startsWith("+")) return this.phone(value);
    if (/^[0-9a-f]{8}-/i.test(value)) return this.#keep(value, () => this.#uuid(value));
    return this.document(value);
  }

  /** Replaces a card number. Its first six digits stay. A right check sum stays right, and a wrong one stays wrong. */
  card(value: string): string {
    return this.#keep(value, () => {
      if (!/^\d{12,19}$/.test(value)) return this.#scrambled(value);
      const body = value.slice(0, 6) + this.#scrambled(value.slice(6, -1));
      return body + ((10 + cardCheckSum(value) - cardCheckSum(`${body}0`)) % 10);
    });
  }

  /** Replaces a date such as `1985-03-21` by another day of the calendar. */
  date(value: string): string {
    if (!/^\d{4}-\d{2}-\d{2}$/.test(value)) return this.text(value);
    return this.#keep(value, () => {
      const [year = 0, month = 0, day = 0] = this.#bytes(value, 3);
      const two = (number: number): string => String(number).padStart(2, "0");
      return `${1940 + (year % 60)}-${two(1 + (month % 12))}-${two(1 + (day % 28))}`;
    });
  }

  /** Replaces key, name and text in the payload of a PIX QR code. A right checksum stays right. */
  brCode(value: string): string {
    return this.#keep(value, () => {
      try {
        return this.#payload(value);
      } catch {
        return this.#scrambled(value);
      }
    });
  }

  /** Replaces words of a sentence that were replaced elsewhere. */
  sentence(text: string): string {
    if (!/\s/.test(text)) return text;
    let result = text;
    for (const [value, standIn] of this.#known) {
      if (value.length > 2 && result.includes(value)) result = withWord(result, value, standIn);
    }
    return result;
  }

  #keep(value: string, replaced: (value: string) => string): string {
    const known = this.#known.get(value);
    if (known !== undefined) return known;
    if (value === "") return value;
    const standIn = replaced(value);
    // The key alone determines the stand-in. The known values are needed only for sentences.
    if (this.#known.size < KNOWN_MAX) this.#known.set(value, standIn);
    return standIn;
  }

  #plainDocument(compact: string): string {
    const scrambled = this.#scrambled(compact);
    const isForm = hasCpfForm(compact) || hasCnpjForm(compact);
    if (!isForm) return scrambled;
    const valid = hasCpfForm(compact) ? cpfFrom(scrambled.slice(0, 9)) : cnpjFrom(scrambled.slice(0, 12));
    if (isCpf(compact) || isCnpj(compact)) return valid;
    return valid.slice(0, -1) + ((Number(valid.at(-1)) + 1) % 10);
  }

  #uuid(value: string): string {
    const bytes = this.#bytes(value.toLowerCase(), value.length);
    // The digits of version and variant stay.
    return Array.from(value, (sign, index) =>
      sign === "-" || index === 14 || index === 19 ? sign : ((bytes[index] ?? 0) % 16).toString(16),
    ).join("");
  }

  #payload(value: string): string {
    const fields = readFields(value, "the payload");
    const inner = (text: string, replace: Readonly<Record<string, (value: string) => string>>): string =>
      Array.from(readFields(text, "a field"), ([id, part]) =>
        writeField(id, replace[id]?.(part) ?? part),
      ).join("");
    const written = Array.from(fields, ([id, field]) => {
      if (id === "26")
        return writeField(
          id,
          inner(field, { "01": (key) => this.pixKey(key), "02": (text) => this.text(text) }),
        );
      if (id === "59") return writeField(id, this.text(field));
      return id === "63" ? "" : writeField(id, field);
    }).join("");
    const had = value.slice(0, -4);
    const fitted = crc16(had) === value.slice(-4);
    const checksum = crc16(`${written}6304`);
    return `${written}6304${fitted ? checksum : notThe(checksum)}`;
  }

  /** Replaces letters by letters and digits by digits. All other characters stay. */
  #scrambled(value: string): string {
    const bytes = this.#bytes(value, value.length);
    let index = 0;
    return value.replaceAll(/[\s\S]/gu, (sign) => {
      const byte = bytes[index++] ?? 0;
      if (sign >= "0" && sign <= "9") return String(byte % 10);
      if (sign >= "A" && sign <= "Z") return String.fromCharCode(65 + (byte % 26));
      if (/\p{L}/u.test(sign)) return String.fromCharCode(97 + (byte % 26));
      return sign;
    });
  }

  #bytes(value: string, length: number): Uint8Array {
    const first = createHmac("sha256", this.#key).update(`0:${value}`).digest();
    if (length <= first.length) return first;
    // The rest comes from the first bytes: to hash the value again for each part would take long for a long value.
    const outputLength = length - first.length;
    return Buffer.concat([first, createHash("shake256", { outputLength }).update(first).digest()]);
  }
}

/** Returns a compact text with the punctuation and the case of `form`. */
function inFormOf(form: string, compact: string): string {
  let next = 0;
  return Array.from(form, (sign) => {
    if (!/[0-9A-Za-z]/.test(sign)) return sign;
    const replaced = compact[next++] ?? sign;
    return /[a-z]/.test(sign) ? replaced.toLowerCase() : replaced;
  }).join("");
}

function notThe(checksum: string): string {
  return checksum.slice(0, 3) + (checksum.endsWith("0") ? "1" : "0");
}

/** Replaces a text, but not inside a longer word. */
function withWord(text: string, word: string, other: string): string {
  const [first = "", ...rest] = text.split(word);
  const written = [first];
  let end = first.slice(-2);
  for (const after of rest) {
    const isPart = /[\p{L}\d]$/u.test(end) || /^[\p{L}\d]/u.test(after.slice(0, 2));
    const put = isPart ? word : other;
    written.push(put, after);
    end = after.length > 1 ? after.slice(-2) : `${put.slice(-2)}${after}`.slice(-2);
  }
  return written.join("");
}
