import type { Change } from "./store.ts";
import type { Instant } from "./instant.ts";
import { assertDefined } from "./assertion.ts";
import { type Facet, wordList } from "./facets.ts";

/** The origin of a command. */
export interface Cause {
  /** `call`, `timer`…: the shell defines the kinds. */
  readonly by: string;
  /** The operation, the timer, the event… in question. */
  readonly name: string;
  /** The journal entry that led to this one: it armed the timer, or emitted the event. */
  readonly entry?: number;
  /** The input from outside that came with the command. Absent if there was no input. */
  readonly input?: Input;
}

/**
 * The input from outside that came with a command: plain data that the shell defines. The engine ignores it in its
 * decisions.
 */
export interface Input {
  readonly kind: string;
  /** About how many characters it keeps; it may grow until the command is answered. */
  readonly size: number;
  /** The W3C trace context of the request, if it has a right one. */
  readonly traceparent?: string;
}

/** One thing that happened: data for programs, whose kinds the service defines, with a sentence for people. */
export interface TimelineEntry {
  /** `transition`, `event`, `attempt`… */
  readonly kind: string;
  readonly objectId: string | null;
  /** A sentence that describes the entry. */
  readonly what: string;
  readonly [field: string]: string | number | boolean | null | readonly string[];
}

/** The number of characters of an entry's input, if its cause would first have to be read from a storage. */
export const INPUT_SIZE = Symbol("the size of the input");

/** The duration of something on the wall clock. It does not belong to a journal: JSON leaves symbols out. */
export const DURATION_MS = Symbol("the duration in milliseconds");

/**
 * The changes of one command and their cause. Entries are numbered from 1 without gaps. An entry from a storage may
 * be read only on access to a field: name the fields that you need, do not spread it.
 */
export interface JournalEntry {
  readonly [INPUT_SIZE]?: number;
  readonly number: number;
  readonly at: Instant;
  readonly cause: Cause;
  readonly timeline: readonly TimelineEntry[];
  readonly changes: readonly Change[];
}

/**
 * An event that changed nothing: a command that only read or was refused, or a move of the clock. It has no number.
 */
export interface JournalNote {
  /** The number of the last entry before it. 0 if it is the first. */
  readonly after: number;
  readonly at: Instant;
  readonly cause: Cause;
}

/** The journal at an instant; sharing it is safe, because entries never change. */
export interface JournalImage {
  readonly dropped: number;
  readonly entries: readonly JournalEntry[];
  /** Absent in a saved image: notes do not outlive the process. */
  readonly notes?: readonly JournalNote[];
  /** The number of characters in the inputs of the entries. Absent in a saved image. */
  readonly inputCharacters?: number;
  /** False if no entry has a trace context. Absent in a saved image. */
  readonly isTraced?: boolean;
}

export interface JournalLimits {
  readonly journalEntriesMax: number;
  /** Notes that are kept, the newest. */
  readonly journalNotesMax: number;
  /** Characters of the inputs of notes that are kept in all; past them the oldest notes are dropped. */
  readonly journalNoteCharactersMax: number;
  /** Characters of input that are kept in all; past them the oldest entries lose their input. */
  readonly journalInputCharactersMax: number;
}

/** The approximate bytes of an entry without its input and the records. */
const ENTRY_BYTES = 600;

/** The number of entries that an index reads before it can be interrupted. */
const READ_AT_ONCE = 16;

/** The number of entries between two counts of the size of all inputs. */
const COUNT_EVERY = 4_096;

/** The numbers of the entries with each word. */
interface JournalIndex {
  /** The number of the first entry that the index does not have yet. */
  next: number;
  readonly numbers: Map<string, number[]>;
}

/** The last changes of a world, in order. Past its limits the oldest entries are dropped and counted. */
export class Journal {
  readonly #limits: JournalLimits;
  #dropped: number;
  #entries: readonly JournalEntry[];
  /** Whether an image has the entries too: then the next one goes into a copy. */
  #isShared = true;
  #notes: JournalNote[];
  #notesDropped = 0;
  #noteCharacters: number;
  #inputCharacters: number;
  /** The characters of the inputs up to an entry: these inputs grow no more. */
  #grown = { number: 0, characters: 0 };
  /** The number of the last entry that lost its input. The entries before it have no input either. */
  #stripped = 0;
  readonly #indexes = new Map<Facet<JournalEntry>, JournalIndex>();
  #isTraced: boolean;

  constructor(limits: JournalLimits, image: JournalImage = EMPTY) {
    const { dropped, entries, notes = [], inputCharacters = sizeOf(entries) } = image;
    const { isTraced = entries.length > 0 } = image;
    this.#limits = limits;
    this.#dropped = dropped;
    this.#entries = entries;
    this.#notes = [...notes];
    this.#noteCharacters = sizeOf(notes);
    this.#inputCharacters = inputCharacters;
    this.#isTraced = isTraced;
  }

  /** False if no entry has a trace context. True does not say that one has: saved entries are not read for it. */
  get isTraced(): boolean {
    return this.#isTraced;
  }

  /** The number the next entry will have. */
  get nextNumber(): number {
    return this.#dropped + this.#entries.length + 1;
  }

  /** The number of kept entries. */
  get length(): number {
    return this.#entries.length;
  }

  /** The approximate bytes of the journal, without the records that its entries wrote. */
  get bytes(): number {
    return this.length * ENTRY_BYTES + this.#inputCharacters + this.#noteCharacters;
  }

  /** Appends an entry; returns whether the oldest ones were dropped. */
  append(entry: JournalEntry): boolean {
    this.#ownEntries().push(entry);
    this.#isTraced ||= entry.cause.input?.traceparent !== undefined;
    this.#inputCharacters += entry.cause.input?.size ?? 0;
    if (entry.number % COUNT_EVERY === 0) this.#limitInputs();
    if (this.length <= this.#limits.journalEntriesMax) return false;
    const surplus = Math.ceil(this.#limits.journalEntriesMax / 4);
    this.#entries = this.#entries.slice(surplus);
    this.#dropped += surplus;
    this.#indexes.clear();
    this.#inputCharacters = sizeOf(this.#entries);
    this.#grown = { number: this.nextNumber - 1, characters: this.#inputCharacters };
    return true;
  }

  /** Keeps a command that changed nothing; beyond the limits the oldest quarter of the notes is dropped. */
  note(note: JournalNote): void {
    const { journalNotesMax, journalNoteCharactersMax } = this.#limits;
    this.#notes.push(note);
    this.#noteCharacters += sizeOfInput(note);
    if (this.#notes.length <= journalNotesMax && this.#noteCharacters <= journalNoteCharactersMax) return;
    const surplus = Math.ceil(Math.min(this.#notes.length, journalNotesMax) / 4);
    this.#noteCharacters -= sizeOf(this.#notes.splice(0, surplus));
    this.#notesDropped += surplus;
  }

  /** The entry of that number; undefined when it was dropped or is yet to come. */
  entry(number: number): JournalEntry | undefined {
    return this.#entries[number - this.#dropped - 1];
  }

  /** The entries from `number` on, oldest first. */
  since(number: number): readonly JournalEntry[] {
    return this.#entries.slice(Math.max(0, number - this.#dropped - 1));
  }

  /** The number of all notes so far, including dropped notes. */
  get noteCount(): number {
    return this.#notesDropped + this.#notes.length;
  }

  /** The notes after the first `count`, oldest first, as far as they are kept. */
  notesAfter(count: number): readonly JournalNote[] {
    return this.#notes.slice(Math.max(0, count - this.#notesDropped));
  }

  /**
   * Returns the numbers of the entries with a word under a facet, in order. The index is made at the first use. Each
   * use adds the entries since the former use, and can be interrupted on the way.
   */
  *numbersWith(word: string, facet: Facet<JournalEntry>): Generator<void, readonly number[]> {
    const index = this.#indexes.get(facet) ?? {
      next: this.#dropped + 1,
      numbers: new Map<string, number[]>(),
    };
    this.#indexes.set(facet, index);
    for (let entry = this.entry(index.next); entry !== undefined; entry = this.entry(index.next)) {
      for (const found of wordList(facet(entry))) {
        const numbers = index.numbers.get(found);
        if (numbers === undefined) index.numbers.set(found, [entry.number]);
        else numbers.push(entry.number);
      }
      index.next++;
      if (index.next % READ_AT_ONCE === 0) yield;
    }
    return index.numbers.get(word) ?? [];
  }

  /** Entries and notes, the last thing that happened first. With `numbers`, only these entries. */
  *newestFirst(numbers?: readonly number[]): Generator<JournalEntry | JournalNote> {
    const notes = this.#notes.toSorted((one, other) => one.after - other.after);
    const first = this.#dropped + 1;
    for (let place = (numbers ?? this.#entries).length - 1; place >= 0; place--) {
      const number = numbers?.[place] ?? first + place;
      while ((notes.at(-1)?.after ?? -1) >= number) yield assertDefined(notes.pop(), "a note");
      const entry = this.entry(number);
      // The oldest entries may be dropped on the way.
      if (entry === undefined) break;
      yield entry;
    }
    yield* notes.toReversed();
  }

  image(): JournalImage {
    this.#isShared = true;
    return {
      dropped: this.#dropped,
      entries: this.#entries,
      notes: [...this.#notes],
      inputCharacters: this.#inputCharacters,
      isTraced: this.#isTraced,
    };
  }

  #ownEntries(): JournalEntry[] {
    if (this.#isShared) this.#entries = [...this.#entries];
    this.#isShared = false;
    return this.#entries as JournalEntry[];
  }

  /** Takes the input from the oldest entries until three quarters of the limit are left. */
  #limitInputs(): void {
    const max = this.#limits.journalInputCharactersMax;
    // The input of a new entry may have grown since the entry was appended.
    let size = this.#grown.characters + sizeOf(this.since(this.#grown.number + 1));
    this.#inputCharacters = size;
    this.#grown = { number: this.nextNumber - 1, characters: size };
    if (size <= max) return;
    const entries = this.#ownEntries();
    for (let index = Math.max(0, this.#stripped - this.#dropped); index < entries.length; index++) {
      const { number, at, cause: given, timeline, changes } = assertDefined(entries[index], "an entry");
      this.#stripped = number;
      const { input, ...cause } = given;
      if (input === undefined) continue;
      size -= input.size;
      entries[index] = { number, at, cause, timeline, changes };
      this.#inputCharacters = size;
      this.#grown.characters = size;
      if (size <= (max * 3) / 4) return;
    }
  }
}

/** About how many characters the inputs have. */
function sizeOf(commands: readonly Sized[]): number {
  return commands.reduce((sum, command) => sum + sizeOfInput(command), 0);
}

type Sized = Pick<JournalEntry, "cause" | typeof INPUT_SIZE>;

function sizeOfInput(command: Sized): number {
  return command[INPUT_SIZE] ?? command.cause.input?.size ?? 0;
}

const EMPTY: JournalImage = { dropped: 0, entries: [] };
