import type { AttemptOrder, AttemptOutcome } from "../platform/webhook-events/attempts.ts";
import type { AttemptResult, WebhookRequest } from "./attempt.ts";
import { withQrImages } from "./qr-images.ts";
import type { Instant } from "../engine/instant.ts";

/** How much of a request's body is kept: far above any event, far below what a fault can make of one. */
const REQUEST_KEPT_BYTES = 256 * 1024;

/** An attempt that was opened, without what the record of its delivery contains. */
export interface StoredOrder extends Omit<AttemptOrder, "url" | "body" | "together"> {
  readonly together: readonly StoredOrder[];
}

/** An attempt whose outcome is not committed: a world that is loaded again makes it again, without opening it twice. */
export interface OpenedAttempt {
  readonly at: Instant;
  readonly order: StoredOrder;
}

export function storedOrder({ url: _url, body: _body, together, ...order }: AttemptOrder): StoredOrder {
  return { ...order, together: together.map(storedOrder) };
}

/** What a world stores of an attempt: everything except its duration. */
export function outcomeOf(
  at: Instant,
  { order, request }: { readonly order: AttemptOrder; readonly request: WebhookRequest },
  result: AttemptResult,
): AttemptOutcome {
  const { headers, body } = request;
  const { status, error, message, responseHeaders, responseBody, responseTruncated } = result;
  return {
    at,
    status,
    error,
    message,
    requestHeaders: headers,
    requestBody: sentText(order, body),
    requestBytes: body.length,
    responseHeaders,
    responseBody,
    responseTruncated,
  };
}

/** The event's own text where no fault changed it, so that all attempts share one copy. */
function sentText({ body: text, injection }: AttemptOrder, body: Uint8Array): string {
  if (injection.faults.length === 0 && body.length <= REQUEST_KEPT_BYTES) return text;
  const sent = Buffer.from(body.subarray(0, REQUEST_KEPT_BYTES)).toString("utf8");
  return sent === withQrImages(text) ? text : sent;
}
