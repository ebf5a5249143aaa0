/** The maximum wait of a request, in leases, for a world whose server does not answer. */
const LEASES_MAX = 4;

/** The tries that a request has in any case. The process may have been paused for the whole time of the others. */
const TRIES_MIN = 4;

/** Limits the tries of a request to find the server of its world. */
export class Patience {
  readonly #until: number;
  #tries = 0;

  constructor(leaseMs: number) {
    this.#until = performance.now() + leaseMs * LEASES_MAX;
  }

  /** Counts a try. Returns false if the request has tried often and long enough. */
  hasNext(): boolean {
    return ++this.#tries <= TRIES_MIN || performance.now() < this.#until;
  }
}
