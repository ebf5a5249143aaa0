import { zlibOfRepeatedRows } from "./repeated-rows.ts";

/** Pixels along one side of a square: two squares of a row share a byte. */
const PIXELS_PER_SQUARE = 4;

const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
/** A grey picture of one bit a pixel, without interlace. */
const ONE_BIT_GREY = [1, 0, 0, 0, 0];

/** A PNG of rows of squares, all of one length, in black where they are true and in white elsewhere. */
export function squaresPng(squares: readonly (readonly boolean[])[]): Uint8Array {
  const width = (squares[0]?.length ?? 0) * PIXELS_PER_SQUARE;
  const height = squares.length * PIXELS_PER_SQUARE;
  const rows = squares.map((row) => pixels(row, Math.ceil(width / 8)));
  const parts = [
    Uint8Array.from(SIGNATURE),
    chunk("IHDR", Uint8Array.from([...bigEndian(width), ...bigEndian(height), ...ONE_BIT_GREY])),
    chunk("IDAT", zlibOfRepeatedRows({ rows, times: PIXELS_PER_SQUARE })),
    chunk("IEND", new Uint8Array(0)),
  ];
  const png = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    png.set(part, at);
    at += part.length;
  }
  return png;
}

/** A row of pixels: the byte of its filter, which is none, and then a bit for each, set where it is light. */
function pixels(squares: readonly boolean[], bytes: number): Uint8Array {
  const row = new Uint8Array(1 + bytes);
  for (let x = 0; x < squares.length; x++) if (!squares[x]) row[1 + (x >> 1)]! |= x & 1 ? 0x0f : 0xf0;
  return row;
}

function chunk(name: string, data: Uint8Array): Uint8Array {
  const written = new Uint8Array(data.length + 12);
  written.set(bigEndian(data.length));
  for (let at = 0; at < 4; at++) written[4 + at] = name.charCodeAt(at);
  written.set(data, 8);
  written.set(bigEndian(crc32(written.subarray(4, 8 + data.length))), 8 + data.length);
  return written;
}

function bigEndian(word: number): number[] {
  return [word >>> 24, (word >>> 16) & 0xff, (word >>> 8) & 0xff, word & 0xff];
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  return crc;
});

/** The check sum at the end of every chunk of a PNG. */
function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = (crc >>> 8) ^ CRC_TABLE[(crc ^ byte) & 0xff]!;
  return (crc ^ 0xffffffff) >>> 0;
}
