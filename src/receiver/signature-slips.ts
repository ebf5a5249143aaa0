import { createHash, createHmac } from "node:crypto";
import { digestOf, SIGNATURE_PREFIX, signatureOf } from "../webhooks/signature.ts";

/** A wrong way to compute the signature, which shows in what a receiver accepts. */
export interface SignatureSlip {
  readonly cause: string;
  readonly mend: string;
  /** The header's value that a receiver with this slip waits for. */
  readonly write: (secret: string, body: Buffer) => string;
}

const RAW =
  "Compute the HMAC-SHA256 over the raw bytes of the body, with nothing added and nothing left out.";
const HMAC =
  'Use the HMAC of your library with the secret as its key, as in createHmac("sha256", secret).update(rawBody).digest("hex").';

/** The slips that partners make most often; none of them is a signature that anybody but they would accept. */
export const SIGNATURE_SLIPS: readonly SignatureSlip[] = [
  {
    cause: "The digest is compared in Base64; the header carries it in lower-case hex.",
    mend: 'Write the digest in hex, as in digest("hex").',
    write: (secret, body) => SIGNATURE_PREFIX + createHmac("sha256", secret).update(body).digest("base64"),
  },
  {
    cause: "The digest is compared in upper-case hex; the header carries it in lower case.",
    mend: "Compare the bytes of the digests, or both in lower case.",
    write: (secret, body) => SIGNATURE_PREFIX + digestOf(secret, body).toUpperCase(),
  },
  {
    cause: "The header is compared without its label: it starts with sha256=, the digest follows.",
    mend: "Require the label sha256=, and compare what comes after it.",
    write: (secret, body) => digestOf(secret, body),
  },
  {
    cause: "A newline is added to the body before the signature is checked.",
    mend: RAW,
    write: (secret, body) => signatureOf(secret, Buffer.concat([body, Buffer.from("\n")])),
  },
  {
    cause: "The body is turned into lower case before the signature is checked.",
    mend: RAW,
    write: (secret, body) => signatureOf(secret, Buffer.from(body.toString("utf8").toLowerCase())),
  },
  {
    cause: "An empty body is verified: something read the body before the signature was checked.",
    mend: "Keep the raw body where the parser reads it, and verify those bytes.",
    write: (secret) => signatureOf(secret, Buffer.alloc(0)),
  },
  {
    cause: "A plain SHA-256 of secret and body is verified, which is no HMAC.",
    mend: HMAC,
    write: (secret, body) =>
      SIGNATURE_PREFIX + createHash("sha256").update(secret).update(body).digest("hex"),
  },
  {
    cause: "A plain SHA-256 of body and secret is verified, which is no HMAC.",
    mend: HMAC,
    write: (secret, body) =>
      SIGNATURE_PREFIX + createHash("sha256").update(body).update(secret).digest("hex"),
  },
  {
    cause: "A plain SHA-256 of the body is verified, without any secret: anybody can sign.",
    mend: HMAC,
    write: (_, body) => SIGNATURE_PREFIX + createHash("sha256").update(body).digest("hex"),
  },
  {
    cause: "The HMAC is computed with SHA-1; the header carries SHA-256.",
    mend: HMAC,
    write: (secret, body) => `sha1=${createHmac("sha1", secret).update(body).digest("hex")}`,
  },
];
