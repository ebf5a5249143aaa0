import type { AttemptResult, WebhookRequest } from "./attempt.ts";
import type { ConnectionLimits } from "./connection-limit.ts";
import type { Egress } from "./egress-guard.ts";
import type { Transport } from "./transport.ts";
import { ConnectionLimit } from "./connection-limit.ts";

/** The HTTP client is the largest thing a start would load, and no attempt is made before somebody asks for one. */
const post = (): Promise<typeof import("./post.ts")> => import("./post.ts");
const wire = (): Promise<typeof import("./wire.ts")> => import("./wire.ts");

/** Enough to keep a receiver busy, few enough not to flood it; and eight that hang leave room for others. */
const LIMITS: ConnectionLimits = { perOrigin: 32, inAll: 256 };

/**
 * The transport over real connections, all behind one guard, with a bound on how many stand at a time. Waiting
 * for a place costs an attempt nothing of its deadline.
 */
export function networkTransport(egress: Egress, limits: ConnectionLimits = LIMITS): Transport {
  const limit = new ConnectionLimit(limits);
  const guardFor = ({ egressMode = egress.mode }: WebhookRequest): Egress => ({
    ...egress,
    mode: egressMode,
  });
  const send = (request: WebhookRequest): Promise<AttemptResult> => {
    const { manner } = request;
    const guard = guardFor(request);
    return limit.run(originOf(request), async () => {
      if (manner !== undefined) return (await wire()).sendRaw(request, manner, guard);
      const { postWebhook } = await post();
      return postWebhook(request, guard);
    });
  };
  // A group takes one place together: with a place each, two groups could wait for each other for ever.
  const together = async (requests: readonly WebhookRequest[]): Promise<readonly AttemptResult[]> => {
    const [first] = requests;
    if (first === undefined) return [];
    return limit.run(originOf(first), async () => (await wire()).sendTogether(requests, guardFor(first)));
  };
  return Object.assign(send, { together });
}

function originOf({ url }: WebhookRequest): string {
  return URL.canParse(url) ? new URL(url).origin : url;
}
