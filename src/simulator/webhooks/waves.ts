/**
 * Counts the waves of webhooks. The exchanges of a wave cause the exchanges of the next wave. A receiver that calls
 * again at each webhook makes waves without end.
 */
export class Waves {
  count = 0;
  #opened = 0;
  #committed = 0;
  /** The number of exchanges that were opened when the present wave began. */
  #end = 0;

  /** Notes that an exchange was opened. */
  opened(): void {
    this.#opened++;
  }

  /** Notes that the outcome of an exchange was committed. */
  committed(): void {
    if (++this.#committed < this.#end) return;
    this.#end = this.#opened;
    this.count++;
  }
}
