import { fromUint8Array } from "js-base64";
import { encodeQR } from "qr";
import { squaresPng } from "./pictures/squares-png.ts";

const QUIET_ZONE_MODULES = 4;
/**
 * The pattern that is laid over the modules. Any can be read; to draw all eight and take the most even one is most
 * of what a code costs, and what a payload comes to is even enough by chance.
 */
const MASK = 3;
const IMAGES_KEPT_MAX = 2_000;

const images = new Map<string, string>();

/**
 * The PNG of a QR code in base64, without a data URI prefix: error correction level M, because no logo covers
 * it (interface: Transparent order, response groups). The same payload always gives the same bytes.
 */
export function qrImage(payload: string): string {
  const known = images.get(payload);
  if (known !== undefined) return known;
  const code = encodeQR(payload, "raw", { ecc: "medium", border: QUIET_ZONE_MODULES, mask: MASK });
  const image = fromUint8Array(squaresPng(code));
  const oldest = images.size >= IMAGES_KEPT_MAX ? images.keys().next().value : undefined;
  if (oldest !== undefined) images.delete(oldest);
  images.set(payload, image);
  return image;
}
