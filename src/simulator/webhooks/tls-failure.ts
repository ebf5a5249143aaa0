import { AttemptFailure, codeOf } from "./attempt-failure.ts";

/** A kind of failed TLS: the words of OpenSSL for it, the cause as a clause, and the fix. */
interface TlsKind {
  readonly words: RegExp;
  readonly found: (host: string) => string;
  readonly advice: string;
}

const NO_TLS: TlsKind = {
  words: /wrong version number|packet length too long|http request|record layer failure/iu,
  found: (host) => `${host} answered without TLS, as an http port does`,
  advice: "Write http:// in the webhook URL, or name the port for https.",
};

const KINDS: readonly TlsKind[] = [
  NO_TLS,
  {
    words: /certificate required|bad certificate|unknown ca\b/iu,
    found: (host) => `${host} wants a certificate of its client, and webhooks have none`,
    advice:
      "Let the receiver take webhooks without a client's certificate. Their signature proves the sender.",
  },
  {
    words: /protocol version|unsupported protocol/iu,
    found: (host) => `${host} takes only old versions of TLS`,
    advice: "Let the receiver take TLS 1.2 or 1.3.",
  },
  {
    words: /handshake failure/iu,
    found: (host) => `${host} ended the TLS handshake (handshake failure)`,
    advice:
      "Look in the receiver's log. The usual causes: it wants a client's certificate, which webhooks do not have, or it takes none of the usual ciphers.",
  },
];

const SIGNED_BY_UNKNOWN = "is signed by an authority that the sandbox does not know";

/** The reasons for an untrusted certificate, by the code of OpenSSL. */
const UNKNOWN_AUTHORITIES: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: "is signed by itself",
  SELF_SIGNED_CERT_IN_CHAIN: SIGNED_BY_UNKNOWN,
  UNABLE_TO_GET_ISSUER_CERT: SIGNED_BY_UNKNOWN,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: SIGNED_BY_UNKNOWN,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: SIGNED_BY_UNKNOWN,
};

const AUTHORITY_ADVICE =
  "Start the sandbox with NODE_EXTRA_CA_CERTS and the PEM file of that certificate, or of its authority, or use http with a receiver on your own machine.";

/** Returns the failure of TLS with a host, with the cause and the fix of its kind. */
export function tlsFailure(error: unknown, host: string): AttemptFailure {
  const authority = UNKNOWN_AUTHORITIES[codeOf(error)];
  if (authority !== undefined)
    return new AttemptFailure("tls", `the certificate of ${host} ${authority}`, AUTHORITY_ADVICE);
  const reason = reasonOf(error);
  const kind = KINDS.find(({ words }) => words.test(reason));
  if (kind !== undefined) return new AttemptFailure("tls", kind.found(host), kind.advice);
  return new AttemptFailure("tls", `the TLS handshake with ${host} failed: ${reason}`);
}

/** The first byte of a TLS alert. */
const ALERT = 0x15;

/** The answers of nginx, Apache and Go to a request without TLS. */
const TLS_EXPECTED =
  /plain HTTP request was sent to HTTPS port|speaking plain HTTP to an SSL|HTTP request to an HTTPS server/iu;

/** Returns true if a port for TLS refused a request without TLS. */
export function wantsTls(error: unknown): boolean {
  const { rawPacket } = error as { readonly rawPacket?: Uint8Array };
  return rawPacket?.[0] === ALERT;
}

/** Returns true if this answer to a request without TLS says that the port is for TLS. */
export function saysTlsExpected(status: number, body: string): boolean {
  return status === 400 && TLS_EXPECTED.test(body);
}

/** The failure of a request without TLS to a port for TLS. */
export function tlsExpected(): AttemptFailure {
  return new AttemptFailure("tls", "the port is for TLS", "Write https:// in the webhook URL.");
}

/** Returns the short reason of OpenSSL, otherwise the message. The full messages of OpenSSL are for its developers. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return "reason" in error && typeof error.reason === "string" ? error.reason : error.message;
}
