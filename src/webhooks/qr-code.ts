/**
 * Encodes QR codes (ISO/IEC 18004) of error correction level M with mask 0. Readers accept every mask. Trying all eight
 * masks would take as long as the rest of a code.
 */

/** A square code: one byte per module, row by row, 1 if it is dark. */
interface QrCode {
  readonly size: number;
  readonly modules: Uint8Array;
}

/** The codewords of error correction in each block of a version, from version 1 on (table 9). */
const CORRECTIONS = [
  10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26, 26, 28, 28, 28, 28, 28, 28,
  28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28,
];

/** The number of blocks of a version, from version 1 on (table 9). */
const BLOCKS = [
  1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16, 17, 17, 18, 20, 21, 23, 25, 26, 28, 29,
  31, 33, 35, 37, 38, 40, 43, 45, 47, 49,
];

/** The bits that name level M and mask 0 (annex C). */
const FORMAT_BITS = 0x5412;

const ALPHANUMERIC = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:";

/** The parts of a code that depend on its version alone. */
interface Version {
  readonly size: number;
  /** The patterns of the version, and the mask in all modules of data. */
  readonly patterns: Uint8Array;
  /** The indexes of the modules of data, in the order of their bits. */
  readonly order: Uint16Array;
  readonly codewords: number;
  readonly blocks: number;
  /** The codewords of error correction in each block. */
  readonly correction: number;
}

/** Returns the code of a text. Throws if the text is too long for any version. */
export function qrCode(text: string): QrCode {
  const segment = segmentOf(text);
  const number = CORRECTIONS.findIndex((_, index) => fits(segment, index + 1)) + 1;
  if (number === 0)
    throw new Error(`Failed to encode a QR code: the text has ${text.length} characters. Shorten it.`);
  const version = versionOf(number);
  const { size, patterns, order } = version;
  const modules = patterns.slice();
  const codewords = interleaved(dataOf(segment, number, version), version);
  for (let bit = 0; bit < codewords.length * 8; bit++)
    modules[order[bit]!]! ^= (codewords[bit >> 3]! >> (7 - (bit & 7))) & 1;
  return { size, modules };
}

/** A text in the shortest mode that has all of its characters. */
interface Segment {
  /** The indicator of the mode (table 2). */
  readonly mode: 1 | 2 | 4;
  readonly count: number;
  /** The bits of the text. */
  readonly bits: number;
  readonly write: (bits: BitWriter) => void;
}

function segmentOf(text: string): Segment {
  const count = text.length;
  if (/^\d*$/.test(text))
    return { mode: 1, count, bits: Math.floor(count / 3) * 10 + [0, 4, 7][count % 3]!, write: writeDigits };
  if (/^[0-9A-Z $%*+\-./:]+$/.test(text))
    return { mode: 2, count, bits: (count >> 1) * 11 + (count & 1) * 6, write: writeAlphanumeric };
  const bytes = Buffer.from(text);
  return {
    mode: 4,
    count: bytes.length,
    bits: bytes.length * 8,
    write: (bits) => {
      for (const byte of bytes) bits.write(byte, 8);
    },
  };

  function writeDigits(bits: BitWriter): void {
    for (let at = 0; at < count; at += 3) {
      const digits = text.slice(at, at + 3);
      bits.write(Number(digits), digits.length * 3 + 1);
    }
  }

  function writeAlphanumeric(bits: BitWriter): void {
    for (let at = 0; at + 1 < count; at += 2)
      bits.write(ALPHANUMERIC.indexOf(text[at]!) * 45 + ALPHANUMERIC.indexOf(text[at + 1]!), 11);
    if (count % 2 === 1) bits.write(ALPHANUMERIC.indexOf(text[count - 1]!), 6);
  }
}

/** Returns the number of bits that have the length of a text (table 3). */
function lengthBits({ mode }: Segment, version: number): number {
  const group = version < 10 ? 0 : version < 27 ? 1 : 2;
  if (mode === 1) return [10, 12, 14][group]!;
  return mode === 2 ? [9, 11, 13][group]! : [8, 16, 16][group]!;
}

function fits(segment: Segment, version: number): boolean {
  const length = lengthBits(segment, version);
  if (segment.count >= 2 ** length) return false;
  const correction = CORRECTIONS[version - 1]! * BLOCKS[version - 1]!;
  return 4 + length + segment.bits <= (codewordsOf(version) - correction) * 8;
}

/** Writes bits, the highest first. */
class BitWriter {
  readonly bytes: Uint8Array;
  #position = 0;

  constructor(byteCount: number) {
    this.bytes = new Uint8Array(byteCount);
  }

  /** Writes up to 16 bits. Bits beyond the end are dropped. */
  write(value: number, count: number): void {
    for (let left = count; left > 0;) {
      const free = 8 - (this.#position & 7);
      const taken = Math.min(free, left);
      left -= taken;
      this.bytes[this.#position >> 3]! |= ((value >> left) & ((1 << taken) - 1)) << (free - taken);
      this.#position += taken;
    }
  }

  /** The number of bytes that have bits. */
  get used(): number {
    return (this.#position + 7) >> 3;
  }
}

/** Returns the codewords of data: mode, length, text, end and padding. */
function dataOf(segment: Segment, number: number, { codewords, blocks, correction }: Version): Uint8Array {
  const bits = new BitWriter(codewords - blocks * correction);
  bits.write(segment.mode, 4);
  bits.write(segment.count, lengthBits(segment, number));
  segment.write(bits);
  bits.write(0, 4);
  for (let at = bits.used, odd = 0; at < bits.bytes.length; at++, odd ^= 1)
    bits.bytes[at] = odd ? 0x11 : 0xec;
  return bits.bytes;
}

/** Returns all codewords in the order of the code: one of each block in turn, then the error correction. */
function interleaved(data: Uint8Array, { codewords, blocks, correction }: Version): Uint8Array {
  const result = new Uint8Array(codewords);
  const short = Math.floor(data.length / blocks);
  const shortBlocks = blocks - (data.length % blocks);
  const products = productsOf(correction);
  const rest = new Uint8Array(correction);
  for (let block = 0, start = 0; block < blocks; block++) {
    const length = short + (block < shortBlocks ? 0 : 1);
    rest.fill(0);
    for (let index = 0; index < length; index++) {
      const word = data[start + index]!;
      // The last word of a longer block comes after those of all blocks.
      result[index < short ? index * blocks + block : short * blocks + block - shortBlocks] = word;
      const row = (word ^ rest[0]!) * correction;
      for (let at = 1; at < correction; at++) rest[at - 1] = rest[at]! ^ products[row + at - 1]!;
      rest[correction - 1] = products[row + correction - 1]!;
    }
    for (let at = 0; at < correction; at++) result[data.length + at * blocks + block] = rest[at]!;
    start += length;
  }
  return result;
}

const products = new Map<number, Uint8Array>();

/** Returns each byte times each coefficient of the generator of that degree, in the field of 256 elements (annex A). */
function productsOf(degree: number): Uint8Array {
  const known = products.get(degree);
  if (known !== undefined) return known;
  let generator = new Uint8Array(degree);
  generator[degree - 1] = 1;
  for (let step = 0, root = 1; step < degree; step++, root = product(root, 2))
    generator = generator.map((one, at) => product(one, root) ^ (generator[at + 1] ?? 0));
  const table = new Uint8Array(256 * degree);
  for (let byte = 0; byte < 256; byte++)
    for (let at = 0; at < degree; at++) table[byte * degree + at] = product(byte, generator[at]!);
  products.set(degree, table);
  return table;
}

function product(one: number, other: number): number {
  let result = 0;
  for (let bit = 7; bit >= 0; bit--) {
    result = (result << 1) ^ ((result >> 7) * 0x11d);
    result ^= ((other >> bit) & 1) * one;
  }
  return result;
}

const versions = new Map<number, Version>();

function versionOf(number: number): Version {
  const known = versions.get(number);
  if (known !== undefined) return known;
  const size = number * 4 + 17;
  const patterns = new Uint8Array(size * size);
  const taken = new Uint8Array(size * size);
  drawPatterns(number, size, (x, y, isDark) => {
    patterns[y * size + x] = isDark ? 1 : 0;
    taken[y * size + x] = 1;
  });
  const order = orderOf(size, taken);
  for (const index of order) patterns[index] = (Math.floor(index / size) + (index % size)) % 2 === 0 ? 1 : 0;
  const version = {
    size,
    patterns,
    order,
    codewords: codewordsOf(number),
    blocks: BLOCKS[number - 1]!,
    correction: CORRECTIONS[number - 1]!,
  };
  versions.set(number, version);
  return version;
}

/** Returns the number of codewords of a version, of data and error correction. */
function codewordsOf(number: number): number {
  const alignments = number === 1 ? 0 : Math.floor(number / 7) + 2;
  const ofAlignments = number === 1 ? 0 : (25 * alignments - 10) * alignments - 55;
  return ((16 * number + 128) * number + 64 - ofAlignments - (number < 7 ? 0 : 36)) >> 3;
}

type Draw = (x: number, y: number, isDark: boolean) => void;

/** Draws the patterns of a version: timing, finders, alignment, format and version (clause 6). */
function drawPatterns(number: number, size: number, draw: Draw): void {
  for (let at = 0; at < size; at++) {
    draw(6, at, at % 2 === 0);
    draw(at, 6, at % 2 === 0);
  }
  const last = size - 4;
  for (const [x, y] of [
    [3, 3],
    [last, 3],
    [3, last],
  ] as const)
    drawRings(x, y, size, 4, [2, 4], draw);
  const centers = alignmentsOf(number, size);
  const end = centers.at(-1);
  for (const x of centers)
    for (const y of centers)
      if (!((x === 6 && (y === 6 || y === end)) || (x === end && y === 6)))
        drawRings(x, y, size, 2, [1], draw);
  drawFormat(size, draw);
  if (number >= 7) drawVersion(number, size, draw);
}

/** Draws a square around a center, of dark rings apart from some. */
function drawRings(
  centerX: number,
  centerY: number,
  size: number,
  radius: number,
  light: readonly number[],
  draw: Draw,
): void {
  for (let y = Math.max(0, centerY - radius); y <= Math.min(size - 1, centerY + radius); y++)
    for (let x = Math.max(0, centerX - radius); x <= Math.min(size - 1, centerX + radius); x++)
      draw(x, y, !light.includes(Math.max(Math.abs(x - centerX), Math.abs(y - centerY))));
}

/** Returns the coordinates of the centers of alignment patterns (annex E). */
function alignmentsOf(number: number, size: number): number[] {
  if (number === 1) return [];
  const count = Math.floor(number / 7) + 2;
  const step = Math.floor((number * 8 + count * 3 + 5) / (count * 4 - 4)) * 2;
  return [6, ...Array.from({ length: count - 1 }, (_, index) => size - 7 - (count - 2 - index) * step)];
}

function drawFormat(size: number, draw: Draw): void {
  for (let at = 0; at < 15; at++) {
    const isDark = ((FORMAT_BITS >> at) & 1) === 1;
    if (at < 8) {
      draw(8, at < 6 ? at : at + 1, isDark);
      draw(size - 1 - at, 8, isDark);
    } else {
      draw(at === 8 ? 7 : 14 - at, 8, isDark);
      draw(8, size - 15 + at, isDark);
    }
  }
  draw(8, size - 8, true);
}

function drawVersion(number: number, size: number, draw: Draw): void {
  let rest = number;
  for (let step = 0; step < 12; step++) rest = (rest << 1) ^ ((rest >> 11) * 0x1f25);
  const bits = (number << 12) | rest;
  for (let at = 0; at < 18; at++) {
    const isDark = ((bits >> at) & 1) === 1;
    const far = size - 11 + (at % 3);
    draw(far, Math.floor(at / 3), isDark);
    draw(Math.floor(at / 3), far, isDark);
  }
}

/** Returns the modules of data in their order: in columns of two from the right, up and down in turn. */
function orderOf(size: number, taken: Uint8Array): Uint16Array {
  const order: number[] = [];
  for (let right = size - 1; right >= 1; right -= right === 8 ? 3 : 2)
    for (let step = 0; step < size; step++) {
      const y = ((right + 1) & 2) === 0 ? size - 1 - step : step;
      for (const x of [right, right - 1]) if (taken[y * size + x] === 0) order.push(y * size + x);
    }
  return Uint16Array.from(order);
}
