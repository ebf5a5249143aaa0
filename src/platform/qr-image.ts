/**
 * The image of a QR code where a value shows one. Values contain only its text, and the shell draws it when they leave
 * the sandbox (`webhooks/qr-images.ts`): the image is thirty times as long, and nothing in a world depends on it.
 *
 * It has the type of what it becomes: a PNG in base64, without a data URI prefix (interface: Transparent order,
 * response groups).
 */
export function qrImage(payload: string): string {
  const encoded = PLAIN.test(payload) ? payload : encodeURIComponent(payload);
  return { [QR_IMAGE]: encoded } as unknown as string;
}

/** A text that JSON and the decoding of a URI component leave as it is. */
const PLAIN = /^[ !#$&-[\]-~]*$/;

/** The key of an image that is not drawn; its value has no character that JSON escapes. */
export const QR_IMAGE = "$qrImage";
