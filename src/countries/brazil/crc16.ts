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
  for (let index = 0; index < text.length; index++) {
    const point = text.codePointAt(index) ?? 0;
    if (point < 0x80) {
      crc = withByte(crc, point);
      continue;
    }
    // The deterministic floors have no TextEncoder, which is not part of the language.
    const followers = point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
    crc = withByte(crc, [0, 0xc0, 0xe0, 0xf0][followers]! | (point >> (6 * followers)));
    for (let shift = 6 * (followers - 1); shift >= 0; shift -= 6)
      crc = withByte(crc, 0x80 | ((point >> shift) & 0x3f));
    // Above the first plane a character is two units of the text.
    if (followers === 3) index++;
  }
  return crc.toString(16).toUpperCase().padStart(4, "0");
}

function withByte(crc: number, byte: number): number {
  return ((crc << 8) & 0xffff) ^ table[(crc >> 8) ^ byte]!;
}
