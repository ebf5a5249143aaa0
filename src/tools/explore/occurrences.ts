/** Counts what happens in a run by its object, so that each occurrence can be found again in any other run. */
export class Occurrences {
  readonly #objects = new Map<string, Set<string>>();
  readonly #counts = new Map<string, number>();

  /** The position of an object among those of its group, and how often this has happened to it. */
  next(group: string, object: string, name: string): { objectNumber: number; occurrence: number } {
    const known = this.#objects.get(group) ?? new Set();
    this.#objects.set(group, known.add(object));
    const key = JSON.stringify([name, object]);
    const occurrence = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, occurrence);
    return { objectNumber: [...known].indexOf(object) + 1, occurrence };
  }
}
