import { createHmac, timingSafeEqual } from "node:crypto";

/**
 * Whether the platform signed these bytes. The digest is over the raw body as it came: parse it and write it
 * again, and it has other bytes. The comparison takes the same time wherever the two differ.
 */
export function isSigned(rawBody: Uint8Array, header: string | undefined, secret: string): boolean {
  if (header === undefined || secret === "") return false;
  const digest = createHmac("sha256", secret).update(rawBody).digest("hex");
  const expected = Buffer.from(`sha256=${digest}`);
  const given = Buffer.from(header);
  return given.length === expected.length && timingSafeEqual(given, expected);
}
