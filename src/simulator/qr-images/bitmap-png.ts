import { crc32 } from "node:zlib";

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** The longest stored block of deflate, in bytes (RFC 1951, 3.2.4). */
const BLOCK_BYTES_MAX = 0xffff;

/** The modulus of the checksum of zlib (RFC 1950, 9). */
const ADLER_BASE = 65_521;
/** Bytes that can be added before a sum exceeds 32 bits. */
const ADLER_RUN = 5552;

/**
 * Encodes a square picture of one bit per pixel as a PNG (ISO/IEC 15948), without compression: libraries of different
 * versions compress to different bytes. `rows` has the bytes of each row, from the top, each after a filter byte of 0.
 */
export function bitmapPng(width: number, rows: Uint8Array): Buffer<ArrayBuffer> {
  const png = Buffer.alloc(SIGNATURE.length + 3 * CHUNK_BYTES + HEADER_BYTES + storedBytes(rows));
  png.set(SIGNATURE);
  let at = writeChunk(png, SIGNATURE.length, "IHDR", HEADER_BYTES, (header) => {
    header.writeUInt32BE(width, 0);
    header.writeUInt32BE(width, 4);
    // One bit per pixel. Colour type, compression, filter and interlace method are 0.
    header[8] = 1;
  });
  at = writeChunk(png, at, "IDAT", storedBytes(rows), (stream) => writeStored(stream, rows));
  writeChunk(png, at, "IEND", 0, () => {});
  return png;
}

/** The bytes of a chunk in addition to its data. */
const CHUNK_BYTES = 12;
const HEADER_BYTES = 13;

/** Writes a chunk: its length, its type, its data and the checksum of both. Returns the place after it. */
function writeChunk(
  png: Buffer,
  start: number,
  type: string,
  length: number,
  write: (data: Buffer) => void,
): number {
  const end = start + 8 + length;
  png.writeUInt32BE(length, start);
  png.write(type, start + 4, "latin1");
  write(png.subarray(start + 8, end));
  png.writeUInt32BE(crc32(png.subarray(start + 4, end)), end);
  return start + CHUNK_BYTES + length;
}

/** The length of data as a zlib stream of stored blocks. */
function storedBytes({ length }: Uint8Array): number {
  return 2 + 5 * Math.max(1, Math.ceil(length / BLOCK_BYTES_MAX)) + length + 4;
}

/** Writes data as a zlib stream of stored blocks. */
function writeStored(stream: Buffer, data: Uint8Array): void {
  stream.writeUInt16BE(0x7801, 0);
  let at = 2;
  for (let start = 0; start === 0 || start < data.length; start += BLOCK_BYTES_MAX) {
    const block = data.subarray(start, start + BLOCK_BYTES_MAX);
    stream[at] = start + block.length === data.length ? 1 : 0;
    stream.writeUInt16LE(block.length, at + 1);
    stream.writeUInt16LE(~block.length & 0xffff, at + 3);
    stream.set(block, at + 5);
    at += 5 + block.length;
  }
  stream.writeUInt32BE(adler32(data), at);
}

function adler32(data: Uint8Array): number {
  let low = 1;
  let high = 0;
  for (let start = 0; start < data.length; start += ADLER_RUN) {
    const end = Math.min(start + ADLER_RUN, data.length);
    for (let index = start; index < end; index++) high += low += data[index]!;
    low %= ADLER_BASE;
    high %= ADLER_BASE;
  }
  return ((high << 16) | low) >>> 0;
}
