import type { Effect, Effects } from "./effect.ts";
import { choiceField } from "./effect.ts";

const ofAttempt = { on: "webhook", stage: "attempt" } as const satisfies Partial<Effect>;
const secret = { ...ofAttempt, slot: "secret", fields: {} } as const;

/** The ways in which a signature header can be malformed or wrong. */
export const SIGNATURE_FORMS = [
  "flipped",
  "short",
  "empty",
  "long",
  "odd",
  "non-hex",
  "multibyte",
  "no-prefix",
  "wrong-prefix",
  "uppercase",
] as const;

/** Which key signs, and what stands in the header. */
export const signatureEffects = {
  "bad-signature": {
    ...ofAttempt,
    slot: "signature",
    fields: {
      form: choiceField(
        "flipped: one digit is another; short: sha256=abc; empty: the prefix alone; long: two digits too many; odd: one digit too few; non-hex: 64 letters z; multibyte: 64 letters é, one byte each on the wire and two in UTF-8; no-prefix: the digest alone; wrong-prefix: sha1= before it; uppercase: the right digest in capitals.",
        { value: "flipped", choices: SIGNATURE_FORMS },
      ),
    },
    onTheWire: "An ordinary request whose signature header is wrong or malformed.",
    uncovers:
      "Nothing is verified; or a comparison in constant time throws on another length, and the process ends or answers 500.",
  },
  "missing-signature": {
    ...ofAttempt,
    slot: "signature",
    fields: {},
    onTheWire: "An ordinary request without the signature header.",
    uncovers: "A missing header ends in a crash, or in no verification at all.",
  },
  "wrong-secret": {
    ...secret,
    onTheWire: "A well-formed signature made with a secret that was never this company's.",
    uncovers: "The secret is built in, or the signature's form is all that is checked.",
  },
  "old-secret": {
    ...secret,
    onTheWire:
      "A signature made with the secret before the last rotation. Where none was rotated yet, the fault waits.",
    uncovers: "An old secret is never retired.",
  },
  "empty-secret": {
    ...secret,
    onTheWire: "A signature made with an empty key.",
    uncovers: "The variable that holds the secret is unset, so that anybody can sign.",
  },
  "rotate-mid-retry": {
    on: "webhook",
    stage: "event",
    slot: "first-attempts",
    fields: {},
    onTheWire:
      "The first attempt is signed with the present secret, and reset as the answer begins to come. Then the company's secret is rotated, and the retry is signed with the new one.",
    uncovers: "The secret is read once at start, or a retry is verified as a copy of the first attempt.",
  },
  "tampered-body": {
    ...ofAttempt,
    slot: "tampering",
    fields: {},
    onTheWire: "One digit of the body is changed after signing, that of an amount where there is one.",
    uncovers: "Something is verified, but not this body.",
  },
  "tampered-whitespace": {
    ...ofAttempt,
    slot: "tampering",
    fields: {},
    onTheWire: "The body is indented after signing: the same JSON in other bytes, which must be rejected.",
    uncovers: "The signature is computed over JSON that was parsed and written again.",
  },
} as const satisfies Effects;
