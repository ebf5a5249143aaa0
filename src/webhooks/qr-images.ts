import { assert } from "../engine/assertion.ts";
import { crc32 } from "node:zlib";
import { encodeQR } from "qr";
import { QR_IMAGE } from "../platform/qr-image.ts";

/** The width of a module in pixels: a code of 70 modules is 210 pixels wide. */
const PIXELS_PER_MODULE = 3;
const QUIET_ZONE_MODULES = 4;
/** Readers accept every mask; to draw all eight and choose one takes as long as the rest of a code. */
const MASK = 0;
/** Only recent images: a larger cache costs more in garbage collection than drawing them again. */
const IMAGES_KEPT_MAX = 100;

const images = new Map<string, string>();

/** An image in the JSON text of a value, or in a JSON text within that: then its quotes are escaped. */
const UNDRAWN = /\{(\\*")\$qrImage\1:\1([^"\\]*)\1\}/y;

/** A JSON text with its QR codes drawn. */
export function withQrImages(json: string): string {
  return withImages(json, (encoded) => {
    try {
      return base64Of(encoded);
    } catch {
      // Somebody else's text: it is too long for a code, or was never encoded.
      return undefined;
    }
  });
}

/** A JSON text with a word in place of its QR codes, which nobody compares. */
export function withoutQrImages(json: string): string {
  return withImages(json, () => "(image)");
}

/**
 * A JSON text with others in place of its images; where there is none, the image stays. Only the text around the key of
 * an image is looked at: a search for the whole pattern takes longer than an answer takes to be written.
 */
function withImages(json: string, textOf: (encoded: string) => string | undefined): string {
  const pieces: string[] = [];
  let from = 0;
  for (let at = json.indexOf(QR_IMAGE); at !== -1; at = json.indexOf(QR_IMAGE, at + 1)) {
    // Before its quote, which may be escaped.
    let start = at - 2;
    while (json[start] === "\\") start--;
    UNDRAWN.lastIndex = start;
    const [undrawn = "", quote = "", encoded = ""] = (start < from ? null : UNDRAWN.exec(json)) ?? [];
    const text = undrawn === "" ? undefined : textOf(encoded);
    if (text === undefined) continue;
    pieces.push(json.slice(from, start), quote, text, quote);
    from = start + undrawn.length;
  }
  return from === 0 ? json : pieces.join("") + json.slice(from);
}

function base64Of(encoded: string): string {
  const known = images.get(encoded);
  if (known !== undefined) return known;
  const image = drawQrCode(decodeURIComponent(encoded)).toString("base64");
  const oldest = images.size >= IMAGES_KEPT_MAX ? images.keys().next().value : undefined;
  if (oldest !== undefined) images.delete(oldest);
  images.set(encoded, image);
  return image;
}

/** A QR code as a PNG, of error correction level M because no logo covers it: one bit per pixel, set where it is light. */
export function drawQrCode(payload: string): Buffer<ArrayBuffer> {
  const code = encodeQR(payload, "raw", { ecc: "medium", border: QUIET_ZONE_MODULES, mask: MASK });
  const width = code.length * PIXELS_PER_MODULE;
  // The first byte of a row names its filter; 0 is none.
  const rowBytes = 1 + Math.ceil(width / 8);
  const rows = Buffer.alloc(rowBytes * width);
  for (const [y, row] of code.entries()) {
    const start = y * PIXELS_PER_MODULE * rowBytes;
    drawRow(rows, start + 1, row);
    for (let copy = 1; copy < PIXELS_PER_MODULE; copy++)
      rows.copyWithin(start + copy * rowBytes, start, start + rowBytes);
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(width, 4);
  header[8] = 1;
  return Buffer.concat([
    PNG_SIGNATURE,
    chunk("IHDR", header),
    chunk("IDAT", storedStream(rows)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

/**
 * The rows without compression. To compress them takes longer, and its bytes differ between versions of zlib: the
 * signature of a webhook is in the journal, which has the same bytes everywhere.
 */
function storedStream(rows: Buffer): Buffer {
  assert(rows.length <= 0xffff, "the rows of a QR code fit into one block");
  const stream = Buffer.alloc(11 + rows.length);
  // The header of zlib, and that of the one block: the last, stored, its length, and the complement of that.
  stream.set([0x78, 0x01, 0x01], 0);
  stream.writeUInt16LE(rows.length, 3);
  stream.writeUInt16LE(~rows.length & 0xffff, 5);
  rows.copy(stream, 7);
  stream.writeUInt32BE(adler32(rows), stream.length - 4);
  return stream;
}

/** The checksum of a zlib stream. The sums of so few bytes need no modulo on the way. */
function adler32(bytes: Buffer): number {
  let low = 1;
  let high = 0;
  for (let index = 0; index < bytes.length; index++) {
    low += bytes[index]!;
    high += low;
  }
  return (high % 65_521) * 65_536 + (low % 65_521);
}

const PNG_SIGNATURE = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");

function chunk(type: string, data: Buffer): Buffer {
  const made = Buffer.alloc(12 + data.length);
  made.writeUInt32BE(data.length, 0);
  made.write(type, 4, "latin1");
  data.copy(made, 8);
  made.writeUInt32BE(crc32(made.subarray(4, -4)), made.length - 4);
  return made;
}

/** Three light pixels by the bit at which a module starts; they may continue in the next byte. */
const LIGHT = Array.from({ length: 8 }, (_, bit) => 0xe000 >> bit);

function drawRow(rows: Buffer, start: number, row: readonly (boolean | undefined)[]): void {
  for (let x = 0; x < row.length; x++) {
    if (row[x]) continue;
    const pixel = x * PIXELS_PER_MODULE;
    const byte = start + (pixel >> 3);
    const light = LIGHT[pixel & 7]!;
    rows[byte]! |= light >> 8;
    if (light & 0xff) rows[byte + 1]! |= light & 0xff;
  }
}
