import type { AttemptResult, WebhookRequest } from "../webhooks/attempt.ts";
import type { Log } from "../server/log.ts";
import type { Transport } from "../webhooks/transport.ts";

/** How many receivers that cannot be reached are remembered. */
const TOLD_MAX = 1_000;

/**
 * A transport that says in the log why a receiver cannot be reached, which whoever has just started both looks for
 * there: once, until it is reached again. What a receiver answers, and what a fault does, is not said.
 */
export function loggedTransport(transport: Transport, log: Log): Transport {
  const told = new Set<string>();

  async function send(request: WebhookRequest): Promise<AttemptResult> {
    const result = await transport(request);
    if (request.manner === undefined) tell(request, result);
    return result;
  }

  function tell({ url }: WebhookRequest, { status, error, message }: AttemptResult): void {
    const origin = URL.canParse(url) ? new URL(url).origin : url;
    if (status !== null) {
      told.delete(origin);
      return;
    }
    if (told.has(origin)) return;
    if (told.size >= TOLD_MAX) told.clear();
    told.add(origin);
    log.warn({ error }, message);
  }

  const { together } = transport;
  return together === undefined ? send : Object.assign(send, { together });
}
