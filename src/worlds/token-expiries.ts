/** When the tokens that a world issued expire, in wall time: no wall time enters the records. */
export class TokenExpiries {
  readonly #expiries: Map<string, number>;
  readonly #told: (token: string, expiresAt: number) => void;

  constructor(
    told: (token: string, expiresAt: number) => void,
    saved: ReadonlyMap<string, number> = new Map(),
  ) {
    this.#told = told;
    this.#expiries = new Map(saved);
  }

  /** When an issued token expires; undefined for one that never does. */
  of(token: string): number | undefined {
    return this.#expiries.get(token);
  }

  /** From `expiresAt` on the token is good no longer. */
  set(token: string, expiresAt: number): void {
    this.#expiries.set(token, expiresAt);
    this.#told(token, expiresAt);
  }

  clear(): void {
    this.#expiries.clear();
  }

  saved(): ReadonlyMap<string, number> {
    return new Map(this.#expiries);
  }
}
