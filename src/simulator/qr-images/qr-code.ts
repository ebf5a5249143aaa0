/**
 * Encodes QR codes (ISO/IEC 18004) of error correction level M with mask 0. Readers accept every mask. Trying all eight
 * masks would take as long as the rest of a code.
 */

/** A square code with its quiet zone: one bit per module, 1 if it is dark. */
interface QrCode {
  /** The number of modules in a row, with the quiet zone. */
  readonly width: number;
  /** The bytes of a row. The bits after its last module are 1. */
  readonly rowBytes: number;
  readonly modules: Uint8Array;
}

/** The light modules on each side of a code (clause 6.3.8). */
const QUIET_ZONE_MODULES = 4;

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
  readonly width: number;
  readonly rowBytes: number;
  /** The patterns of the version, and the mask in all modules of data. */
  readonly patterns: Uint8Array;
  /** The places of the modules of data in `patterns`, in bits and in the order of the data. */
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
  const { width, rowBytes, patterns, order } = version;
  const modules = patterns.slice();
  const codewords = interleaved(dataOf(segment, number, version), version);
  for (let at = 0, bit = 0; at < codewords.length; at++) {
    const word = codewords[at]!;
    for (let shift = 7; shift >= 0; shift--, bit++) {
      const place = order[bit]!;
      modules[place >> 3]! ^= ((word >> shift) & 1) << (7 - (place & 7));
    }
  }
  return { width, rowBytes, modules };
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
  const rest = new Int32Array(wordsOf(correction));
  const last = rest.length - 1;
  for (let block = 0, start = 0; block < blocks; block++) {
    const length = short + (block < shortBlocks ? 0 : 1);
    rest.fill(0);
    for (let index = 0; index < length; index++) {
      const word = data[start + index]!;
      // The last word of a longer block comes after those of all blocks.
      result[index < short ? index * blocks + block : short * blocks + block - shortBlocks] = word;
      const row = (word ^ (rest[0]! >>> 24)) * rest.length;
      for (let at = 0; at < last; at++)
        rest[at] = ((rest[at]! << 8) | (rest[at + 1]! >>> 24)) ^ products[row + at]!;
      rest[last] = (rest[last]! << 8) ^ products[row + last]!;
    }
    for (let at = 0; at < correction; at++)
      result[data.length + at * blocks + block] = rest[at >> 2]! >> shiftOf(at);
    start += length;
  }
  return result;
}

/** The number of words of 32 bits that have this many bytes. */
function wordsOf(bytes: number): number {
  return Math.ceil(bytes / 4);
}

/** The bits after a byte in its word. */
function shiftOf(byte: number): number {
  return 24 - (byte & 3) * 8;
}

const products = new Map<number, Int32Array>();

/**
 * Returns each byte times each coefficient of the generator of that degree, in the field of 256 elements (annex A). The
 * products of a byte are bytes in words of 32 bits, because four of them are added at once.
 */
function productsOf(degree: number): Int32Array {
  const known = products.get(degree);
  if (known !== undefined) return known;
  let generator = new Uint8Array(degree);
  generator[degree - 1] = 1;
  for (let step = 0, root = 1; step < degree; step++, root = product(root, 2))
    generator = generator.map((one, at) => product(one, root) ^ (generator[at + 1] ?? 0));
  const words = wordsOf(degree);
  const table = new Int32Array(256 * words);
  for (let byte = 0; byte < 256; byte++)
    for (let at = 0; at < degree; at++)
      table[byte * words + (at >> 2)]! |= product(byte, generator[at]!) << shiftOf(at);
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
  const width = size + 2 * QUIET_ZONE_MODULES;
  const rowBytes = Math.ceil(width / 8);
  const patterns = new Uint8Array(rowBytes * width);
  const afterLast = (1 << (rowBytes * 8 - width)) - 1;
  for (let y = 1; y <= width; y++) patterns[y * rowBytes - 1] = afterLast;
  const placeOf = (x: number, y: number): number =>
    (y + QUIET_ZONE_MODULES) * rowBytes * 8 + x + QUIET_ZONE_MODULES;
  const darken = (place: number): void => void (patterns[place >> 3]! |= 0x80 >> (place & 7));
  const drawn = new Map<number, boolean>();
  drawPatterns(number, size, (x, y, isDark) => drawn.set(placeOf(x, y), isDark));
  for (const [place, isDark] of drawn) if (isDark) darken(place);
  const order: number[] = [];
  for (const [x, y] of columnsOf(size)) {
    const place = placeOf(x, y);
    if (drawn.has(place)) continue;
    order.push(place);
    if ((x + y) % 2 === 0) darken(place);
  }
  const version = {
    width,
    rowBytes,
    patterns,
    order: Uint16Array.from(order),
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

/** Gives the modules in the order of the data: in columns of two from the right, up and down in turn. */
function* columnsOf(size: number): Generator<readonly [x: number, y: number]> {
  for (let right = size - 1; right >= 1; right -= right === 8 ? 3 : 2)
    for (let step = 0; step < size; step++) {
      const y = ((right + 1) & 2) === 0 ? size - 1 - step : step;
      for (const x of [right, right - 1]) yield [x, y];
    }
}
