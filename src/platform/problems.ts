import type { Problem } from "../engine/refusal.ts";
import { invalidRequest } from "./refusals.ts";

/**
 * Gathers what is wrong with one request, so that it is refused once with every wrong field. It starts from
 * what the schema found; a field the schema refused is not checked again.
 */
export class Problems {
  readonly #found: Problem[];

  constructor(found: readonly Problem[] = []) {
    this.#found = [...found];
  }

  /** Whether nothing was found so far in the field, in a part of it, or in what holds it. */
  isSound(field: string): boolean {
    return !this.#found.some(
      ({ field: known }) =>
        known === field || known === "body" || isWithin(known, field) || isWithin(field, known),
    );
  }

  add(field: string, issue: string, description: string): void {
    this.#found.push({ field, issue, description });
  }

  /**
   * Checks a field that is present and has no problem so far. `descriptionOf` gives the sentence that says what is wrong, or
   * undefined where nothing is.
   */
  check<T>(
    field: string,
    value: T | null | undefined,
    descriptionOf: (value: T) => string | undefined,
    issue = "INVALID",
  ): void {
    if (value === undefined || value === null || !this.isSound(field)) return;
    const description = descriptionOf(value);
    if (description !== undefined) this.add(field, issue, description);
  }

  /** Refuses the request if anything is wrong with it. */
  refuse(): void {
    if (this.#found.length > 0) throw invalidRequest(this.#found);
  }
}

function isWithin(outer: string, inner: string): boolean {
  return inner.startsWith(outer) && (inner[outer.length] === "." || inner[outer.length] === "[");
}
