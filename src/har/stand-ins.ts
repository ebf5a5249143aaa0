import { createHmac } from "node:crypto";
import { cardCheckSum } from "../platform/orders/card-number.ts";
import { cnpjFrom, cpfFrom, hasCnpjForm, hasCpfForm, isCnpj, isCpf } from "../countries/brazil/documents.ts";
import { crc16, readFields, writeField } from "../countries/brazil/emv.ts";

const KNOWN_MAX = 20_000;

const ALL_EQUAL = /^(.)\1*$/;

/**
 * Replaces values by others of the same form: the same one for the same value, so that relations survive. A document
 * or a card whose check digits were right has right ones again, and one that was wrong stays wrong. Without the key
 * nobody can compute which value a stand-in replaces.
 */
export class StandIns {
  readonly #key: Uint8Array;
  /** What was replaced so far, to find it in other texts. */
  readonly #known = new Map<string, string>();

  constructor(key: Uint8Array) {
    this.#key = key;
  }

  /** A token, a password, a key or any other text: letters for letters, digits for digits. */
  text(value: string): string {
    return this.#keep(value, (text) => this.#scrambled(text));
  }

  /** A CPF, a CNPJ or any other number of a document, with or without punctuation. */
  document(value: string): string {
    const compact = value.replace(/[^0-9A-Za-z]/g, "").toUpperCase();
    if (ALL_EQUAL.test(compact)) return value;
    return this.#keep(value, () => inFormOf(value, this.#plainDocument(compact)));
  }

  /** `name@host.example`: the last label of the host stays. */
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

  /** `+5511…`: the country stays. */
  phone(value: string): string {
    return this.#keep(value, () => {
      const [, country = "", rest = ""] = /^(\+\d{2})?(.*)$/s.exec(value) ?? [];
      return country + this.#scrambled(rest);
    });
  }

  /** A PIX key of any kind. */
  pixKey(value: string): string {
    if (value.includes("@")) return this.email(value);
    if (value.startsWith("+")) return this.phone(value);
    if (/^[0-9a-f]{8}-/i.test(value)) return this.#keep(value, () => this.#uuid(value));
    return this.document(value);
  }

  /** A card number: its check sum stays as right or wrong as it was, and so do its first six digits. */
  card(value: string): string {
    return this.#keep(value, () => {
      if (!/^\d{12,19}$/.test(value)) return this.#scrambled(value);
      const body = value.slice(0, 6) + this.#scrambled(value.slice(6, -1));
      return body + ((10 + cardCheckSum(value) - cardCheckSum(`${body}0`)) % 10);
    });
  }

  /** `1985-03-21`: another day of the calendar. */
  date(value: string): string {
    if (!/^\d{4}-\d{2}-\d{2}$/.test(value)) return this.text(value);
    return this.#keep(value, () => {
      const [year = 0, month = 0, day = 0] = this.#bytes(value, 3);
      const two = (number: number): string => String(number).padStart(2, "0");
      return `${1940 + (year % 60)}-${two(1 + (month % 12))}-${two(1 + (day % 28))}`;
    });
  }

  /** The payload of a PIX QR code: key, name and text are replaced, and a checksum that fitted fits again. */
  brCode(value: string): string {
    return this.#keep(value, () => {
      try {
        return this.#payload(value);
      } catch {
        return this.#scrambled(value);
      }
    });
  }

  /** A sentence in which words that were replaced elsewhere are replaced. */
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
    // The same value gives the same stand-in anyway; what is known only helps to find it in sentences.
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

  /** Letters for letters and digits for digits; everything else stays. */
  #scrambled(value: string): string {
    const bytes = this.#bytes(value, value.length);
    return Array.from(value, (sign, index) => {
      const byte = bytes[index] ?? 0;
      if (/\d/.test(sign)) return String(byte % 10);
      if (/[A-Z]/.test(sign)) return String.fromCharCode(65 + (byte % 26));
      if (/\p{L}/u.test(sign)) return String.fromCharCode(97 + (byte % 26));
      return sign;
    }).join("");
  }

  #bytes(value: string, length: number): Uint8Array {
    const blocks: Buffer[] = [];
    for (let index = 0; index * 32 < length; index++)
      blocks.push(createHmac("sha256", this.#key).update(`${index}:${value}`).digest());
    return Buffer.concat(blocks);
  }
}

/** A compact text with the punctuation and the case of another one. */
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

/** Replaces a text where it is a word of its own. */
function withWord(text: string, word: string, other: string): string {
  const pieces = text.split(word);
  return pieces.reduce((before, after) => {
    const isPart = /[\p{L}\d]$/u.test(before) || /^[\p{L}\d]/u.test(after);
    return before + (isPart ? word : other) + after;
  });
}
