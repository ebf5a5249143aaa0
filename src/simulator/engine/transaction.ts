import type { Cause, TimelineEntry } from "./journal.ts";
import type { Instant } from "./instant.ts";
import type { Records, Store } from "./store.ts";
import type { Transition } from "./lifecycle.ts";
import { assert, assertDefined } from "./assertion.ts";
import { chanceFrom, wordsOf } from "./random.ts";
import { type Collection, type Stateful, type StoredRecord, collection } from "./collection.ts";
import { type Timer, timerId, timers } from "./timers.ts";

/** A kind of timer: its name in the journal and its action when it is due. */
export interface TimerKind {
  readonly name: string;
  readonly fire: (tx: Transaction, timer: Timer) => void;
}

interface Counter extends StoredRecord {
  readonly value: number;
}

const counters = collection<Counter>("counters", {});

/** The initial values of a transaction. */
interface TransactionScope {
  readonly store: Store;
  readonly seed: number;
  readonly now: Instant;
  readonly cause: Cause;
  /** The number of the journal entry of this command. */
  readonly entry: number;
  /** Called with each decision that the command reads. */
  readonly consulted?: ((what: string) => void) | undefined;
}

/**
 * Everything a command may use: the records, the instant, chance, timers and tasks of one world. The changes of a
 * command are made as a whole or, when the command refuses or fails, not at all.
 */
export class Transaction {
  readonly now: Instant;
  readonly cause: Cause;
  readonly entry: number;
  readonly timeline: TimelineEntry[] = [];
  /** Names of work for the shell after the command is committed, such as the delivery of an event. */
  readonly tasks: string[] = [];
  readonly armed: Timer[] = [];
  readonly #consulted: ((what: string) => void) | undefined;
  readonly #store: Store;
  readonly #seed: number;
  /** The counters that were used. */
  #counted: Map<string, { value: number }> | undefined;

  constructor(scope: TransactionScope) {
    this.now = scope.now;
    this.cause = scope.cause;
    this.entry = scope.entry;
    this.#consulted = scope.consulted;
    this.#store = scope.store;
    this.#seed = scope.seed;
  }

  get<R extends StoredRecord, I extends string>(of: Collection<R, I>, id: string): R | undefined {
    return this.#store.get(of, id);
  }

  all<R extends StoredRecord, I extends string>(of: Collection<R, I>): Iterable<R> {
    return this.#store.all(of);
  }

  find<R extends StoredRecord, I extends string>(of: Collection<R, I>, index: I, key: string): R[] {
    return this.#store.find(of, index, key);
  }

  first<R extends StoredRecord, I extends string>(
    of: Collection<R, I>,
    index: I,
    key: string,
  ): R | undefined {
    return this.#store.first(of, index, key);
  }

  /** Stores a record. Its status stays the stored status: only `transition` changes that. */
  put<R extends StoredRecord, I extends string>(of: Collection<R, I>, record: R): R {
    if (of.lifecycle === undefined) return this.#store.put(of, record);
    const { status } = record as StoredRecord & Partial<Stateful>;
    const stored: (R & Partial<Stateful>) | undefined = this.#store.get(of, record.id);
    const expected = stored === undefined ? of.lifecycle.initial : stored.status;
    assert(
      status === expected,
      `the ${of.lifecycle.resource} ${record.id} became ${status} without a transition`,
    );
    return this.#store.put(of, record, stored);
  }

  /** Stores a record in the state that a row of its lifecycle leads to. */
  transition<R extends StoredRecord & Pick<Stateful, "status">, I extends string>(
    of: Collection<R, I>,
    record: R,
    row: Pick<Transition, "from" | "to">,
  ): R {
    const stored = this.#store.get(of, record.id);
    const from = (stored ?? record).status;
    assert(
      record.status === row.to && (from === row.to || row.from.includes(from)),
      `the ${of.name} ${record.id} cannot go from ${from} to ${record.status}`,
    );
    return this.#store.put(of, record, stored);
  }

  delete<R extends StoredRecord, I extends string>(of: Collection<R, I>, id: string): void {
    this.#store.delete(of, id);
  }

  /** The chance of one named stream. Each kind of id has its own stream, so that kinds do not change each other. */
  chance(stream: string) {
    const words = wordsOf(this.#seed, stream);
    let counter: { value: number } | undefined;
    return chanceFrom(() => words((counter ??= this.#counter(`chance ${stream}`)).value++));
  }

  /** The next number of a sequence: 1, 2, 3… */
  count(sequence: string): number {
    return ++this.#counter(sequence).value;
  }

  #counter(sequence: string): { value: number } {
    this.#counted ??= new Map();
    let counter = this.#counted.get(sequence);
    if (counter === undefined) {
      counter = { value: this.#store.get(counters, sequence)?.value ?? 0 };
      this.#counted.set(sequence, counter);
    }
    return counter;
  }

  /**
   * Arms a timer, in place of a timer of the same kind and owner. A timer that is already due runs right after this
   * command.
   */
  arm({ kind, owner, due, input = null }: Pick<Timer, "kind" | "owner" | "due"> & Partial<Timer>): void {
    const order = this.count("timers");
    const id = timerId(kind, owner);
    const timer: Timer = { id, due, order, kind, owner, input, armedBy: this.entry };
    this.#store.put(timers, timer);
    this.armed.push(timer);
  }

  /** Whether the record has a timer of that kind. */
  isArmed(kind: string, owner: string): boolean {
    return this.#store.get(timers, timerId(kind, owner)) !== undefined;
  }

  /** Disarms a timer. A timer that has run or was disarmed before is ignored. */
  disarm(kind: string, owner: string): void {
    this.#store.delete(timers, timerId(kind, owner));
  }

  /** Adds an action of the command to the timeline. */
  log(entry: TimelineEntry): void {
    this.timeline.push(entry);
  }

  /** Reports that the command, even a refused one, read a decision such as an assumption: coverage counts it. */
  consulted(what: string): void {
    this.#consulted?.(what);
  }

  /** Gives the shell a task for the time after the commit. */
  task(name: string): void {
    this.tasks.push(name);
  }

  /** Writes the counters that were used. The simulation calls it once, before the command is committed. */
  close(): void {
    if (this.#counted === undefined) return;
    for (const [id, { value }] of this.#counted) this.#store.put(counters, { id, value });
  }
}

/** Returns a record that another record names. It is a bug if it is missing. */
export function recordOf<R extends StoredRecord, I extends string>(
  records: Records,
  of: Collection<R, I>,
  id: string,
): R {
  return assertDefined(records.get(of, id), `${of.name} ${id}`);
}
