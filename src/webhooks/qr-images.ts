import { createRequire } from "node:module";
import { bitmapPng } from "./bitmap-png.ts";
import { QR_IMAGE, type UndrawnJson } from "../platform/undrawn-qr-image.ts";

/** The encoder is loaded with the first image: a start does without it. */
const require = createRequire(import.meta.url);
const qr = (): typeof import("qr") => require("qr") as typeof import("qr");

/** The width of a module in pixels: a code of 70 modules is 210 pixels wide. */
const PIXELS_PER_MODULE = 3;
/** The pixels of a light module. */
const LIGHT = 2 ** PIXELS_PER_MODULE - 1;
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

/**
 * Returns the image of a QR code. Undefined for a text that only looks like an image: it is too long for a code, or
 * its encoding is invalid.
 */
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
 * A QR code as a PNG, of error correction level M because no logo covers it: one bit per pixel, set if it is light. It is
 * not compressed: compressed bytes differ between versions of a library, and the signature of a webhook is in the
 * journal, which has the same bytes everywhere.
 */
export function drawQrCode(payload: string): Buffer<ArrayBuffer> {
  const code = qr().encodeQR(payload, "raw", { ecc: "medium", border: QUIET_ZONE_MODULES, mask: MASK });
  const width = code.length * PIXELS_PER_MODULE;
  // A row begins with its filter byte.
  const rowBytes = 1 + Math.ceil(width / 8);
  const rows = new Uint8Array(rowBytes * width);
  for (const [y, modules] of code.entries()) {
    const start = y * PIXELS_PER_MODULE * rowBytes;
    let bits = 0;
    let count = 0;
    let at = start + 1;
    for (const isDark of modules) {
      bits = (bits << PIXELS_PER_MODULE) | (isDark ? 0 : LIGHT);
      count += PIXELS_PER_MODULE;
      if (count < 8) continue;
      count -= 8;
      rows[at++] = bits >> count;
      bits &= 0xff;
    }
    if (count > 0) rows[at] = bits << (8 - count);
    for (let copy = 1; copy < PIXELS_PER_MODULE; copy++)
      rows.copyWithin(start + copy * rowBytes, start, start + rowBytes);
  }
  return bitmapPng(width, rows);
}
