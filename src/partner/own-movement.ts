import { isDeepStrictEqual } from "node:util";
import type { ComparisonRules, StateDifference } from "./states/comparison.ts";
import { isClockReading } from "./states/instants.ts";
import { type IgnoredPath, withoutIgnored } from "./states/ignored-paths.ts";
import { OwnChanges, unnamed } from "./states/own-changes.ts";
import type { Reading } from "./rest-rule.ts";

/** The data that the system's work may change. */
export interface Glance {
  readonly state: unknown;
  /** The number of its calls so far, or the id of its newest call. */
  readonly calls: number | string | undefined;
}

/** Distinguishes the work of a system from values of its state that move by themselves. */
export class OwnMovement {
  readonly #ignored: readonly IgnoredPath[];
  readonly #own = new OwnChanges();

  constructor(ignored: readonly IgnoredPath[]) {
    this.#ignored = ignored;
  }

  /** The places that move by themselves. */
  get moving(): ReadonlySet<string> {
    return this.#own.rules.unstable;
  }

  /** Leaves out places that are left out of every comparison, too. */
  leaveOut(rules: Pick<ComparisonRules, "unstable" | "unordered">): void {
    this.#own.add(rules);
  }

  /** Learns the single values that differ between two states. The system had no work between them. */
  learn(one: unknown, other: unknown): void {
    this.#own.learnValues(this.#comparable(one), this.#comparable(other));
  }

  /** Learns the values that a clock could show. */
  learnClocks(one: Glance | undefined, other: Glance | undefined): void {
    this.#own.learnValues(this.#comparable(one?.state), this.#comparable(other?.state), isClockReading);
  }

  /** Returns the kind of change between two glances. */
  changeOf(one: Glance | undefined, other: Glance | undefined): Reading["change"] {
    if (one?.calls !== other?.calls) return "work";
    const found = this.differences(one?.state, other?.state);
    if (found.length === 0) return "none";
    const isOfClocks = found.every((one) => isClockReading(one.baseline) && isClockReading(one.found));
    return isOfClocks ? "clock" : "work";
  }

  /** Finds the differences between two states of one run. Parts that are left out, or move by themselves, do not count. */
  differences(one: unknown, other: unknown): readonly StateDifference[] {
    if (isDeepStrictEqual(one, other)) return [];
    return this.#own.differences(this.#comparable(one), this.#comparable(other));
  }

  #comparable(state: unknown): unknown {
    return withoutIgnored(unnamed(state), this.#ignored).value;
  }
}
