/** The exchanges in flight that the answer to a call waits for, by the journal entry that announced them. */
export class EarlyExchanges {
  readonly #ended = new Map<number, Promise<void>[]>();

  /** Adds an exchange. It is removed when `ended` resolves. */
  add(entry: number, ended: Promise<void>): void {
    this.#ended.set(entry, [...(this.#ended.get(entry) ?? []), ended]);
    void ended.then(() => this.#ended.delete(entry));
  }

  /** Resolves when all exchanges of an entry, or of a later one, have ended. Undefined if there are none. */
  since(entry: number): Promise<unknown> | undefined {
    const early = Array.from(this.#ended).flatMap(([announced, ended]) => (announced < entry ? [] : ended));
    return early.length === 0 ? undefined : Promise.all(early);
  }
}
