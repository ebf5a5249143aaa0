import type { AttemptResult, WebhookRequest, WireManner } from "../../simulator/webhooks/attempt.ts";
import { abortedAfter, type Wall } from "../../base/wall.ts";
import { AttemptFailure } from "../../simulator/webhooks/attempt-failure.ts";
import { connectTcp, targetOf } from "../../simulator/webhooks/connection.ts";
import { Connections } from "../../simulator/webhooks/kept-connections.ts";
import { isContained } from "../../base/container.ts";
import { createEgress, type Egress } from "../../simulator/webhooks/egress-guard.ts";
import { networkTransport, type Transport } from "../../simulator/webhooks/transport.ts";
import { SIGNATURE_FIELD, signatureOf } from "../../simulator/api/signature.ts";
import { sendTogether, sendWebhook } from "../../simulator/webhooks/wire.ts";

export type { AttemptResult, Transport, WebhookRequest, WireManner };
export { transportTo } from "../../simulator/webhooks/in-process.ts";

/** Returns the guard of a tool on this machine, whose messages know if the tool runs in a container. */
export function toolEgress(): Egress {
  return createEgress({ isContained: isContained() });
}

/**
 * Opens a connection to a receiver, and sends nothing over it. Returns the reason why that fails within `ms`. Undefined
 * if the receiver accepts the connection.
 */
export async function connectionFailure(
  url: string,
  { ms, wall }: { readonly ms: number; readonly wall: Wall },
): Promise<AttemptFailure | undefined> {
  const egress = toolEgress();
  try {
    const socket = await abortedAfter((signal) => connectTcp(targetOf(url, egress), egress, signal), {
      ms,
      wall,
    });
    socket.destroy();
    return undefined;
  } catch (error) {
    if (error instanceof AttemptFailure) return error;
    throw error;
  }
}

/** Sends webhooks over the network, as a sandbox without settings does. */
export function transportToNetwork(): Transport {
  return networkTransport(toolEgress());
}

/**
 * Returns the transport for an endpoint that may have its own secret. A request that was signed with a known secret
 * is signed again with `secret`. A signature that is wrong on purpose stays unchanged.
 */
export function signedFor(
  { secret, known }: { readonly secret: string | undefined; readonly known: readonly string[] },
  send: Transport,
): Transport {
  if (secret === undefined) return send;
  const signed = (request: WebhookRequest): WebhookRequest => {
    const { headers, body } = request;
    if (!known.some((one) => headers[SIGNATURE_FIELD] === signatureOf(one, body))) return request;
    return { ...request, headers: { ...headers, [SIGNATURE_FIELD]: signatureOf(secret, body) } };
  };
  return (requests) => send(requests.map(signed));
}

/**
 * Returns functions that send requests like the webhooks of a sandbox, for a tool that makes them itself. Their
 * promises never reject. With `keepAlive`, connections are kept as a server keeps them.
 */
export function webhookSender({ keepAlive = false } = {}) {
  const egress = toolEgress();
  const kept = keepAlive ? new Connections({ keepAlive }) : undefined;
  return {
    post: (request: WebhookRequest) => sendWebhook(request, egress, kept),
    /** Sends requests whose last byte leaves at the same moment. */
    together: (requests: readonly WebhookRequest[]) => sendTogether(requests, egress),
  };
}
