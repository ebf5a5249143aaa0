import type { WebhookRequest } from "./attempt.ts";
import type { ConnectionLimits } from "./connection-limit.ts";
import type { Egress } from "./egress-guard.ts";
import type { Transport } from "./transport.ts";
import { ConnectionLimit } from "./connection-limit.ts";

/** The HTTP client is the largest module of all, so it is loaded with the first attempt. */
const post = (): Promise<typeof import("./post.ts")> => import("./post.ts");
const wire = (): Promise<typeof import("./wire.ts")> => import("./wire.ts");

/** Enough to keep a receiver busy, few enough not to flood it; with eight receivers that hang, others are still served. */
const LIMITS: ConnectionLimits = { perOrigin: 32, inAll: 256 };

/**
 * The transport over real connections, all behind one guard, with a bound on how many are open at a time. The time
 * that an attempt waits for its turn does not count towards its deadline.
 */
export function networkTransport(egress: Egress, limits: ConnectionLimits = LIMITS): Transport {
  const limit = new ConnectionLimit(limits);
  const guardFor = ({ egressMode = egress.mode }: WebhookRequest): Egress => ({
    ...egress,
    mode: egressMode,
  });
  // Requests that belong together take one place: with a place each, two groups could wait for each other for ever.
  return async (requests) => {
    const [first] = requests;
    if (first === undefined) return [];
    return limit.run(originOf(first), async () => {
      if (requests.length > 1) return (await wire()).sendTogether(requests, guardFor(first));
      const { manner } = first;
      if (manner !== undefined) return [await (await wire()).sendRaw(first, manner, guardFor(first))];
      return [await (await post()).postWebhook(first, guardFor(first))];
    });
  };
}

function originOf({ url }: WebhookRequest): string {
  return URL.canParse(url) ? new URL(url).origin : url;
}
