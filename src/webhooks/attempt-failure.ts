import type { AttemptError } from "../platform/webhook-events/delivery.ts";

const ADVICE: Readonly<Record<AttemptError, string>> = {
  dns: "Check the host in the webhook URL.",
  refused: "Start the receiver, or correct the host and port in the webhook URL.",
  tls: "Serve a certificate that is valid for this host, or use http with a receiver on your own machine.",
  timeout: "Answer first and do the work afterwards.",
  reset: "Look in the receiver's log for what happened at this time.",
  protocol: "Check that the webhook URL leads to an HTTP server, and what stands between it and the sandbox.",
  "non-2xx": "Answer 2xx once the event is stored.",
  redirect: "Register the final URL: redirects are not followed.",
  "egress-blocked": "Register another URL: no setting lets this one through.",
};

/** An attempt that got no answer: its message reads *Failed to deliver: <found>. <advice>*. */
export class AttemptFailure extends Error {
  readonly error: AttemptError;

  constructor(error: AttemptError, found: string, advice: string = ADVICE[error]) {
    super(`Failed to deliver: ${found}. ${advice}`);
    this.name = "AttemptFailure";
    this.error = error;
  }
}
