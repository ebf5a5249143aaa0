import type { AttemptResult, WebhookRequest } from "./attempt.ts";
import type { Egress } from "./egress-guard.ts";

/**
 * Makes attempts that belong together and returns one result for each, in their order. The requests of one call are
 * copies that should arrive at the same moment, if the transport can do that. It never rejects: a failure is a result
 * too.
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
  // Requests that belong together take one place: with a place each, two groups could wait for each other forever.
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

/** How many connections may be open at a time. */
export interface ConnectionLimits {
  readonly perOrigin: number;
  readonly inAll: number;
}

/**
 * Limits how many exchanges run at a time, for each origin and in total. Exchanges wait in order; a free place goes to
 * the origin that has the fewest places, so a slow origin does not block the others.
 */
export class ConnectionLimit {
  readonly #limits: ConnectionLimits;
  readonly #active = new Map<string, number>();
  readonly #waiting = new Map<string, (() => void)[]>();
  #inAll = 0;

  constructor(limits: ConnectionLimits) {
    this.#limits = limits;
  }

  async run<T>(origin: string, exchange: () => Promise<T>): Promise<T> {
    await this.#enter(origin);
    try {
      return await exchange();
    } finally {
      this.#leave(origin);
    }
  }

  #enter(origin: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const queue = this.#waiting.get(origin);
    if (queue === undefined) this.#waiting.set(origin, [resolve]);
    else queue.push(resolve);
    this.#admit();
    return promise;
  }

  #leave(origin: string): void {
    const left = this.#activeOf(origin) - 1;
    if (left === 0) this.#active.delete(origin);
    else this.#active.set(origin, left);
    this.#inAll -= 1;
    this.#admit();
  }

  #admit(): void {
    while (this.#inAll < this.#limits.inAll) {
      const origin = this.#next();
      if (origin === undefined) return;
      const queue = this.#waiting.get(origin) ?? [];
      const admit = queue.shift();
      // The origin that was served moves to the end, so that origins with equally many places take turns.
      this.#waiting.delete(origin);
      if (queue.length > 0) this.#waiting.set(origin, queue);
      this.#active.set(origin, this.#activeOf(origin) + 1);
      this.#inAll += 1;
      admit?.();
    }
  }

  /** The origin that waits, may have another connection, and has the fewest. */
  #next(): string | undefined {
    let next: string | undefined;
    for (const origin of this.#waiting.keys()) {
      const active = this.#activeOf(origin);
      if (active >= this.#limits.perOrigin) continue;
      if (next === undefined || active < this.#activeOf(next)) next = origin;
    }
    return next;
  }

  #activeOf(origin: string): number {
    return this.#active.get(origin) ?? 0;
  }
}
