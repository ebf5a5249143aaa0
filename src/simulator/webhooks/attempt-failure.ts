import type { AttemptError } from "../platform/webhook-events/delivery.ts";
import { type WireEffectName, effectOf } from "../platform/faults/effects.ts";

const ADVICE: Readonly<Record<AttemptError, string>> = {
  dns: "Check the host in the webhook URL.",
  refused: "Start the receiver, or correct the host and port in the webhook URL.",
  tls: "Serve a certificate that is valid for this host, or use http with a receiver on your own machine.",
  timeout: "Answer first and do the work afterwards.",
  reset: "Look in the receiver's log for what happened at this time.",
  protocol: "Check that the webhook URL leads to an HTTP server, and what is between it and the sandbox.",
  "non-2xx": "Answer 2xx once the event is stored.",
  redirect: "Register the final URL: redirects are not followed.",
  changed: "Start sandbank without this code: look at NODE_OPTIONS, --import and --require.",
  "egress-blocked": "Register another URL: no setting allows this one.",
};

/** An attempt that got no answer: its message reads *Failed to deliver: <found>. <advice>*. */
export class AttemptFailure extends Error {
  readonly error: AttemptError;
  /** The cause of the failure, without the advice. */
  readonly found: string;
  readonly advice: string;

  constructor(error: AttemptError, found: string, advice: string = ADVICE[error]) {
    super(`Failed to deliver: ${found}. ${advice}`);
    this.name = "AttemptFailure";
    this.error = error;
    this.found = found;
    this.advice = advice;
  }
}

/**
 * Returns the failure that an effect causes for any answer of the receiver. Its message must not blame the receiver.
 */
export function failureOnPurpose(effect: WireEffectName): AttemptFailure | undefined {
  const { wire } = effectOf(effect);
  if (typeof wire !== "object" || wire.ends === undefined) return undefined;
  const [error, found] = wire.ends;
  const advice = "Check that the receiver keeps running and handles the next attempt.";
  return new AttemptFailure(error, `${found} on purpose (fault ${effect})`, advice);
}

/** The kind of error for each code of the system and of the HTTP client. */
const KINDS: Readonly<Record<string, AttemptError>> = {
  ENOTFOUND: "dns",
  ENODATA: "dns",
  EAI_AGAIN: "dns",
  EAI_FAIL: "dns",
  EAI_NONAME: "dns",
  EAI_NODATA: "dns",
  ECONNREFUSED: "refused",
  EHOSTUNREACH: "refused",
  EHOSTDOWN: "refused",
  ENETUNREACH: "refused",
  ENETDOWN: "refused",
  EADDRNOTAVAIL: "refused",
  EACCES: "refused",
  EPERM: "refused",
  ETIMEDOUT: "timeout",
  ABORT_ERR: "timeout",
  ECONNRESET: "reset",
  ECONNABORTED: "reset",
  EPIPE: "reset",
  ERR_STREAM_PREMATURE_CLOSE: "reset",
  EPROTO: "tls",
};

/** If the addresses of one name failed differently, the first of these that occurs is the most useful one. */
const MOST_USEFUL: readonly AttemptError[] = ["refused", "timeout", "reset", "tls", "dns", "protocol"];

const FOUND: Partial<Record<AttemptError, string>> = {
  reset: "the connection was closed before the answer came",
  timeout: "the connection went silent before the answer came",
};

/**
 * Returns the word for an error of the transport. It is read from the error's code, its cause, or its list of errors.
 * An error without a known code is `protocol`: the connection was open, and the received bytes were not valid HTTP.
 */
export function kindOf(error: unknown): AttemptError {
  if (error instanceof AttemptFailure) return error.error;
  if (error instanceof AggregateError && error.errors.length > 0) {
    const kinds = new Set(error.errors.map(kindOf));
    return MOST_USEFUL.find((kind) => kinds.has(kind)) ?? "protocol";
  }
  if (!(error instanceof Error)) return "protocol";
  const code = codeOf(error);
  const known = KINDS[code];
  if (known !== undefined) return known;
  if (error.cause instanceof Error) return kindOf(error.cause);
  if (/^(?:ERR_SSL_|ERR_TLS_|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_)/u.test(code)) return "tls";
  return "protocol";
}

/** Returns the system's or the library's own word for an error. Empty if it has no code. */
export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}

/** Returns the failure of an attempt over an open connection: it closed too early, or the answer was not HTTP. */
export function failureOf(error: unknown): AttemptFailure {
  if (error instanceof AttemptFailure) return error;
  const kind = kindOf(error);
  return new AttemptFailure(kind, FOUND[kind] ?? `the exchange broke the rules of HTTP: ${detailOf(error)}`);
}

/** Returns the first line of an error's message. */
function detailOf(error: unknown): string {
  const [line = ""] = (error instanceof Error ? error.message : String(error)).split("\n");
  return line.replace(/[.:]$/u, "");
}
