import { encode } from "fast-png";
import { fromUint8Array } from "js-base64";
import { encodeQR } from "qr";

/** The width of a module in pixels: a code of 70 modules is 210 pixels wide. */
const PIXELS_PER_MODULE = 3;
/** No compression: for five thousand bytes it takes more time, and far more memory, than the rest. */
const ZLIB_LEVEL = 0;
const QUIET_ZONE_MODULES = 4;
/** Readers accept every mask; to draw all eight and choose one takes as long as the rest of a code. */
const MASK = 0;
/** Only recent images: a larger cache costs more in garbage collection than drawing them again. */
const IMAGES_KEPT_MAX = 100;

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
 * One bit per pixel, set where the code is light. Each row of modules is drawn once and copied: the image takes two
 * fifths of the time of a POST (`bench/README.md`), and drawing every pixel would more than double it.
 */
function draw(payload: string): Uint8Array {
  const code = encodeQR(payload, "raw", { ecc: "medium", border: QUIET_ZONE_MODULES, mask: MASK });
  const width = code.length * PIXELS_PER_MODULE;
  const rowBytes = Math.ceil(width / 8);
  const data = new Uint8Array(rowBytes * width);
  for (const [y, row] of code.entries()) {
    const start = y * PIXELS_PER_MODULE * rowBytes;
    drawRow(data, start, row);
    for (let copy = 1; copy < PIXELS_PER_MODULE; copy++)
      data.copyWithin(start + copy * rowBytes, start, start + rowBytes);
  }
  return encode({ width, height: width, data, channels: 1, depth: 1 }, { zlib: { level: ZLIB_LEVEL } });
}

/** Three light pixels by the bit at which a module starts; they may continue in the next byte. */
const LIGHT = Array.from({ length: 8 }, (_, bit) => 0xe000 >> bit);

function drawRow(data: Uint8Array, start: number, row: readonly (boolean | undefined)[]): void {
  for (let x = 0; x < row.length; x++) {
    if (row[x]) continue;
    const pixel = x * PIXELS_PER_MODULE;
    const byte = start + (pixel >> 3);
    const light = LIGHT[pixel & 7]!;
    data[byte]! |= light >> 8;
    if (light & 0xff) data[byte + 1]! |= light & 0xff;
  }
}
