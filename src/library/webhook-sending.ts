import type { AttemptResult, WebhookRequest, WireManner } from "../webhooks/attempt.ts";
import { createEgress } from "../webhooks/egress-guard.ts";
import { networkTransport, signingTransport, type Transport } from "../webhooks/transport.ts";
import { postWebhook } from "../webhooks/post.ts";
import { sendRaw, sendTogether } from "../webhooks/wire.ts";

export type { AttemptResult, Transport, WebhookRequest, WireManner };
export { transportTo } from "../webhooks/in-process.ts";

/** Sends webhooks over the network, as a sandbox without settings does. */
export function transportToNetwork(): Transport {
  return networkTransport(createEgress());
}

/** The transport with webhooks that are signed for an endpoint with a secret of its own, in place of the known ones. */
export function signedFor(
  { secret, known }: { readonly secret: string | undefined; readonly known: readonly string[] },
  send: Transport,
): Transport {
  return secret === undefined ? send : signingTransport(send, { secret, known });
}

/** Sends single requests as a sandbox sends its webhooks, for a tool that makes them itself. None of them rejects. */
export interface WebhookSender {
  post(request: WebhookRequest): Promise<AttemptResult>;
  /** Sends a request that is unusual on the wire. */
  raw(request: WebhookRequest, manner: WireManner): Promise<AttemptResult>;
  /** Sends requests whose last byte leaves at the same moment. */
  together(requests: readonly WebhookRequest[]): Promise<readonly AttemptResult[]>;
}

export function webhookSender(): WebhookSender {
  const egress = createEgress();
  return {
    post: (request) => postWebhook(request, egress),
    raw: (request, manner) => sendRaw(request, manner, egress),
    together: (requests) => sendTogether(requests, egress),
  };
}
