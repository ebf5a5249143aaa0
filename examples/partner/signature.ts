import { createHmac, timingSafeEqual } from "node:crypto";

/**
 * Returns true if the platform signed these bytes. The digest is computed over the raw body, because a parsed and
 * serialized body can have other bytes. The comparison takes constant time.
 */
export function isSigned(rawBody: Uint8Array, header: string | undefined, secret: string): boolean {
  if (header === undefined || secret === "") return false;
  const digest = createHmac("sha256", secret).update(rawBody).digest("hex");
  const expected = Buffer.from(`sha256=${digest}`);
  const given = Buffer.from(header);
  return given.length === expected.length && timingSafeEqual(given, expected);
}
