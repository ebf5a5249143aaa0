/**
 * The attempts that are due, open or not committed. Each has the sequence number of its cause: attempts that the
 * outcome of another attempt makes due share the number of that attempt.
 */
export class Unfinished {
  readonly #counts = new Map<number, number>();
  #cause: number | undefined;
  /** The sequence number of the latest cause. */
  last = 0;

  /** Adds an attempt. Returns its sequence number. */
  add(): number {
    const sequence = this.#cause ?? ++this.last;
    this.#counts.set(sequence, (this.#counts.get(sequence) ?? 0) + 1);
    return sequence;
  }

  end(sequence: number): void {
    const count = (this.#counts.get(sequence) ?? 0) - 1;
    if (count > 0) this.#counts.set(sequence, count);
    else this.#counts.delete(sequence);
  }

  /** Commits the outcome of an attempt. Attempts that are added meanwhile get its number. */
  during<T>(sequence: number, commit: () => T): T {
    this.#cause = sequence;
    try {
      return commit();
    } finally {
      this.#cause = undefined;
    }
  }

  /** Returns true if an attempt with a cause up to this number is left. */
  hasUntil(sequence: number): boolean {
    for (const one of this.#counts.keys()) if (one <= sequence) return true;
    return false;
  }
}
