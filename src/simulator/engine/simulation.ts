import type { Instant } from "./instant.ts";
import {
  type Cause,
  Journal,
  type JournalEntry,
  type JournalImage,
  type JournalLimits,
  type JournalNote,
} from "./journal.ts";
import { Refusal } from "./refusal.ts";
import { type Records, Store, type StoreImage } from "./store.ts";
import { type Timer, TimerQueue, timers } from "./timers.ts";
import { type TimerKind, Transaction } from "./transaction.ts";
import { assert, assertDefined } from "./assertion.ts";

/** The parts of a simulation: its start, and the simulated service. */
export interface SimulationOptions {
  readonly seed: number;
  readonly start: Instant;
  readonly timerKinds: readonly TimerKind[];
  /** Takes the tasks of each committed command. It runs no command before it returns. Default: they are dropped. */
  readonly perform?: (tasks: readonly string[]) => void;
  /** Looks at every committed entry; a throw is a bug of the service. Tests check invariants here. */
  readonly audit?: (simulation: Simulation, entry: JournalEntry) => void;
  /** Called once if a timer fails. The simulation has stopped then. */
  readonly failed?: ((failure: TimerFailure) => void) | undefined;
  /** Called with each decision that a command reads, even if the command is refused. */
  readonly consulted?: ((what: string) => void) | undefined;
  readonly limits?: Partial<SimulationLimits> | undefined;
}

/** Named limits, so that nothing grows or runs without end. */
interface SimulationLimits extends JournalLimits {
  /** Timers that may fire at one and the same instant. */
  readonly timersPerInstantMax: number;
}

export const SIMULATION_LIMITS: SimulationLimits = {
  journalEntriesMax: 250_000,
  journalNotesMax: 2_000,
  journalNoteCharactersMax: 16_000_000,
  journalInputCharactersMax: 32_000_000,
  timersPerInstantMax: 1_000_000,
};

/** About how many bytes of former records an entry of the journal keeps. */
const FORMER_RECORD_BYTES = 400;

/**
 * A timer failed, which is always a bug. Its simulation has stopped: it keeps its records, and runs no more commands.
 */
export class TimerFailure extends Error {
  override readonly name = "TimerFailure";
  readonly at: Instant;

  constructor(at: Instant, cause: Error) {
    super(cause.message, { cause });
    this.at = at;
  }
}

/** The outcome of a command: its value, or the refusal that undid it. */
export type Outcome<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly refusal: Refusal };

/** A whole simulation between two commands. Records and entries are shared, never copied. */
export interface SimulationImage {
  readonly seed: number;
  readonly now: Instant;
  readonly store: StoreImage;
  readonly journal: JournalImage;
}

/**
 * The engine. It runs commands one at a time, keeps their changes, and fires timers in the order of their due times.
 * It never waits and never reads a clock: time moves only by `moveTo`.
 */
export class Simulation {
  /** The records as a command reads them, to read between commands. */
  readonly reading: Records & Pick<Transaction, "consulted">;
  readonly #options: SimulationOptions;
  readonly #limits: SimulationLimits;
  readonly #kinds: ReadonlyMap<string, TimerKind>;
  readonly #seed: number;
  readonly #journal: Journal;
  readonly #store: Store;
  readonly #queue: TimerQueue;
  #now: Instant;
  #running = false;
  #failure: TimerFailure | undefined;
  #firedAtInstant = 0;
  /** About how many bytes the records take, with their former versions in the journal; undefined if not counted yet. */
  #recordBytes: number | undefined;

  constructor(options: SimulationOptions, image?: SimulationImage) {
    this.#options = options;
    this.#limits = { ...SIMULATION_LIMITS, ...options.limits };
    this.#kinds = new Map(options.timerKinds.map((kind) => [kind.name, kind]));
    this.#seed = image?.seed ?? options.seed;
    this.#now = image?.now ?? options.start;
    this.#store = image ? Store.fromImage(image.store) : new Store();
    this.#journal = new Journal(this.#limits, image?.journal);
    this.#queue = new TimerQueue(this.#store.all(timers));
    this.reading = {
      get: (of, id) => this.#store.get(of, id),
      all: (of) => this.#store.all(of),
      find: (of, index, key) => this.#store.find(of, index, key),
      consulted: (what) => options.consulted?.(what),
    };
  }

  get now(): Instant {
    return this.#now;
  }

  get seed(): number {
    return this.#seed;
  }

  /** The failure that stopped it. Undefined while it runs. */
  get failure(): TimerFailure | undefined {
    return this.#failure;
  }

  get journal(): Omit<Journal, "append" | "note" | "image"> {
    return this.#journal;
  }

  /** About how many bytes it keeps: the records, and the journal with their former versions. */
  get bytes(): number {
    this.#recordBytes ??= this.#store.estimateBytes() + this.#journal.length * FORMER_RECORD_BYTES;
    return this.#recordBytes + this.#journal.bytes;
  }

  /** The records, to read between commands. */
  get records(): Pick<Store, "get" | "all" | "find" | "count" | "newestFirst" | "counts"> {
    return this.#store;
  }

  /** Runs a command at the present instant, then fires the timers that it made due. */
  execute<T>(cause: Cause, command: (tx: Transaction) => T): Outcome<T> {
    if (this.#failure !== undefined) throw this.#failure;
    const outcome = this.#take(cause, command);
    this.#firedAtInstant = 0;
    while (this.fireNext(this.#now));
    return outcome;
  }

  /** Runs a command over the records as they were before a journal entry; its changes are discarded. */
  executeBefore<T>(entry: number, cause: Cause, command: (tx: Transaction) => T): Outcome<T> {
    const changes = this.#journal.since(entry).flatMap((later) => later.changes);
    const store = Store.beforeChanges(this.#store.image(), changes);
    const scope = { seed: this.#seed, now: this.#now, cause, entry: this.#journal.nextNumber };
    try {
      return { ok: true, value: command(new Transaction({ store, ...scope })) };
    } catch (error) {
      if (error instanceof Refusal) return { ok: false, refusal: error };
      throw error;
    }
  }

  /** Returns another simulation that continues from here, for reads. The copy performs no tasks. */
  copy(observed: Pick<SimulationOptions, "audit" | "consulted">): Simulation {
    const { seed, start, timerKinds, limits } = this.#options;
    return new Simulation({ seed, start, timerKinds, limits, ...observed }, this.image());
  }

  /** Writes a note after the entry `after` into the journal, about an event that changed nothing. */
  note(cause: Cause, after: number = this.#journal.nextNumber - 1, at: Instant = this.#now): JournalNote {
    const note = { after, at, cause };
    this.#journal.note(note);
    return note;
  }

  /** Returns the due time of the next timer. Undefined if no timer is armed, or if a timer failed. */
  nextDue(): Instant | undefined {
    if (this.#failure !== undefined) return undefined;
    for (;;) {
      const timer = this.#queue.peek();
      if (timer === undefined || this.#isArmed(timer)) return timer?.due;
      this.#queue.pop();
    }
  }

  /** Moves time on. Every timer on the way fires at its own due time. Returns the number of fired timers. */
  moveTo(instant: Instant): number {
    let fired = 0;
    while (this.fireNext(instant)) fired++;
    this.#now = Math.max(this.#now, instant);
    return fired;
  }

  /**
   * Fires the next timer that is due until an instant, at its own due time. Returns false if no timer is due. If the
   * timer fails, its changes are undone and the simulation stops. Then this method throws the failure.
   */
  fireNext(until: Instant): boolean {
    if (this.#failure !== undefined) throw this.#failure;
    const due = this.nextDue();
    if (due === undefined || due > until) return false;
    this.#firedAtInstant = due > this.#now ? 1 : this.#firedAtInstant + 1;
    this.#now = Math.max(this.#now, due);
    try {
      assert(
        this.#firedAtInstant <= this.#limits.timersPerInstantMax,
        `timersPerInstantMax: more than ${this.#limits.timersPerInstantMax} timers fired at one instant`,
      );
      this.#fire(assertDefined(this.#queue.peek(), "the timer that is due"));
    } catch (error) {
      throw this.fail(error as Error);
    }
    return true;
  }

  /** Stops it for good, because of an error that belongs to no command. */
  fail(error: Error): TimerFailure {
    if (this.#failure === undefined) {
      this.#failure = new TimerFailure(this.#now, error);
      this.#options.failed?.(this.#failure);
    }
    return this.#failure;
  }

  image(): SimulationImage {
    return { seed: this.#seed, now: this.#now, store: this.#store.image(), journal: this.#journal.image() };
  }

  /** Runs the command of a timer. A timer cannot be refused. */
  #fire(timer: Timer): void {
    this.#queue.pop();
    const kind = assertDefined(this.#kinds.get(timer.kind), `the timer kind ${timer.kind}`);
    const cause: Cause = { by: "timer", name: timer.kind, entry: timer.armedBy };
    const outcome = this.#take(cause, (tx) => {
      tx.delete(timers, timer.id);
      kind.fire(tx, timer);
    });
    assert(outcome.ok, `the timer ${timer.kind} was refused: ${outcome.ok ? "" : outcome.refusal.message}`);
  }

  /** Runs a command in a transaction, and commits it. A refusal or an error undoes all of its changes. */
  #take<T>(cause: Cause, command: (tx: Transaction) => T): Outcome<T> {
    assert(!this.#running, "a command ran inside another command");
    this.#running = true;
    const entry = this.#journal.nextNumber;
    const { consulted } = this.#options;
    const tx = new Transaction({
      store: this.#store,
      seed: this.#seed,
      now: this.#now,
      cause,
      entry,
      consulted,
    });
    try {
      const value = command(tx);
      tx.close();
      this.#commit(tx);
      return { ok: true, value };
    } catch (error) {
      this.#store.undo();
      if (error instanceof Refusal) return { ok: false, refusal: error };
      throw error;
    } finally {
      this.#running = false;
    }
  }

  /** Appends the changes to the journal as one entry, arms the timers and hands the tasks to the shell. */
  #commit(tx: Transaction): void {
    const changes = this.#store.takeChanges();
    if (changes.length === 0 && tx.timeline.length === 0) return;
    const { entry: number, now: at, cause } = tx;
    const entry: JournalEntry = { number, at, cause, timeline: tx.timeline.slice(), changes };
    const writtenBytes = this.#store.takeWrittenBytes();
    if (this.#journal.append(entry)) this.#recordBytes = undefined;
    else if (this.#recordBytes !== undefined) this.#recordBytes += writtenBytes;
    for (const timer of tx.armed) this.#queue.push(timer);
    this.#options.audit?.(this, entry);
    if (tx.tasks.length > 0) this.#options.perform?.(tx.tasks);
  }

  #isArmed(timer: Timer): boolean {
    return this.#store.get(timers, timer.id)?.order === timer.order;
  }
}
