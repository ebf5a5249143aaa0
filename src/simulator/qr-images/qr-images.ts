import { bitmapPng } from "./bitmap-png.ts";
import { qrCode } from "./qr-code.ts";
import { QR_IMAGE, type UndrawnJson } from "../platform/undrawn-qr-image.ts";

/** The width of a module in pixels: a code of 70 modules is 210 pixels wide. */
const PIXELS_PER_MODULE = 3;
const PIXELS = pixelsOfModules();
/** The number of kept images. Drawing is slow, and clients read the same object again and again. */
const IMAGES_KEPT_MAX = 100;

const images = new Map<string, string>();

/** An image in the JSON text of a value, or in a JSON text within that: then its quotes are escaped. */
const UNDRAWN = /\{(\\*")\$qrImage\1:\1([^"\\]*)\1\}/y;

/** Draws the QR codes in a JSON text. A text that only looks like a QR code stays unchanged. */
export function withQrImages(json: string | UndrawnJson): string {
  return withImages(json, base64Of);
}

/** Replaces the QR codes in a JSON text by a word, for comparisons. */
export function withoutQrImages(json: string): string {
  return withImages(json, () => "(image)");
}

/** Replaces the QR codes in a JSON text. It searches only the key, because matching the whole text would be slow. */
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
  // The joined text does not keep the original text in memory.
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
 * Draws a QR code as a PNG with one bit per pixel. It has error correction level M, because no logo covers it. It is
 * not compressed, because compressed bytes differ between versions of a library. The journal contains the signature of
 * a webhook and must have the same bytes everywhere.
 */
export function drawQrCode(payload: string): Buffer<ArrayBuffer> {
  const { width, rowBytes, modules } = qrCode(payload);
  const pixels = width * PIXELS_PER_MODULE;
  // A row of pixels begins with its filter byte.
  const pixelBytes = 1 + Math.ceil(pixels / 8);
  const rows = new Uint8Array(pixelBytes * pixels);
  for (let y = 0; y < width; y++) {
    const start = y * PIXELS_PER_MODULE * pixelBytes;
    for (let byte = 0, at = 1; byte < rowBytes; byte++) {
      const dark = modules[y * rowBytes + byte]!;
      for (let part = 0; part < PIXELS_PER_MODULE && at < pixelBytes; part++, at++) {
        const eight = PIXELS[dark * PIXELS_PER_MODULE + part]!;
        for (let copy = 0; copy < PIXELS_PER_MODULE; copy++) rows[start + copy * pixelBytes + at] = eight;
      }
    }
  }
  return bitmapPng(pixels, rows);
}

/** Returns the pixels of all combinations of eight modules: for each combination as many bytes as a module is wide. */
function pixelsOfModules(): Uint8Array {
  const pixels = new Uint8Array(256 * PIXELS_PER_MODULE);
  for (let dark = 0; dark < 256; dark++)
    for (let pixel = 0; pixel < 8 * PIXELS_PER_MODULE; pixel++) {
      const isDark = ((dark >> (7 - Math.floor(pixel / PIXELS_PER_MODULE))) & 1) === 1;
      if (!isDark) pixels[dark * PIXELS_PER_MODULE + (pixel >> 3)]! |= 0x80 >> (pixel & 7);
    }
  return pixels;
}
