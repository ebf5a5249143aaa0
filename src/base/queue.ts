/**
 * A first-in, first-out queue. Taking the first item takes the same time for any length: `shift` of a long array moves
 * all items after it.
 */
export class Queue<Item> implements Iterable<Item> {
  #items: Item[] = [];
  /** The number of items at the beginning of `#items` that are taken. */
  #taken = 0;

  get length(): number {
    return this.#items.length - this.#taken;
  }

  /** Returns the first item and leaves it in the queue. Undefined if the queue is empty. */
  get first(): Item | undefined {
    return this.#items[this.#taken];
  }

  push(item: Item): void {
    this.#items.push(item);
  }

  /** Takes the first item out. Undefined if the queue is empty. */
  shift(): Item | undefined {
    if (this.length === 0) return undefined;
    const item = this.#items[this.#taken++];
    // Half of the array is copied after as many items were taken: once for each item.
    if (this.#taken * 2 >= this.#items.length) {
      this.#items = this.#items.slice(this.#taken);
      this.#taken = 0;
    }
    return item;
  }

  [Symbol.iterator](): Iterator<Item> {
    return this.#items.slice(this.#taken).values();
  }
}
