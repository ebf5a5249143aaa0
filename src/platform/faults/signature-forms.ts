/** The beginning of the signature header's value, before the digest (interface: Events, Signature rule 1). */
export const SIGNATURE_PREFIX = "sha256=";

/** A header that is not the right one, written from the right digest. */
interface SignatureForm {
  readonly is: string;
  readonly write: (digest: string) => string;
}

/** The forms of malformed, wrong or unusual signature headers. A letter é is one byte on the wire. */
export const signatureForms = {
  flipped: {
    is: "one digit is changed",
    write: (digest) => `${SIGNATURE_PREFIX}${digest.slice(0, -1)}${digest.endsWith("0") ? "1" : "0"}`,
  },
  short: { is: "sha256=abc", write: () => `${SIGNATURE_PREFIX}abc` },
  empty: { is: "only the prefix", write: () => SIGNATURE_PREFIX },
  long: { is: "two digits too many", write: (digest) => `${SIGNATURE_PREFIX}${digest}00` },
  odd: { is: "one digit too few", write: (digest) => `${SIGNATURE_PREFIX}${digest.slice(0, -1)}` },
  "non-hex": {
    is: "64 letters z",
    write: (digest) => `${SIGNATURE_PREFIX}${"z".repeat(digest.length)}`,
  },
  multibyte: {
    is: "64 letters é, each sent as one byte",
    write: (digest) => `${SIGNATURE_PREFIX}${"é".repeat(digest.length)}`,
  },
  "no-prefix": { is: "only the digest", write: (digest) => digest },
  "wrong-prefix": { is: "the prefix sha1=", write: (digest) => `sha1=${digest}` },
  "other-algorithm": { is: "the prefix sha512=", write: (digest) => `sha512=${digest}` },
  uppercase: {
    is: "the right digest in capitals",
    write: (digest) => `${SIGNATURE_PREFIX}${digest.toUpperCase()}`,
  },
} as const satisfies Readonly<Record<string, SignatureForm>>;

export type SignatureFormName = keyof typeof signatureForms;
