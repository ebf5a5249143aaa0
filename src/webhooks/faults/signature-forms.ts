import type { SIGNATURE_FORMS } from "../../platform/faults/webhook-effects.ts";
import { SIGNATURE_PREFIX } from "../signature.ts";

type SignatureForm = (typeof SIGNATURE_FORMS)[number];

/** What each form makes of the hex digest of a good signature. A letter é is one byte on the wire. */
const FORMS: Readonly<Record<SignatureForm, (digest: string) => string>> = {
  flipped: (digest) => `${SIGNATURE_PREFIX}${digest.slice(0, -1)}${digest.endsWith("0") ? "1" : "0"}`,
  short: () => `${SIGNATURE_PREFIX}abc`,
  empty: () => SIGNATURE_PREFIX,
  long: (digest) => `${SIGNATURE_PREFIX}${digest}00`,
  odd: (digest) => `${SIGNATURE_PREFIX}${digest.slice(0, -1)}`,
  "non-hex": (digest) => `${SIGNATURE_PREFIX}${"z".repeat(digest.length)}`,
  multibyte: (digest) => `${SIGNATURE_PREFIX}${"é".repeat(digest.length)}`,
  "no-prefix": (digest) => digest,
  "wrong-prefix": (digest) => `sha1=${digest}`,
  uppercase: (digest) => `${SIGNATURE_PREFIX}${digest.toUpperCase()}`,
};

/** A good signature made bad, or merely unusual, in the form asked for. */
export function malformed(signature: string, form: string): string {
  const shape = FORMS[form as SignatureForm];
  return shape(signature.slice(SIGNATURE_PREFIX.length));
}
