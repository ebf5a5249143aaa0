import { type ComparisonRules, type StateDifference, rulesFor, stateDifferences } from "./comparison.ts";
import { type NamedState, nameState } from "./naming.ts";

/** The places of a state that change by themselves, such as a clock. They are left out of comparisons. */
export class OwnChanges {
  readonly #unstable = new Set<string>();
  readonly #unordered = new Set<string>();
  readonly #identities: ReadonlySet<string>;

  /** `identities` are the texts that distinguish rows. */
  constructor(identities: ReadonlySet<string> = new Set()) {
    this.#identities = identities;
  }

  get rules(): ComparisonRules {
    return { unstable: this.#unstable, unordered: this.#unordered, identities: this.#identities };
  }

  /** Learns from two states that should be equal. */
  learn(first: unknown, second: unknown): void {
    this.add(rulesFor(unnamed(first), unnamed(second), { identities: this.#identities }));
  }

  /** Learns the single values that differ. Rows that are missing or new may come from work. */
  learnValues(first: unknown, second: unknown, isOwn: (value: unknown) => boolean = isSingle): void {
    for (const { path, baseline, found } of this.differences(first, second))
      if (isOwn(baseline) && isOwn(found)) this.#unstable.add(path.replaceAll(/\[\d+\]/g, "[*]"));
  }

  add({ unstable, unordered }: Pick<ComparisonRules, "unstable" | "unordered">): void {
    for (const path of unstable) this.#unstable.add(path);
    for (const path of unordered) this.#unordered.add(path);
  }

  /** Finds the differences at other places. */
  differences(
    first: unknown,
    second: unknown,
    names: ReadonlyMap<string, string> = new Map(),
  ): StateDifference[] {
    return stateDifferences(nameState(first, { names }), nameState(second, { names }), this.rules);
  }
}

/** Returns a state without names. */
export function unnamed(value: unknown): NamedState {
  return { value, named: new Set() };
}

function isSingle(value: unknown): boolean {
  return value !== undefined && (typeof value !== "object" || value === null);
}
