/** The work of the system after one kind of exchange. */
export interface Work {
  /** The time from the exchange until the last change, in milliseconds. */
  readonly paceMs: number;
  /** The number of its calls. */
  readonly calls: number;
  /** The time from its last call until the last change, in milliseconds. Without a call: from the first change. */
  readonly tailMs: number;
}

/**
 * The work that the baselines showed after each kind of exchange, such as one event or one request of the scenario. A
 * webhook without work after its answer needs no wait, although a request starts a worker.
 */
export class UsualWork {
  readonly #known = new Map<string, Work>();

  /** Learns the work after exchanges of these kinds. The longest work of a kind counts. */
  learn(kinds: Iterable<string>, work: Work): void {
    for (const kind of kinds) {
      const known = this.#known.get(kind);
      this.#known.set(kind, known === undefined ? work : longer(known, work));
    }
  }

  /** Returns the longest work of these kinds. Undefined if one of them is unknown. */
  after(kinds: ReadonlySet<string>): Work | undefined {
    let longest: Work | undefined;
    for (const kind of kinds) {
      const known = this.#known.get(kind);
      if (known === undefined) return undefined;
      longest = longest === undefined ? known : longer(longest, known);
    }
    return longest;
  }

  /** The time of the slowest work, after any kind of exchange. */
  get slowestMs(): number {
    return Math.max(0, ...Array.from(this.#known.values(), ({ paceMs }) => paceMs));
  }

  /** Forgets the learned work. */
  clear(): void {
    this.#known.clear();
  }
}

function longer(one: Work, other: Work): Work {
  return {
    paceMs: Math.max(one.paceMs, other.paceMs),
    calls: Math.max(one.calls, other.calls),
    tailMs: Math.max(one.tailMs, other.tailMs),
  };
}
