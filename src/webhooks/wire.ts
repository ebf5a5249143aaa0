import {
  type Answer,
  type AttemptResult,
  type Deadline,
  type WebhookRequest,
  type WireManner,
  attempt,
} from "./attempt.ts";
import { targetOf } from "./connection.ts";
import type { Egress } from "./egress-guard.ts";
import { checkHeaders } from "./http-message.ts";
import { createWire } from "./wire-line.ts";
import { misbehave } from "./wire-manners.ts";

/**
 * One attempt that misbehaves on the wire in the requested manner, with the same guard, deadline and result as
 * `postWebhook`: it never rejects and leaves nothing open. If the receiver can answer, its status line decides as
 * usual; if the manner cuts it off, the attempt has failed.
 */
export function sendRaw(request: WebhookRequest, manner: WireManner, egress: Egress): Promise<AttemptResult> {
  const exchange = async ({ signal }: Deadline): Promise<Answer> => {
    const target = targetOf(request.url, egress);
    checkHeaders(request);
    const wire = createWire({ request, target, egress, signal });
    try {
      return await misbehave(wire, manner);
    } finally {
      wire.close();
    }
  };
  return attempt(request, exchange);
}

/**
 * Sends several requests so that the last byte of each arrives at the same moment, each over its own connection: no
 * last byte is sent before all requests have only it left. A connection that fails does not keep the others waiting.
 */
export function sendTogether(
  requests: readonly WebhookRequest[],
  egress: Egress,
): Promise<readonly AttemptResult[]> {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  let waiting = requests.length;
  const ready = (): void => {
    waiting -= 1;
    if (waiting === 0) release();
  };
  return Promise.all(
    requests.map(async (request) => {
      let isReady = false;
      const allButLastSent = (): void => {
        isReady = true;
        ready();
      };
      const manner = { kind: "hold-last-byte", released, allButLastSent } as const;
      const result = await sendRaw(request, manner, egress);
      if (!isReady) ready();
      return result;
    }),
  );
}
