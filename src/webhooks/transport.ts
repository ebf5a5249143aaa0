import type { AttemptResult, WebhookRequest } from "./attempt.ts";

/** Makes one attempt. It never rejects: whatever goes wrong is a result. */
export interface Transport {
  (request: WebhookRequest): Promise<AttemptResult>;
  /** Makes several so that their last bytes arrive at one moment; without it they leave one after another. */
  readonly together?: (requests: readonly WebhookRequest[]) => Promise<readonly AttemptResult[]>;
}
