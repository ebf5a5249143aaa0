import type { SavedWorld, WorldEvent } from "../../../simulator/worlds/saved-world.ts";
import type { World } from "../../../simulator/worlds/world.ts";
import { assertDefined } from "../../../simulator/engine/assertion.ts";
import { changesSummary, worldSummary } from "../../control/worlds.ts";
import { Coverage } from "../../../simulator/worlds/coverage.ts";
import { CUT_TRIES_MAX, type Database, DatabaseAway } from "./database.ts";
import { WorldFold } from "../../storage/world-fold.ts";
import { type Ownership, packHistory } from "./history.ts";
import {
  type WorldPosition,
  type StoredImage,
  deleteWorld,
  insertEvents,
  releaseWorld,
  storeState,
} from "./world-rows.ts";
import { entriesAfter, type JournalRows, packObservations, packWorld, rowsAfter } from "./world-image.ts";
import { WorldLost } from "../../storage/storage.ts";
import { writtenEvent } from "../../storage/written-events.ts";
import { WriteQueue } from "../../storage/write-queue.ts";

/** Events and characters that are stored in one statement. */
const EVENTS_PER_WRITE_MAX = 1_000;
const CHARACTERS_PER_WRITE_MAX = 4_000_000;

/**
 * The state is stored again after this number of events, so a load replays at most this number. For a large state it is
 * a share of the number of its records, so the cost per event does not grow with the world.
 */
const EVENTS_PER_IMAGE = 500;
const RECORDS_PER_EVENT = 16;

interface StoredWorldOptions {
  readonly position: WorldPosition;
  /** Returns the world in memory, whose events are written. It is read with the first of them. */
  readonly world: () => World | undefined;
  /** The reason why no change can be stored at the moment: the world is read-only, and every write fails at once. */
  readonly readOnlyBecause?: Error;
  /** Called once when nothing more can be stored. After it, the world in memory is wrong. */
  readonly failed: (error: Error) => void;
}

/**
 * One world in the database, as the server writes it that has it. Every write names the epoch of this server's turn
 * and is refused in the same statement once another server has taken the world over. Events that are ready at the
 * same time go in one statement.
 */
export class StoredWorld {
  readonly #database: Database;
  readonly #options: StoredWorldOptions;
  readonly #owner: Ownership;
  /** Events are numbered from 1. */
  readonly #queue: WriteQueue<WorldEvent>;
  #rows: JournalRows;
  #image: StoredImage;
  #imaging: Promise<void> | undefined;
  /** The world as it is stored. */
  #fold: WorldFold;
  /** The number of the last event that may be stored: its statement was sent, and not refused. */
  sent: number;
  /** The reason why nothing more is stored. Undefined if events are stored. */
  failure: Error | undefined;

  constructor(database: Database, options: StoredWorldOptions) {
    const { id, server, epoch, head, image, journal, snapshots, fold } = options.position;
    this.#database = database;
    this.#options = options;
    this.#owner = { id, server, epoch };
    this.#queue = new WriteQueue(() => this.#writeAll(), head);
    this.#rows = { journal, snapshots };
    this.#image = image;
    this.#fold = fold;
    this.sent = head;
  }

  get id(): string {
    return this.#owner.id;
  }

  get #world(): World {
    return assertDefined(this.#options.world(), `the world ${this.id}`);
  }

  /** The wall time of the next timer of the world, in milliseconds. Null if no timer is armed. */
  get #nextDueAt(): number | null {
    return this.#options.world()?.clock.nextDueAt ?? null;
  }

  get epoch(): number {
    return this.#owner.epoch;
  }

  /** Stores an event in the background. */
  write(event: WorldEvent): void {
    if (this.failure === undefined) this.#queue.add(event);
  }

  /** Returns the world as it is stored, without the failed changes. Undefined if it is not stored at all. */
  stored(): { readonly saved: SavedWorld; readonly position: WorldPosition } | undefined {
    const [saved] = this.#fold.saved().worlds;
    if (saved === undefined) return undefined;
    const coverage = new Coverage(this.#world.saved().coverage);
    for (const event of this.#queue.pending)
      if (event.kind === "committed") coverage.entered(event.entry, -1);
    const head = this.#queue.stored;
    const position = { ...this.#owner, head, image: this.#image, fold: this.#fold, ...this.#rows };
    return { saved: { ...saved, coverage: coverage.counts() }, position };
  }

  /** Resolves when every event so far is stored. Undefined if all are stored already. */
  settled(): Promise<void> | undefined {
    return this.failure === undefined ? this.#queue.settled() : Promise.reject(this.failure);
  }

  /** Stores the state if that makes the next load faster, and releases the world. False if this server had lost it. */
  async release(): Promise<boolean> {
    await this.settled();
    await this.#imaging;
    if (this.#queue.head - this.#image.number > EVENTS_PER_IMAGE / 5) await this.#storeImage();
    const observations = await packObservations(this.#world.saved());
    const given = { head: this.#queue.head, nextDueAt: this.#nextDueAt, observations };
    const wasHeld = await releaseWorld(this.#database, this.#owner, given);
    this.failure ??= new WorldLost(`The world ${this.id} was given back.`);
    return wasHeld;
  }

  /** Stops storing: pending events failed, or another server has the world. */
  abandon(error: Error): void {
    if (this.failure !== undefined) return;
    this.failure = error;
    this.#options.failed(error);
    this.#queue.fail(error);
  }

  async #writeAll(): Promise<void> {
    const { readOnlyBecause } = this.#options;
    try {
      if (readOnlyBecause !== undefined) throw readOnlyBecause;
      while (this.#queue.pending.length > 0 && this.failure === undefined) await this.#writeGroup();
    } catch (error) {
      this.abandon(error as Error);
    }
    const { number, records } = this.#image;
    const eventsMax = Math.max(EVENTS_PER_IMAGE, records / RECORDS_PER_EVENT);
    if (this.failure !== undefined || this.#queue.head - number < eventsMax) return;
    // A failed image is not a failed change: a later image follows.
    this.#imaging ??= this.#storeImage()
      .catch(() => undefined)
      .finally(() => {
        this.#imaging = undefined;
      });
  }

  async #writeGroup(): Promise<void> {
    const { pending, stored } = this.#queue;
    if (pending.at(-1)?.kind === "dropped") return this.#delete();
    if (pending[0]?.kind === "forked") return this.#writeWhole();
    const bodies: string[] = [];
    let characters = 0;
    let rows = this.#rows;
    let settings: object | undefined;
    let name: string | null = null;
    let isSummaryChanged = stored === 0;
    for (const event of pending) {
      if (bodies.length >= EVENTS_PER_WRITE_MAX || characters > CHARACTERS_PER_WRITE_MAX) break;
      const body = JSON.stringify(writtenEvent(event));
      characters += body.length;
      rows = rowsAfter(rows, stored + bodies.push(body), event);
      if ("settings" in event) ({ settings } = event);
      if ("name" in event) ({ name } = event);
      isSummaryChanged ||= changesSummary(event);
    }
    const upTo = stored + bodies.length;
    const columns = {
      head: upTo,
      nextDueAt: this.#nextDueAt,
      settings: settings === undefined ? null : JSON.stringify(settings),
      summary: isSummaryChanged ? JSON.stringify(worldSummary(this.#world)) : null,
      name,
    };
    await this.#append(bodies, columns);
    this.#rows = rows;
    for (const event of pending.splice(0, bodies.length)) this.#fold.take({ ...event, world: this.id });
    this.#queue.storedUpTo(upTo);
  }

  /** Appends events. If the connection was cut, finds out if they were stored. */
  async #append(bodies: readonly string[], columns: Parameters<typeof insertEvents>[2]): Promise<void> {
    const isNew = this.#queue.stored === 0;
    this.sent = columns.head;
    for (let attempt = 1, wasCut = false; ; attempt++) {
      try {
        const rows = await insertEvents(this.#database, this.#owner, columns, { bodies, isNew });
        if (rows === bodies.length || (wasCut && (await this.#isStored(columns.head)))) return;
        if (!wasCut) this.sent = this.#queue.stored;
      } catch (error) {
        if (!(error instanceof DatabaseAway) || !error.isCut || attempt >= CUT_TRIES_MAX) throw error;
        wasCut = true;
        continue;
      }
      throw this.#takenOver();
    }
  }

  async #isStored(upTo: number): Promise<boolean> {
    const { id, server, epoch } = this.#owner;
    const { rows } = await this.#database.query<{ head: number }>(
      "head",
      `SELECT head FROM ${this.#database.schema}.worlds WHERE id = $1 AND owner = $2 AND epoch = $3`,
      [id, server, epoch],
    );
    return rows[0]?.head === upTo;
  }

  /** Stores a world that did not begin empty: its state, and every entry of its journal. */
  async #writeWhole(): Promise<void> {
    const count = this.#queue.pending.length;
    const saved = this.#world.saved();
    const { entries } = saved.image.journal;
    // The rows are numbered as if each entry had just been made. The state belongs to the last entry.
    const head = Math.max(this.#queue.head, entries.length);
    this.#queue.head = head;
    const rows: JournalRows = {
      journal: entries.length === 0 ? [] : [[head - entries.length + 1, entries.length]],
      snapshots: new Map(),
    };
    const columns = {
      head,
      nextDueAt: this.#nextDueAt,
      settings: JSON.stringify(saved.settings),
      summary: JSON.stringify(worldSummary(this.#world)),
      name: saved.name,
    };
    this.sent = head;
    const { records, ...state } = await stateOf(saved, { head, rows, after: 0 });
    await storeState(this.#database, this.#owner, state, columns);
    this.#queue.pending.splice(0, count);
    this.#fold = new WorldFold({ made: 0, worlds: [saved] });
    this.#rows = rows;
    this.#image = { number: head, records };
    this.#queue.storedUpTo(head);
  }

  #takenOver(): WorldLost {
    return new WorldLost(`The world ${this.id} was taken over by another server.`);
  }

  async #delete(): Promise<void> {
    this.sent = this.#queue.head;
    if (!(await deleteWorld(this.#database, this.#owner))) {
      this.sent = this.#queue.stored;
      throw this.#takenOver();
    }
    this.#queue.pending = [];
    this.#queue.storedUpTo(this.#queue.head);
  }

  /** Stores a snapshot once all events are written, then deletes the rows that it replaces. */
  async #storeImage(): Promise<void> {
    const { head, stored } = this.#queue;
    if (stored !== head || this.failure !== undefined) return;
    const at = { head, rows: this.#rows, after: this.#image.number };
    const { records, ...state } = await stateOf(this.#world.saved(), at);
    if (await storeState(this.#database, this.#owner, state)) this.#image = { number: head, records };
  }
}

/**
 * Reads the state of a world up to the row `head`, as it is stored, with the entries that are in rows after `after`.
 */
async function stateOf(
  saved: SavedWorld,
  { head, rows, after }: { readonly head: number; readonly rows: JournalRows; readonly after: number },
) {
  const [{ body: image, records }, observations, history] = await Promise.all([
    packWorld(saved, rows),
    packObservations(saved),
    packHistory(entriesAfter(after, saved, rows)),
  ]);
  return { head, image, records, observations, history, ...rows };
}
