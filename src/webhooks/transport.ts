import type { AttemptError } from "../platform/webhook-events/delivery.ts";

/** One POST to a receiver: the exact bytes and headers. */
export interface WebhookRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Wall time for the whole attempt, from the look-up of the name to the end of the answer. */
  readonly deadlineMs: number;
}

/** What came back, or why nothing did. */
export interface AttemptResult {
  readonly status: number | null;
  readonly error: AttemptError | null;
  /** One sentence for a person. */
  readonly message: string;
  readonly responseHeaders: Readonly<Record<string, string>>;
  readonly responseBody: string;
  readonly responseTruncated: boolean;
  /** Wall time. */
  readonly durationMs: number;
}

/** Makes one attempt. It never rejects: whatever goes wrong is a result. */
export type Transport = (request: WebhookRequest) => Promise<AttemptResult>;
