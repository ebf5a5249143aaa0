import type { SavedWorld, WorldNews, WorldSettings } from "../../worlds/saved-world.ts";
import { type Database, DatabaseAway, type Statement } from "./database.ts";
import { assertDefined } from "../../engine/assertion.ts";
import {
  type ReplacedState,
  type Undoable,
  replacedStateAfter,
  replacedStateOf,
  isUndoneByState,
  undoneWorld,
} from "../world-fold.ts";
import { type Ownership, moveToHistory } from "./history.ts";
import {
  type WorldPosition,
  type StoredImage,
  deleteRows,
  deleteWorld,
  insertImage,
  insertWhole,
  releaseWorld,
} from "./world-rows.ts";
import {
  type JournalRows,
  type ObservedWorld,
  packObservations,
  packWorld,
  rowsAfter,
} from "./world-image.ts";
import { Waiters } from "../waiters.ts";
import { WorldLost } from "../storage.ts";
import { setImmediate as turnEnd } from "node:timers/promises";

/** Events and characters that are stored in one statement. */
const EVENTS_PER_WRITE_MAX = 1_000;
const CHARACTERS_PER_WRITE_MAX = 4_000_000;

/**
 * Events after which the state is stored again, so that loading a world replays no more than these; of a large state
 * as many as a part of its records, so that a world does not get dearer as it grows.
 */
const EVENTS_PER_IMAGE = 500;
const RECORDS_PER_EVENT = 16;

/** How often a write is tried when its connection is cut. */
const ATTEMPTS_MAX = 4;

/** What a world in memory shows of itself when it is stored. */
export interface WorldSource {
  readonly saved: () => ObservedWorld;
  /** What lists of worlds show of it. */
  readonly summary: () => object;
  /** Whether an event changes the summary. */
  readonly changesSummary: (event: WorldNews) => boolean;
  /** Wall time in milliseconds at which its next timer is due; null if nothing is due. */
  readonly nextDueAt: () => number | null;
}

interface Pending extends Undoable {
  readonly number: number;
}

interface StoredWorldOptions {
  readonly position: WorldPosition;
  /** What was loaded; absent for a new world, which its first event describes. */
  readonly replaced?: ReplacedState;
  /** Why nothing can be stored at the moment: the world is read-only, and every write fails at once. */
  readonly readOnlyBecause?: Error;
  /** Called once when nothing more can be stored: after it, the world in memory is wrong. */
  readonly failed: (error: Error) => void;
}

/**
 * One world in the database, as the server writes it that has it. Every write names the epoch of this server's turn
 * and is refused in the same statement once another server has taken the world over. Events that are ready at the
 * same time go in one statement.
 */
export class StoredWorld {
  readonly id: string;
  readonly epoch: number;
  readonly #database: Database;
  readonly #server: string;
  readonly #failed: StoredWorldOptions["failed"];
  #source: WorldSource | undefined;
  #rows: JournalRows;
  #pending: Pending[] = [];
  readonly #waiters = new Waiters();
  #head: number;
  #durable: number;
  #sent: number;
  #image: StoredImage;
  /** Whether all of it is still to be stored, instead of an event after another. */
  #isWhole = false;
  #isNew: boolean;
  #isDropped = false;
  #isWriting = false;
  #imaging: Promise<void> | undefined;
  /** Of the entries that were stored here since the last image, how many characters their inputs have. */
  readonly #inputSizes = new Map<number, number>();
  /** As of the last stored event. */
  #replaced: ReplacedState | undefined;
  readonly #readOnlyBecause: Error | undefined;
  #failure: Error | undefined;
  /** Events stored by this server. */
  static entriesStored = 0;

  constructor(database: Database, { position, replaced, readOnlyBecause, failed }: StoredWorldOptions) {
    this.id = position.id;
    this.epoch = position.epoch;
    this.#database = database;
    this.#server = position.server;
    this.#failed = failed;
    this.#rows = { journal: position.journal, snapshots: position.snapshots };
    this.#head = position.head;
    this.#durable = position.head;
    this.#sent = position.head;
    this.#image = position.image;
    this.#isNew = position.head === 0;
    this.#replaced = replaced;
    this.#readOnlyBecause = readOnlyBecause;
  }

  /** Names the world in memory, whose events are written here. */
  attach(source: WorldSource): void {
    this.#source = source;
  }

  /** The number of the last event that may be stored: its statement was sent, and not refused. */
  get sent(): number {
    return this.#sent;
  }

  /** Why nothing more is stored; undefined while all is well. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  /** Stores an event in the background. */
  write(event: WorldNews): void {
    if (this.#failure !== undefined) return;
    if (event.kind === "forked") this.#isWhole = true;
    if (event.kind === "dropped") this.#isDropped = true;
    const before = isUndoneByState(event) ? this.#source?.saved() : undefined;
    this.#pending.push({ number: ++this.#head, event, before });
    if (this.#isWriting) return;
    this.#isWriting = true;
    void this.#writeAll();
  }

  /** The world as it is stored, by undoing what could not be; undefined if it is not stored at all. */
  undone():
    | { readonly saved: SavedWorld; readonly position: WorldPosition; readonly replaced: ReplacedState }
    | undefined {
    const replaced = this.#replaced;
    if (this.#source === undefined || replaced === undefined || this.#isWhole) return undefined;
    const saved = undoneWorld(this.#source.saved(), this.#pending, replaced);
    const position = { ...this.#ownership, head: this.#durable, image: this.#image, ...this.#rows };
    return saved && { saved, position, replaced };
  }

  /** Resolves once every event so far is stored; undefined if that is so already. */
  settled(): Promise<void> | undefined {
    if (this.#isDropped && this.#durable === this.#head) return undefined;
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    if (this.#durable === this.#head) return undefined;
    return this.#waiters.until(this.#head);
  }

  /** Stores the state if that makes the next load faster, and releases the world. False if this server had lost it. */
  async release(): Promise<boolean> {
    await this.settled();
    await this.#imaging;
    if (this.#head - this.#image.number > EVENTS_PER_IMAGE / 5) await this.#storeImage();
    const source = assertDefined(this.#source, `the world ${this.id} in memory`);
    const observations = await packObservations(source.saved());
    const given = { ...this.#ownership, head: this.#head, nextDueAt: source.nextDueAt(), observations };
    const wasHeld = await releaseWorld(this.#database, given);
    this.#failure ??= new WorldLost(`The world ${this.id} was given back.`);
    return wasHeld;
  }

  /** Stores nothing more: another server has the world. */
  abandon(error: Error): void {
    this.#fail(error);
  }

  async #writeAll(): Promise<void> {
    // Everything that happens in this turn of the event loop is stored with one statement.
    await turnEnd();
    try {
      if (this.#readOnlyBecause !== undefined) throw this.#readOnlyBecause;
      while (this.#pending.length > 0 && this.#failure === undefined) await this.#writeGroup();
    } catch (error) {
      this.#fail(error as Error);
    }
    this.#isWriting = false;
    const { number, records } = this.#image;
    const eventsMax = Math.max(EVENTS_PER_IMAGE, records / RECORDS_PER_EVENT);
    if (this.#failure === undefined && this.#head - number >= eventsMax) {
      // A failed image is no failed change: the next one comes.
      this.#imaging ??= this.#storeImage()
        .catch(() => undefined)
        .finally(() => {
          this.#imaging = undefined;
        });
    }
  }

  async #writeGroup(): Promise<void> {
    if (this.#isDropped) return this.#delete();
    if (this.#isWhole) return this.#writeWhole();
    const bodies: string[] = [];
    let characters = 0;
    let last: Pending | undefined;
    let settings: WorldSettings | undefined;
    let isSummaryChanged = this.#isNew;
    let name: string | null = null;
    for (const one of this.#pending) {
      if (bodies.length >= EVENTS_PER_WRITE_MAX || characters > CHARACTERS_PER_WRITE_MAX) break;
      const { event, number } = one;
      const body = JSON.stringify(event);
      bodies.push(body);
      characters += body.length;
      last = one;
      this.#rows = rowsAfter(this.#rows, number, event);
      if (event.kind === "committed") this.#inputSizes.set(number, event.entry.cause.input?.size ?? 0);
      if ("settings" in event) ({ settings } = event);
      if ("name" in event) ({ name } = event);
      isSummaryChanged ||= this.#source?.changesSummary(event) ?? false;
    }
    const upTo = last?.number ?? this.#durable;
    const { schema } = this.#database;
    const owned = this.#isNew
      ? `INSERT INTO ${schema}.worlds (id, owner, epoch, head, next_due, settings, card, name, used_at, made_at)
        VALUES ($1::text, $2::text, $3::bigint, $4::bigint, to_timestamp($7::float8 / 1000), $8::text, $9::text, $10::text, now(), now())
        ON CONFLICT DO NOTHING`
      : `UPDATE ${schema}.worlds SET head = $4::bigint, next_due = to_timestamp($7::float8 / 1000),
        settings = coalesce($8::text, settings), card = coalesce($9::text, card), name = coalesce($10::text, name)
        WHERE id = $1::text AND owner = $2::text AND epoch = $3::bigint AND head = $4::bigint - $5::bigint`;
    const statement: Statement = {
      name: this.#isNew ? "make" : "write",
      text: `WITH owned AS (${owned} RETURNING id)
        INSERT INTO ${schema}.entries (world, number, epoch, body)
        SELECT owned.id, $4::bigint - $5::bigint + line.number, $3::bigint, line.body
        FROM owned, unnest(string_to_array($6::text, E'\\n')) WITH ORDINALITY AS line(body, number)`,
    };
    const values = [
      this.id,
      this.#server,
      this.epoch,
      upTo,
      bodies.length,
      bodies.join("\n"),
      this.#source?.nextDueAt() ?? null,
      settings === undefined ? null : JSON.stringify(settings),
      isSummaryChanged ? JSON.stringify(this.#source?.summary() ?? {}) : null,
      name,
    ];
    await this.#send(statement, values, { rows: bodies.length, upTo });
    this.#isNew = false;
    for (const { event } of this.#pending.splice(0, bodies.length))
      this.#replaced = replacedStateAfter(this.#replaced, event);
    this.#stored(upTo, bodies.length);
  }

  /** Sends a guarded statement; if a connection was cut, finds out whether it was carried out. */
  async #send(
    statement: Statement,
    values: readonly unknown[],
    { rows, upTo }: { readonly rows: number; readonly upTo: number },
  ): Promise<void> {
    this.#sent = upTo;
    for (let attempt = 1, wasCut = false; ; attempt++) {
      try {
        const { rowCount } = await this.#database.send(statement, values);
        if (rowCount === rows || (wasCut && (await this.#isStored(upTo)))) return;
        if (!wasCut) this.#sent = this.#durable;
      } catch (error) {
        if (!(error instanceof DatabaseAway) || !error.isCut || attempt >= ATTEMPTS_MAX) throw error;
        wasCut = true;
        continue;
      }
      throw new WorldLost(`The world ${this.id} was taken over by another server.`);
    }
  }

  get #ownership(): Ownership {
    return { id: this.id, server: this.#server, epoch: this.epoch };
  }

  async #isStored(upTo: number): Promise<boolean> {
    const { rows } = await this.#database.query<{ head: string }>(
      {
        name: "head",
        text: `SELECT head FROM ${this.#database.schema}.worlds WHERE id = $1 AND owner = $2 AND epoch = $3`,
      },
      [this.id, this.#server, this.epoch],
    );
    return Number(rows[0]?.head ?? -1) === upTo;
  }

  /** Stores a world that did not begin empty: its state, and every entry of its journal. */
  async #writeWhole(): Promise<void> {
    const source = this.#source;
    if (source === undefined) throw new Error(`the world ${this.id} is stored before it exists`);
    const count = this.#pending.length;
    const upTo = this.#head;
    const saved = source.saved();
    const { entries } = saved.image.journal;
    const first = upTo - entries.length;
    // The rows are numbered as if each entry had just been made; the state is that of the last one.
    const begin = Math.max(0, -first);
    this.#head += begin;
    const head = upTo + begin;
    const rows: JournalRows = {
      journal: entries.length === 0 ? [] : [[head - entries.length + 1, entries.length]],
      snapshots: new Map(),
    };
    const [{ body: image, records }, observations] = await Promise.all([
      packWorld(saved, rows),
      packObservations(saved),
    ]);
    const values = [
      this.id,
      this.#server,
      this.epoch,
      head,
      source.nextDueAt(),
      JSON.stringify(saved.settings),
      JSON.stringify(source.summary()),
      saved.name,
    ];
    this.#sent = head;
    await insertWhole(this.#database, {
      world: values,
      id: this.id,
      head,
      image,
      observations,
      entries,
    });
    this.#pending.splice(0, count);
    this.#replaced = replacedStateOf(saved);
    this.#isWhole = false;
    this.#isNew = false;
    this.#rows = rows;
    this.#image = { number: head, records };
    this.#stored(head, entries.length);
  }

  async #delete(): Promise<void> {
    this.#sent = this.#head;
    await deleteWorld(this.#database, this.#ownership);
    this.#pending = [];
    this.#stored(this.#head, 0);
    this.#failure = new WorldLost(`The world ${this.id} was dropped.`);
  }

  #stored(upTo: number, count: number): void {
    StoredWorld.entriesStored += count;
    this.#durable = upTo;
    this.#waiters.stored(upTo);
  }

  #fail(error: Error): void {
    if (this.#failure !== undefined) return;
    this.#failure = error;
    this.#failed(error);
    this.#pending = [];
    this.#waiters.fail(error);
  }

  /** Stores the state at a moment at which all that happened is stored, and deletes what it makes superfluous. */
  async #storeImage(): Promise<void> {
    if (this.#durable !== this.#head || this.#source === undefined || this.#failure !== undefined) return;
    const head = this.#head;
    const rows = this.#rows;
    const saved = this.#source.saved();
    const [{ body: image, records }, observations] = await Promise.all([
      packWorld(saved, rows),
      packObservations(saved),
    ]);
    if (!(await insertImage(this.#database, { ...this.#ownership, head, image, observations }))) return;
    this.#image = { number: head, records };
    await deleteRows(this.#database, { id: this.id, head, ...rows });
    await moveToHistory(this.#database, this.#ownership, { head, inputSizes: this.#inputSizes });
    for (const number of this.#inputSizes.keys()) if (number <= head) this.#inputSizes.delete(number);
  }
}
