import { BitWriter, canonicalCodes } from "./bit-writer.ts";

/** Rows of bytes, all of one length, each of which stands there `times` times. */
export interface RepeatedRows {
  readonly rows: readonly Uint8Array[];
  readonly times: number;
}

const ZLIB_HEAD = [0x78, 0x01];
const END_OF_BLOCK = 256;
const MATCH_LENGTH_MAX = 257;
const DYNAMIC_CODES = 2;
const HEAD_BYTES_MAX = 128;

/** The lengths of the bytes that a row of squares is mostly made of. */
const BYTE_LENGTHS: readonly (readonly [byte: number, bits: number])[] = [
  [0x00, 2],
  [0xff, 2],
  [0x0f, 2],
  [0xf0, 3],
];
const OTHER_BITS = 4;

/** The order in which the lengths of the codes for lengths are written (RFC 1951, 3.2.7). */
const LENGTH_ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1];
/** What the lengths are written with: eight symbols of three bits. 17 and 18 stand for runs of zeros. */
const LENGTH_SYMBOLS: ReadonlySet<number> = new Set([0, 1, 2, 3, 4, 16, 17, 18]);
const LENGTH_BITS = 3;

/** How rows of one length are written. */
interface Layout {
  /** All that stands before the rows. */
  readonly head: BitWriter;
  readonly codes: readonly number[];
  readonly lengths: readonly number[];
  readonly match: Symbol;
  readonly matches: number;
  readonly back: Symbol;
}

const layouts = new Map<string, Layout>();

/**
 * The rows in the zlib format (RFC 1950, 1951), for rows that hold no other bytes than 0x00, 0x0f, 0xf0 and 0xff.
 * Each is written once, in a code made for these bytes, and what repeats it points back: a general compressor finds
 * that out at several times the cost.
 */
export function zlibOfRepeatedRows({ rows, times }: RepeatedRows): Uint8Array {
  const rowBytes = rows[0]?.length ?? 0;
  const { head, codes, lengths, match, matches, back } = layoutOf(rowBytes, times);
  const bits = new BitWriter(head.length + rows.length * (rowBytes + 16), head);
  for (const row of rows) {
    for (let at = 0; at < rowBytes; at++) bits.write(codes[row[at]!]!, lengths[row[at]!]!);
    for (let written = 0; written < matches; written++) {
      bits.write(codes[match.symbol]!, OTHER_BITS);
      bits.write(match.extra, match.extraBits);
      // There is one distance, so that its code is a single bit.
      bits.write(0, 1);
      bits.write(back.extra, back.extraBits);
    }
  }
  bits.write(codes[END_OF_BLOCK]!, OTHER_BITS);
  bits.endByte();
  const sum = adler32(rows, times);
  for (const shift of [24, 16, 8, 0]) bits.write((sum >>> shift) & 0xff, 8);
  return bits.bytes();
}

function layoutOf(rowBytes: number, times: number): Layout {
  const key = `${rowBytes} ${times}`;
  const known = layouts.get(key);
  if (known !== undefined) return known;
  const repeated = rowBytes * (times - 1);
  const matches = repeated <= MATCH_LENGTH_MAX ? 1 : times - 1;
  const match = matchSymbol(repeated / matches);
  const back = distanceSymbol(rowBytes);
  const lengths = lengthsOf([...BYTE_LENGTHS, [END_OF_BLOCK, OTHER_BITS], [match.symbol, OTHER_BITS]]);
  const head = new BitWriter(HEAD_BYTES_MAX);
  for (const byte of ZLIB_HEAD) head.write(byte, 8);
  writeCodeLengths(head, lengths, lengthsOf([[back.symbol, 1]]));
  const layout = { head, codes: canonicalCodes(lengths), lengths, match, matches, back };
  layouts.set(key, layout);
  return layout;
}

interface Symbol {
  readonly symbol: number;
  readonly extra: number;
  readonly extraBits: number;
}

/** How deflate writes that so many bytes are repeated (RFC 1951, 3.2.5), from 3 to 257. */
function matchSymbol(length: number): Symbol {
  const over = length - 3;
  if (over < 8) return { symbol: 257 + over, extra: 0, extraBits: 0 };
  const extraBits = 29 - Math.clz32(over);
  return {
    symbol: 257 + (extraBits << 2) + (over >> extraBits),
    extra: over & ((1 << extraBits) - 1),
    extraBits,
  };
}

/** How deflate writes from how far back. */
function distanceSymbol(distance: number): Symbol {
  const over = distance - 1;
  if (over < 4) return { symbol: over, extra: 0, extraBits: 0 };
  const extraBits = 30 - Math.clz32(over);
  return { symbol: (extraBits << 1) + (over >> extraBits), extra: over & ((1 << extraBits) - 1), extraBits };
}

/** The length of each symbol's code, up to the last that has one; 0 for the others. */
function lengthsOf(symbols: readonly (readonly [symbol: number, bits: number])[]): number[] {
  const lengths = Array.from<number>({ length: 1 + Math.max(...symbols.map(([symbol]) => symbol)) }).fill(0);
  for (const [symbol, bits] of symbols) lengths[symbol] = bits;
  return lengths;
}

/** The head of the only block: which codes it is written in. */
function writeCodeLengths(bits: BitWriter, literals: readonly number[], distances: readonly number[]): void {
  const lengths = lengthsOf(Array.from(LENGTH_SYMBOLS, (symbol) => [symbol, LENGTH_BITS]));
  const codes = canonicalCodes(lengths);
  bits.write(1, 1);
  bits.write(DYNAMIC_CODES, 2);
  bits.write(literals.length - 257, 5);
  bits.write(distances.length - 1, 5);
  bits.write(LENGTH_ORDER.length - 4, 4);
  for (const symbol of LENGTH_ORDER) bits.write(LENGTH_SYMBOLS.has(symbol) ? LENGTH_BITS : 0, 3);
  const all = [...literals, ...distances];
  for (let at = 0; at < all.length;) {
    let zeros = 0;
    while (zeros < 138 && all[at + zeros] === 0) zeros++;
    const symbol = zeros > 10 ? 18 : zeros > 2 ? 17 : all[at]!;
    bits.write(codes[symbol]!, LENGTH_BITS);
    if (symbol === 18) bits.write(zeros - 11, 7);
    if (symbol === 17) bits.write(zeros - 3, 3);
    at += zeros > 2 ? zeros : 1;
  }
}

const ADLER_BASE = 65_521;

/** The check sum at the end of the zlib format: what a row adds to it is counted once. */
function adler32(rows: readonly Uint8Array[], times: number): number {
  let a = 1;
  let b = 0;
  for (const row of rows) {
    let sum = 0;
    let weighted = 0;
    for (let at = 0; at < row.length; at++) {
      sum += row[at]!;
      weighted += sum;
    }
    for (let copy = 0; copy < times; copy++) {
      b = (b + row.length * a + weighted) % ADLER_BASE;
      a = (a + sum) % ADLER_BASE;
    }
  }
  return ((b << 16) | a) >>> 0;
}
