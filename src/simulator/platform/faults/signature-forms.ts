/** A header that is not the right one, written from the right header. */
interface SignatureForm {
  readonly is: string;
  readonly write: (signature: string) => string;
}

/** The forms of malformed, wrong or unusual signature headers. A letter é is one byte on the wire. */
export const signatureForms = {
  flipped: {
    is: "one digit is changed",
    write: (signature) => `${signature.slice(0, -1)}${signature.endsWith("0") ? "1" : "0"}`,
  },
  short: { is: "sha256=abc", write: () => "sha256=abc" },
  empty: { is: "only the prefix", write: (signature) => withDigest(signature, () => "") },
  long: { is: "two digits too many", write: (signature) => `${signature}00` },
  odd: { is: "one digit too few", write: (signature) => signature.slice(0, -1) },
  "non-hex": {
    is: "64 letters z",
    write: (signature) => withDigest(signature, (digest) => "z".repeat(digest.length)),
  },
  multibyte: {
    is: "64 letters é, each sent as one byte",
    write: (signature) => withDigest(signature, (digest) => "é".repeat(digest.length)),
  },
  "no-prefix": { is: "only the digest", write: digestIn },
  "wrong-prefix": { is: "the prefix sha1=", write: (signature) => `sha1=${digestIn(signature)}` },
  "other-algorithm": { is: "the prefix sha512=", write: (signature) => `sha512=${digestIn(signature)}` },
  uppercase: {
    is: "the right digest in capitals",
    write: (signature) => withDigest(signature, (digest) => digest.toUpperCase()),
  },
} as const satisfies Readonly<Record<string, SignatureForm>>;

export type SignatureFormName = keyof typeof signatureForms;

/** The digest of a signature header, after its prefix. */
const DIGEST = /[^=]*$/;

function digestIn(signature: string): string {
  return DIGEST.exec(signature)?.[0] ?? "";
}

function withDigest(signature: string, change: (digest: string) => string): string {
  return signature.replace(DIGEST, change);
}
