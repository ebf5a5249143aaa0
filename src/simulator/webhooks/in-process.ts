import type { AttemptError } from "../platform/webhook-events/delivery.ts";
import type { Transport } from "./transport.ts";
import { AttemptFailure, failureOnPurpose } from "./attempt-failure.ts";
import { createEgress } from "./egress-guard.ts";
import { effectOf } from "../platform/faults/effects.ts";
import { targetOf } from "./connection.ts";
import { type AttemptResult, type WebhookRequest, type WireManner, answered, unanswered } from "./attempt.ts";

/** The finding of a sender if the connection ends without an answer. */
const CLOSED = "the connection was closed before the answer came";

/** The answer of such a receiver, or its failure to answer. */
type InProcessAnswer =
  | {
      readonly status: number;
      readonly headers: AttemptResult["responseHeaders"];
      readonly body: string;
      readonly truncated?: boolean;
    }
  | {
      readonly error: Exclude<AttemptError, "non-2xx" | "redirect">;
      /** The message, if it is not the one of the transport. */
      readonly message?: string;
    };

/** Returns true if the receiver sees a request with this fault and could answer it. */
function isSeen(manner: WireManner["kind"] | undefined): boolean {
  return manner === undefined || manner === "hold-last-byte" || effectOf(manner).arrives !== false;
}

/** A receiver of this process. */
interface InProcessReceiver {
  receive(request: {
    readonly url: string;
    readonly headers: { readonly [name: string]: string };
    readonly body: string;
    /** False if the connection ended in the middle of the body. */
    readonly isWhole: boolean;
  }): InProcessAnswer | Promise<InProcessAnswer>;
  /** Ends an attempt that the receiver does not see. The receiver decides the time. */
  miss?(): Promise<undefined> | undefined;
}

/**
 * Returns a transport to a receiver of this process. It delivers attempts one after another, without sockets and wall
 * time.
 */
export function transportTo(receiver: InProcessReceiver): Transport {
  return async function deliver(requests) {
    const results: AttemptResult[] = [];
    for (const request of requests) results.push(await deliverOne(receiver, request));
    return results;
  };
}

async function deliverOne(receiver: InProcessReceiver, attempt: WebhookRequest): Promise<AttemptResult> {
  const refused = refusalOf(attempt);
  if (refused !== undefined) return unanswered(refused);
  const { url, headers, body, manner } = attempt;
  const kind = manner?.kind;
  const isWhole = kind !== "truncate-then-close";
  const sent = isWhole ? body : body.subarray(0, Math.floor(body.length / 2));
  const request = { url, headers: { ...headers }, body: Buffer.from(sent).toString("utf8"), isWhole };
  const answer = isSeen(kind) ? await receiver.receive(request) : await receiver.miss?.();
  // A failure of the receiver itself happens before anything changes its answer.
  const isOwnFailure = answer !== undefined && "error" in answer && answer.message !== undefined;
  const failure = kind === undefined || kind === "hold-last-byte" ? undefined : failureOnPurpose(kind);
  if (failure !== undefined && !isOwnFailure) return unanswered(failure);
  if (answer === undefined) return failed("reset", CLOSED);
  if (!("error" in answer)) return answered(answer.status, answer.headers, answer.body, answer.truncated);
  const result = failed(answer.error, isWhole ? `the receiver gave no answer (${answer.error})` : CLOSED);
  return answer.message === undefined ? result : { ...result, message: answer.message };
}

/**
 * Returns the contact of a receiver in this process with such a request: if it sees it, and if it can delay its end.
 */
export function reachOf(
  request: Pick<WebhookRequest, "url" | "egressMode"> & { readonly manner: WireManner["kind"] | undefined },
): {
  readonly reaches: boolean;
  readonly waits: boolean;
} {
  const waits = refusalOf(request) === undefined;
  return { reaches: waits && isSeen(request.manner), waits };
}

/** Returns the guard's refusal, with the same words as over a wire. Undefined if the guard allows the attempt. */
function refusalOf({
  url,
  egressMode,
}: Pick<WebhookRequest, "url" | "egressMode">): AttemptFailure | undefined {
  try {
    targetOf(url, createEgress({ ...(egressMode && { mode: egressMode }) }));
    return undefined;
  } catch (error) {
    if (error instanceof AttemptFailure) return error;
    throw error;
  }
}

function failed(error: AttemptError, found: string): AttemptResult {
  return unanswered(new AttemptFailure(error, found));
}
