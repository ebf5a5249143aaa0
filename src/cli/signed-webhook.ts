import { signatureOf, webhookHeaders } from "../simulator/api/signature.ts";
import type { WebhookRequest } from "../simulator/webhooks/attempt.ts";

/** The time that the receiver may take (interface: Events, Delivery rule 2). */
const DEADLINE_MS = 10_000;

/** Makes a webhook as the platform would send it, signed with this secret. */
export function signedWebhook(url: string, secret: string, text: string): WebhookRequest {
  const body = Buffer.from(text);
  return {
    url,
    headers: webhookHeaders(signatureOf(secret, body)),
    body,
    deadlineMs: DEADLINE_MS,
  };
}
