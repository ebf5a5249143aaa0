import { createHmac } from "node:crypto";
import { SIGNATURE_PREFIX } from "../platform/faults/signature-forms.ts";

/** The header that carries the signature (interface: Events, Signature rule 1). */
export const SIGNATURE_HEADER = "X-Signature-SHA256";

/** The header as it is sent, and as received headers are named. */
export const SIGNATURE_FIELD = "x-signature-sha256";

/**
 * The header's value for a body: `sha256=` and the HMAC-SHA256 of these very bytes in lower-case hex
 * (interface: Events, Signature rule 1). Sign the bytes that are sent, never a second serialisation.
 */
export function signatureOf(secret: string, body: Uint8Array): string {
  return SIGNATURE_PREFIX + digestOf(secret, body);
}

/** The digest alone, without its label. */
export function digestOf(secret: string, body: Uint8Array): string {
  return createHmac("sha256", secret).update(body).digest("hex");
}
