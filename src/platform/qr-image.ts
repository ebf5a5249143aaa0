import { encode } from "fast-png";
import { fromUint8Array } from "js-base64";
import { encodeQR } from "qr";

/** Pixels along one side of a module: a code of 70 modules is then 280 pixels wide. */
const PIXELS_PER_MODULE = 4;
/** The fastest that compresses: a picture is a few hundred bytes at any level. */
const ZLIB_LEVEL = 1;
const QUIET_ZONE_MODULES = 4;
const IMAGES_KEPT_MAX = 2_000;

const images = new Map<string, string>();

/**
 * The PNG of a QR code in base64, without a data URI prefix: error correction level M, because no logo covers
 * it (interface: Transparent order, response groups). The same payload always gives the same bytes.
 */
export function qrImage(payload: string): string {
  const known = images.get(payload);
  if (known !== undefined) return known;
  const image = fromUint8Array(draw(payload));
  const oldest = images.size >= IMAGES_KEPT_MAX ? images.keys().next().value : undefined;
  if (oldest !== undefined) images.delete(oldest);
  images.set(payload, image);
  return image;
}

/**
 * One bit a pixel, white where the code is light. Each row of modules is drawn once and copied: the pictures are
 * most of what a creation costs, so nothing here is done twice.
 */
function draw(payload: string): Uint8Array {
  const code = encodeQR(payload, "raw", { ecc: "medium", border: QUIET_ZONE_MODULES });
  const width = code.length * PIXELS_PER_MODULE;
  const rowBytes = Math.ceil(width / 8);
  const data = new Uint8Array(rowBytes * width);
  for (const [y, row] of code.entries()) {
    const start = y * PIXELS_PER_MODULE * rowBytes;
    // Two modules of four pixels share a byte.
    for (let x = 0; x < row.length; x++) if (!row[x]) data[start + (x >> 1)]! |= x & 1 ? 0x0f : 0xf0;
    for (let copy = 1; copy < PIXELS_PER_MODULE; copy++)
      data.copyWithin(start + copy * rowBytes, start, start + rowBytes);
  }
  return encode({ width, height: width, data, channels: 1, depth: 1 }, { zlib: { level: ZLIB_LEVEL } });
}
