const POLYNOMIAL = 0x1021;
const INITIAL = 0xffff;

const table = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 8;
  for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? (crc << 1) ^ POLYNOMIAL : crc << 1;
  return crc;
});

/**
 * CRC-16/CCITT-FALSE over the UTF-8 bytes of the text, as four capital hexadecimal digits: what the last
 * field of a BR Code holds. `123456789` gives `29B1`.
 */
export function crc16(text: string): string {
  let crc = INITIAL;
  for (const byte of utf8(text)) crc = ((crc << 8) & 0xffff) ^ (table[(crc >> 8) ^ byte] ?? 0);
  return crc.toString(16).toUpperCase().padStart(4, "0");
}

/** The deterministic floors have no TextEncoder, which is not part of the language. */
function* utf8(text: string): Generator<number> {
  for (const character of text) {
    const point = character.codePointAt(0) ?? 0;
    if (point < 0x80) yield point;
    else {
      const followers = point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
      yield [0, 0xc0, 0xe0, 0xf0][followers]! | (point >> (6 * followers));
      for (let shift = 6 * (followers - 1); shift >= 0; shift -= 6) yield 0x80 | ((point >> shift) & 0x3f);
    }
  }
}
