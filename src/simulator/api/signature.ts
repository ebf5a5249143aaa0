import { createHmac } from "node:crypto";

/** The header that carries the signature (interface: Events, Signature rule 1). */
export const SIGNATURE_HEADER = "X-Signature-SHA256";

/** The beginning of its value, before the digest (interface: Events, Signature rule 1). */
export const SIGNATURE_PREFIX = "sha256=";

/** The name of the header in lower case, in sent and received headers. */
export const SIGNATURE_FIELD = "x-signature-sha256";

/**
 * Returns the header's value for a body: `sha256=` and the HMAC-SHA256 of these bytes in lower-case hex (interface:
 * Events, Signature rule 1). Sign the sent bytes, never a second serialisation.
 */
export function signatureOf(secret: string, body: Uint8Array): string {
  return SIGNATURE_PREFIX + digestOf(secret, body);
}

/** Returns the digest without its label. */
export function digestOf(secret: string, body: Uint8Array): string {
  return createHmac("sha256", secret).update(body).digest("hex");
}

/** Returns the headers of a webhook. A receiver may see its signature under a name in other case. */
export function webhookHeaders(
  signature: string | undefined,
  { contentType = "application/json", field = SIGNATURE_FIELD } = {},
): Record<string, string> {
  return {
    ...(contentType !== "" && { "content-type": contentType }),
    "user-agent": "sandbank-webhooks",
    ...(signature !== undefined && { [field]: signature }),
  };
}
