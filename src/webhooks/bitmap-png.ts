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
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(width, 4);
  // One bit per pixel. Colour type, compression, filter and interlace method are 0.
  header[8] = 1;
  return Buffer.concat([
    SIGNATURE,
    chunk("IHDR", header),
    chunk("IDAT", stored(rows)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

/** Returns a chunk: its length, its type, its data and the checksum of both. */
function chunk(type: string, data: Buffer): Buffer {
  const whole = Buffer.alloc(12 + data.length);
  whole.writeUInt32BE(data.length, 0);
  whole.write(type, 4, "latin1");
  data.copy(whole, 8);
  whole.writeUInt32BE(crc32(whole.subarray(4, 8 + data.length)), 8 + data.length);
  return whole;
}

/** Writes data as a zlib stream of stored blocks. */
function stored(data: Uint8Array): Buffer {
  const blocks = Math.max(1, Math.ceil(data.length / BLOCK_BYTES_MAX));
  const stream = Buffer.alloc(2 + 5 * blocks + data.length + 4);
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
  return stream;
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
