import type { Change } from "./store.ts";
import type { Instant } from "./instant.ts";

/** Who or what a command came from. */
export interface Cause {
  readonly by: "call" | "act" | "timer" | "delivery" | "control";
  /** The operation, act, timer, event or control in question. */
  readonly name: string;
  /** The journal entry that led to this one: it armed the timer, or emitted the event. */
  readonly entry?: number;
}

/**
 * One thing that happened: data for programs, with a sentence for people. The simulated service defines the kinds
 * and what else an entry of each kind carries.
 */
export interface TimelineEntry {
  /** `transition`, `event`, `attempt`… */
  readonly kind: string;
  readonly objectId: string | null;
  /** The sentence. */
  readonly what: string;
  readonly [field: string]: string | number | boolean | null | readonly string[];
}

/** What one command changed and why. Entries are numbered from 1 without gaps. */
export interface JournalEntry {
  readonly number: number;
  readonly at: Instant;
  readonly cause: Cause;
  readonly timeline: readonly TimelineEntry[];
  readonly changes: readonly Change[];
}

/** The journal as it stood at an instant; sharing it is safe, because entries never change. */
export interface JournalImage {
  readonly dropped: number;
  readonly entries: readonly JournalEntry[];
}

/** The last changes of a world, in order. Past its limit the oldest entries are dropped and counted. */
export class Journal {
  readonly #entriesMax: number;
  #dropped: number;
  #entries: JournalEntry[];

  constructor(entriesMax: number, image: JournalImage = { dropped: 0, entries: [] }) {
    this.#entriesMax = entriesMax;
    this.#dropped = image.dropped;
    this.#entries = [...image.entries];
  }

  /** The number the next entry will have. */
  get nextNumber(): number {
    return this.#dropped + this.#entries.length + 1;
  }

  append(entry: JournalEntry): void {
    this.#entries.push(entry);
    if (this.#entries.length <= this.#entriesMax) return;
    const surplus = Math.ceil(this.#entriesMax / 4);
    this.#entries = this.#entries.slice(surplus);
    this.#dropped += surplus;
  }

  /** The entry of that number; undefined when it was dropped or is yet to come. */
  entry(number: number): JournalEntry | undefined {
    return this.#entries[number - this.#dropped - 1];
  }

  /** The entries from `number` on, oldest first. */
  since(number: number): readonly JournalEntry[] {
    return this.#entries.slice(Math.max(0, number - this.#dropped - 1));
  }

  image(): JournalImage {
    return { dropped: this.#dropped, entries: [...this.#entries] };
  }
}
