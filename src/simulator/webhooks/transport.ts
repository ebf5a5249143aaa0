import { type AttemptResult, type WebhookRequest, unanswered } from "./attempt.ts";
import type { Egress } from "./egress-guard.ts";
import type { Connections } from "./kept-connections.ts";
import type { Listeners } from "./listeners.ts";
import { Queue } from "../../base/queue.ts";
import { sendTogether, sendWebhook } from "./wire.ts";

/**
 * Makes attempts that belong together and returns one result for each, in their order. The requests of one call are
 * copies that should arrive at the same moment, if the transport can do that. It never rejects: a failure is a result
 * too.
 */
export type Transport = (requests: readonly WebhookRequest[]) => Promise<readonly AttemptResult[]>;

/** The result of an attempt that was not sent, because its state has ended. */
export const NOT_SENT: AttemptResult = unanswered({
  error: "reset",
  message: "The state that this attempt belonged to does not exist any more, so it was not sent.",
});

/**
 * The limits keep a receiver busy, but do not flood it. A world with hanging receivers uses only the shared slots.
 * Every other world still gets its own slots.
 */
const LIMITS: ConnectionLimits = { perOrigin: 32, worldMax: 128, shared: 256, perWorld: 8, inAll: 2_048 };

/**
 * Returns the transport over real connections, behind one guard, with a limit for open connections. The time that an
 * attempt waits for a connection does not count towards its deadline. Without `kept` each attempt has a separate
 * connection. Attempts of a world with a listener go to the listener.
 */
export function networkTransport(
  egress: Egress,
  {
    kept,
    listeners,
    ...limits
  }: Partial<ConnectionLimits> & { readonly kept?: Connections; readonly listeners?: Listeners } = {},
): Transport {
  const limit = new ConnectionLimit({ ...LIMITS, ...limits });
  // Requests that belong together take one slot. With separate slots, two groups could wait for each other forever.
  return (requests) => {
    const [first] = requests;
    if (first === undefined) return Promise.resolve([]);
    const { egressMode: mode = egress.mode, world = "" } = first;
    return limit.run({ world, origin: originOf(first.url) }, async () => {
      if (first.isOver?.() === true) return requests.map(() => NOT_SENT);
      const guarded = { ...egress, mode };
      const overNetwork: Transport = async ([one, ...others]) => {
        if (one === undefined) return [];
        return others.length > 0
          ? sendTogether([one, ...others], guarded)
          : [await sendWebhook(one, guarded, kept)];
      };
      return listeners === undefined ? overNetwork(requests) : listeners.send(requests, overNetwork);
    });
  };
}

/** Waits until the change that caused these attempts is stored. Returns false if it cannot be stored. */
export type IsStored = (requests: readonly WebhookRequest[]) => Promise<boolean>;

/**
 * Sends attempts only after the change that caused them is stored. Attempts of a change that cannot be stored are never
 * sent.
 */
export function storedTransport(transport: Transport, isStored: IsStored): Transport {
  return async (requests) =>
    (await isStored(requests)) ? transport(requests) : requests.map(() => NOT_SENT);
}

/** Returns the origin of a URL, otherwise the text itself. */
export function originOf(url: string): string {
  return URL.parse(url)?.origin ?? url;
}

/** The number of connections that may be open at a time. */
interface ConnectionLimits {
  /** The limit for connections from one world to one origin. */
  readonly perOrigin: number;
  /** The limit for one world. */
  readonly worldMax: number;
  /** The number of slots that all worlds share. */
  readonly shared: number;
  /** The number of own slots of each world, if all shared slots are taken. */
  readonly perWorld: number;
  /** The limit for all slots, shared and own. */
  readonly inAll: number;
}

/** The world that an exchange belongs to, and the origin that it goes to. */
interface ExchangeTarget {
  readonly world: string;
  readonly origin: string;
}

/** The exchanges of one world to one origin. */
interface OriginQueue extends ExchangeTarget {
  readonly key: string;
  readonly waiting: Queue<() => void>;
  active: number;
}

/**
 * Limits the number of exchanges at a time, from each world to each origin and in total. Exchanges wait in order. A
 * free slot goes to the world with the fewest slots, and there to the origin with the fewest. So a slow receiver does
 * not block another receiver or another world.
 */
export class ConnectionLimit {
  readonly #limits: ConnectionLimits;
  /** The queues with running or waiting exchanges, by world and origin. */
  readonly #queues = new Map<string, OriginQueue>();
  readonly #activeInWorld = new Map<string, number>();
  #active = 0;

  constructor(limits: ConnectionLimits) {
    this.#limits = limits;
  }

  async run<T>({ world, origin }: ExchangeTarget, exchange: () => Promise<T>): Promise<T> {
    const key = `${world} ${origin}`;
    const queue = this.#queues.get(key) ?? { world, origin, key, waiting: new Queue(), active: 0 };
    this.#queues.set(key, queue);
    await new Promise<void>((resolve) => {
      queue.waiting.push(resolve);
      this.#admit();
    });
    try {
      return await exchange();
    } finally {
      this.#count(queue, -1);
      if (queue.active === 0 && queue.waiting.length === 0) this.#queues.delete(key);
      this.#admit();
    }
  }

  #admit(): void {
    for (let queue = this.#next(); queue !== undefined; queue = this.#next()) {
      this.#count(queue, 1);
      // The queue that was served moves to the end, so that queues with equally many slots take turns.
      this.#queues.delete(queue.key);
      this.#queues.set(queue.key, queue);
      queue.waiting.shift()?.();
    }
  }

  /** Returns the queue that gets the next connection: of the world and the origin with the fewest. */
  #next(): OriginQueue | undefined {
    let next: OriginQueue | undefined;
    for (const queue of this.#queues.values()) {
      if (queue.waiting.length === 0 || queue.active >= this.#limits.perOrigin) continue;
      if (!this.#hasSlotFor(queue)) continue;
      if (next === undefined || this.#isFewer(queue, next)) next = queue;
    }
    return next;
  }

  #hasSlotFor({ world }: OriginQueue): boolean {
    const { worldMax, shared, perWorld, inAll } = this.#limits;
    const inWorld = this.#activeInWorld.get(world) ?? 0;
    if (inWorld >= worldMax) return false;
    return this.#active < shared || (this.#active < inAll && inWorld < perWorld);
  }

  #isFewer(one: OriginQueue, other: OriginQueue): boolean {
    const difference =
      (this.#activeInWorld.get(one.world) ?? 0) - (this.#activeInWorld.get(other.world) ?? 0);
    return difference < 0 || (difference === 0 && one.active < other.active);
  }

  #count(queue: OriginQueue, change: 1 | -1): void {
    queue.active += change;
    this.#active += change;
    const inWorld = (this.#activeInWorld.get(queue.world) ?? 0) + change;
    if (inWorld === 0) this.#activeInWorld.delete(queue.world);
    else this.#activeInWorld.set(queue.world, inWorld);
  }
}
