/**
 * Returns the placeholder for the image of a QR code. Values contain only its text, and the shell draws the image
 * when they leave the sandbox (`simulator/qr-images/qr-images.ts`). The image is thirty times as long, and a world never depends
 * on it.
 *
 * The placeholder has the type of the later image: a PNG in base64, without a data URI prefix (interface: Transparent
 * order, response groups).
 */
export function qrImage(payload: string): string {
  const encoded = PLAIN.test(payload) ? payload : encodeURIComponent(payload);
  return { [QR_IMAGE]: encoded } as unknown as string;
}

/** A text that JSON and the decoding of a URI component leave as it is. */
const PLAIN = /^[ !#$&-[\]-~]*$/;

/** The key of an image that is not drawn; its value has no character that JSON escapes. */
export const QR_IMAGE = "$qrImage";

/**
 * A stored JSON text whose QR codes are not drawn. It is a string, but TypeScript does not take it for one: what sends
 * or shows it has to draw its images first (`withQrImages`).
 */
export interface UndrawnJson {
  readonly [UNDRAWN]: true;
}

declare const UNDRAWN: unique symbol;

export function undrawnJson(value: object): UndrawnJson {
  return JSON.stringify(value) as unknown as UndrawnJson;
}

/** Whether a text is one of its values. */
export function mentions(json: UndrawnJson, value: string): boolean {
  return (json as unknown as string).includes(JSON.stringify(value));
}
