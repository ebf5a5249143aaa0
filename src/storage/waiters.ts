/** Callers that wait until the events up to a number are stored. */
export class Waiters {
  #waiting: { readonly upTo: number; readonly ended: PromiseWithResolvers<void> }[] = [];

  /** Resolves once the events up to a number are stored. */
  until(upTo: number): Promise<void> {
    const ended = Promise.withResolvers<void>();
    this.#waiting.push({ upTo, ended });
    return ended.promise;
  }

  /** The events up to a number are stored. */
  stored(number: number): void {
    const waiting = this.#waiting;
    this.#waiting = waiting.filter(({ upTo }) => upTo > number);
    for (const { upTo, ended } of waiting) if (upTo <= number) ended.resolve();
  }

  /** Nothing that is waited for will be stored. */
  fail(error: Error): void {
    for (const { ended } of this.#waiting.splice(0)) ended.reject(error);
  }
}
