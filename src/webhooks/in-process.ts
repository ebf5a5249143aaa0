import type { AttemptError } from "../platform/webhook-events/delivery.ts";
import type { AttemptResult, WebhookRequest } from "./attempt.ts";
import type { Transport } from "./transport.ts";
import type { WireManner } from "./wire-manners.ts";
import { AttemptFailure } from "./attempt-failure.ts";
import { createEgress, judgeUrl } from "./egress-guard.ts";
import { judgeAnswer, unanswered } from "./attempt.ts";

/** A webhook as it reaches a receiver of this process. */
interface InProcessRequest {
  readonly url: string;
  readonly headers: { readonly [name: string]: string };
  readonly body: string;
}

/** What such a receiver says, or the way in which it says nothing. */
type InProcessAnswer =
  | {
      readonly status: number;
      readonly headers: { readonly [name: string]: string };
      readonly body: string;
      readonly truncated?: boolean;
    }
  | {
      readonly error: Exclude<AttemptError, "non-2xx" | "redirect">;
      /** The sentence that tells of it, where it is not for the transport to say. */
      readonly message?: string;
    };

/**
 * What each manner comes to where there is no wire: whether a receiver gets to see a whole request, and how the
 * attempt ends. Null lets the answer count, as it does for what is only slow or in pieces.
 */
const ENDS: Readonly<
  Record<WireManner["kind"], { readonly arrives: boolean; readonly error: AttemptError | null }>
> = {
  "refuse-connection": { arrives: false, error: "refused" },
  "reset-on-connect": { arrives: false, error: "reset" },
  "reset-after-request": { arrives: true, error: "reset" },
  "ignore-answer": { arrives: true, error: "timeout" },
  "slow-headers": { arrives: true, error: null },
  "slow-body": { arrives: true, error: null },
  "truncate-then-close": { arrives: false, error: "reset" },
  "truncate-then-reset": { arrives: false, error: "reset" },
  chunked: { arrives: true, error: null },
  "hold-last-byte": { arrives: true, error: null },
};

/** A receiver of this process. */
interface InProcessReceiver {
  receive(request: InProcessRequest): InProcessAnswer | Promise<InProcessAnswer>;
}

/** Hands attempts to a receiver of this process: no socket, no wall time, the same every time. */
export function transportTo(receiver: InProcessReceiver): Transport {
  return async function deliver(delivered: WebhookRequest) {
    const { url, headers, body, manner } = delivered;
    const verdict = verdictOn(delivered);
    if (!verdict.allowed)
      return failed("egress-blocked", `the egress guard refuses it, because ${verdict.reason}`);
    const { arrives, error } = endOf(delivered);
    const request = { url, headers: { ...headers }, body: Buffer.from(body).toString("utf8") };
    const answer = arrives ? await receiver.receive(request) : undefined;
    if (error !== null) return failed(error, `the connection failed on purpose (fault ${manner?.kind})`);
    if (answer === undefined) return failed("reset", "the request did not arrive");
    if (!("error" in answer)) return { ...judgeAnswer({ truncated: false, ...answer }), durationMs: 0 };
    const result = failed(answer.error, `the receiver gave no answer (${answer.error})`);
    return answer.message === undefined ? result : { ...result, message: answer.message };
  };
}

/** Whether a receiver of this process would get to see such a request. */
export function reachesReceiver(request: WebhookRequest): boolean {
  return verdictOn(request).allowed && endOf(request).arrives;
}

function verdictOn({ url, egressMode }: WebhookRequest): ReturnType<typeof judgeUrl> {
  return judgeUrl(url, createEgress({ ...(egressMode && { mode: egressMode }) }));
}

function endOf({ manner }: WebhookRequest): (typeof ENDS)[WireManner["kind"]] {
  return ENDS[manner?.kind ?? "hold-last-byte"];
}

function failed(error: AttemptError, found: string): AttemptResult {
  return { ...unanswered(new AttemptFailure(error, found)), durationMs: 0 };
}
