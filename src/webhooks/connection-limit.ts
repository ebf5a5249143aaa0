/** How many connections may stand at a time. */
export interface ConnectionLimits {
  readonly perOrigin: number;
  readonly inAll: number;
}

/**
 * Lets so many exchanges run at a time, for each origin and in all. Whoever has to wait waits in order; a place
 * that becomes free goes to the origin that has the fewest, so a slow one keeps no other from being served.
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
      // The one that was served goes to the end, so that origins with equally many take turns.
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
