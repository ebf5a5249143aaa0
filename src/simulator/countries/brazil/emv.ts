import { Refusal } from "../../engine/refusal.ts";
import { assert } from "../../engine/assertion.ts";
import { utf8ToBytes } from "@noble/hashes/utils.js";

// The text format of EMV QR codes, which a BR Code follows: fields of id, length and value, and a checksum.

/** The longest value whose length has two digits. */
const VALUE_LENGTH_MAX = 99;

/** Refuses a text from outside. The reason is a clause without a full stop, to end a sentence with. */
export function unreadable(reason: string): Refusal {
  return new Refusal("UNREADABLE", reason);
}

/** One field: its two-digit id, the two-digit length of its value, the value. A value that does not fit is a bug. */
export function writeField(id: string, value: string): string {
  assert(
    value.length > 0 && value.length <= VALUE_LENGTH_MAX,
    `field ${id} would have ${value.length} characters`,
  );
  return id + String(value.length).padStart(2, "0") + value;
}

/** The fields of the text by id, in order; refuses any other text, which `where` names. */
export function readFields(text: string, where: string): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  let position = 0;
  while (position < text.length) {
    const head = /^(\d\d)(\d\d)/.exec(text.slice(position, position + 4));
    if (head === null) throw unreadable(`${where} has no field id and length at character ${position + 1}`);
    const [, id = "", length = ""] = head;
    const value = text.slice(position + 4, position + 4 + Number(length));
    if (Number(length) === 0) throw unreadable(`field ${id} of ${where} is empty`);
    if (value.length < Number(length)) {
      throw unreadable(`field ${id} of ${where} announces ${length} characters and ${value.length} are left`);
    }
    if (fields.has(id)) throw unreadable(`field ${id} of ${where} comes twice`);
    fields.set(id, value);
    position += 4 + Number(length);
  }
  return fields;
}

/** The change of the checksum by each byte: the CRC is computed a byte at a time. */
const CRC_TABLE = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 8;
  for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1;
  return crc;
});

const IS_ASCII = /^[ -~]*$/;

/** CRC-16/CCITT-FALSE over the UTF-8 bytes, four capital hexadecimal digits: `123456789` gives `29B1`. */
export function crc16(text: string): string {
  // ASCII characters are their own bytes. To encode them takes longer than the checksum.
  const bytes = IS_ASCII.test(text) ? text : String.fromCharCode(...utf8ToBytes(text));
  let crc = 0xffff;
  for (let place = 0; place < bytes.length; place++)
    crc = ((crc << 8) & 0xffff) ^ CRC_TABLE[(crc >> 8) ^ bytes.charCodeAt(place)]!;
  return crc.toString(16).toUpperCase().padStart(4, "0");
}
