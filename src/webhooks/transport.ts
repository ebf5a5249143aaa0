import type { AttemptResult, WebhookRequest } from "./attempt.ts";

/**
 * Makes attempts that belong together and gives one result for each, in their order. Requests that are sent with one
 * call are copies that have to arrive at one moment, as far as the transport can do that. It never rejects: whatever
 * goes wrong is a result.
 */
export type Transport = (requests: readonly WebhookRequest[]) => Promise<readonly AttemptResult[]>;

/** The result of an attempt that was not allowed to leave; no world reads it. */
export const NOT_SENT: AttemptResult = {
  status: null,
  error: "reset",
  message: "The state that this attempt belonged to does not exist any more, so it was not sent.",
  responseHeaders: {},
  responseBody: "",
  responseTruncated: false,
  durationMs: 0,
};
