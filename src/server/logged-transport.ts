import type { AttemptResult, WebhookRequest } from "../webhooks/attempt.ts";
import type { Log } from "./log.ts";
import type { Transport } from "../webhooks/transport.ts";

/** How many unreachable receivers are remembered. */
const LOGGED_MAX = 1_000;

/**
 * A transport that logs why a receiver cannot be reached, once until it is reached again: people who have just started
 * both look for the reason there. What a receiver answers, and what a fault does, is not logged.
 */
export function loggedTransport(transport: Transport, log: Log): Transport {
  const logged = new Set<string>();

  function logResult({ url, manner }: WebhookRequest, { status, error, message }: AttemptResult): void {
    if (manner !== undefined || (status !== null && logged.size === 0)) return;
    const origin = URL.canParse(url) ? new URL(url).origin : url;
    if (status !== null) {
      logged.delete(origin);
      return;
    }
    if (logged.has(origin)) return;
    if (logged.size >= LOGGED_MAX) logged.clear();
    logged.add(origin);
    log.warn({ error }, message);
  }

  return async (requests) => {
    const results = await transport(requests);
    for (const [index, request] of requests.entries()) {
      const result = results[index];
      if (result !== undefined && requests.length === 1) logResult(request, result);
    }
    return results;
  };
}
