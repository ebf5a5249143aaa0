import { assert } from "../engine/assertion.ts";
import { crc32 } from "node:zlib";
import { encodeQR } from "qr";
import { QR_IMAGE, type UndrawnJson } from "../platform/qr-image.ts";

/** The width of a module in pixels: a code of 70 modules is 210 pixels wide. */
const PIXELS_PER_MODULE = 3;
const QUIET_ZONE_MODULES = 4;
/** Readers accept every mask; to draw all eight and choose one takes as long as the rest of a code. */
const MASK = 0;
/** To draw an image takes longer than any other request, and clients read one object again and again. */
const IMAGES_KEPT_MAX = 100;

const images = new Map<string, string>();

/** An image in the JSON text of a value, or in a JSON text within that: then its quotes are escaped. */
const UNDRAWN = /\{(\\*")\$qrImage\1:\1([^"\\]*)\1\}/y;

/** A JSON text with its QR codes drawn; what only looks like one stays as it is. */
export function withQrImages(json: string | UndrawnJson): string {
  return withImages(json, base64Of);
}

/** A JSON text with a word in place of its QR codes, for comparisons. */
export function withoutQrImages(json: string): string {
  return withImages(json, () => "(image)");
}

/** To match all of a text takes longer than to write it, so only the places of the key are looked at. */
function withImages(json: string | UndrawnJson, imageOf: (encoded: string) => string | undefined): string {
  const text = json as string;
  const pieces: string[] = [];
  let from = 0;
  for (let at = text.indexOf(QR_IMAGE); at !== -1; at = text.indexOf(QR_IMAGE, at + 1)) {
    const start = text.lastIndexOf("{", at);
    UNDRAWN.lastIndex = start;
    const [whole = "", quote = "", encoded = ""] = (start < from ? null : UNDRAWN.exec(text)) ?? [];
    const image = whole === "" ? undefined : imageOf(encoded);
    if (image === undefined) continue;
    pieces.push(text.slice(from, start), quote, image, quote);
    from = start + whole.length;
  }
  // Joined, they keep no memory of the text that they are parts of.
  return from === 0 ? text : pieces.concat(text.slice(from)).join("");
}

/** Undefined for a text that only looks like an image: it is too long for a code, or is no valid encoding. */
function base64Of(encoded: string): string | undefined {
  const known = images.get(encoded);
  if (known !== undefined) return known;
  let image: string;
  try {
    image = drawQrCode(decodeURIComponent(encoded)).toString("base64");
  } catch {
    return undefined;
  }
  const [oldest] = images.keys();
  if (images.size >= IMAGES_KEPT_MAX && oldest !== undefined) images.delete(oldest);
  images.set(encoded, image);
  return image;
}

/**
 * A QR code as a PNG, of error correction level M because no logo covers it: one bit per pixel, set if it is light.
 * A library takes a third of a POST longer.
 */
export function drawQrCode(payload: string): Buffer<ArrayBuffer> {
  const code = encodeQR(payload, "raw", { ecc: "medium", border: QUIET_ZONE_MODULES, mask: MASK });
  const width = code.length * PIXELS_PER_MODULE;
  // The first byte of a row names its filter; 0 is none.
  const rowBytes = 1 + Math.ceil(width / 8);
  const rows = Buffer.alloc(rowBytes * width);
  for (const [y, modules] of code.entries()) {
    const start = y * PIXELS_PER_MODULE * rowBytes;
    let pixel = 8;
    for (const isDark of modules)
      for (const end = pixel + PIXELS_PER_MODULE; pixel < end; pixel++)
        if (!isDark) rows[start + (pixel >> 3)]! |= 0x80 >> (pixel & 7);
    for (let copy = 1; copy < PIXELS_PER_MODULE; copy++)
      rows.copyWithin(start + copy * rowBytes, start, start + rowBytes);
  }
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    ...chunk("IHDR", uint32(width), uint32(width), Buffer.from([1, 0, 0, 0, 0])),
    ...chunk("IDAT", ...storedStream(rows)),
    ...chunk("IEND"),
  ]);
}

/**
 * A zlib stream without compression. Compressed bytes differ between versions of zlib, and the signature of a webhook is
 * in the journal, which has the same bytes everywhere.
 */
function storedStream(data: Buffer): Buffer[] {
  assert(data.length <= 0xffff, "the rows of a QR code fit into one block");
  // The header of zlib, and that of the one block: the last, stored, its length, and the complement of that.
  const head = Buffer.from([0x78, 0x01, 0x01, 0, 0, 0, 0]);
  head.writeUInt16LE(data.length, 3);
  head.writeUInt16LE(~data.length & 0xffff, 5);
  // Adler-32: the sums of one block need no modulo on the way.
  let low = 1;
  let high = 0;
  for (let index = 0; index < data.length; index++) {
    low += data[index]!;
    high += low;
  }
  return [head, data, uint32((high % 65_521) * 65_536 + (low % 65_521))];
}

function chunk(type: string, ...data: Buffer[]): Buffer[] {
  const content = Buffer.concat([Buffer.from(type, "latin1"), ...data]);
  return [uint32(content.length - 4), content, uint32(crc32(content))];
}

function uint32(number: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(number);
  return bytes;
}
