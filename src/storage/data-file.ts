import type { Lock } from "./lock-file.ts";
import type { SavedWorlds, WorldEvent } from "../worlds/saved-world.ts";
import type { Snapshot } from "./snapshot-file.ts";
import { DiskFailure } from "./data-mistake.ts";
import { journalPath, openGenerations } from "./generations.ts";
import { JournalFile } from "./journal-file.ts";
import { assertDefined } from "../engine/assertion.ts";
import { Low } from "lowdb";
import { resolve } from "node:path";
import { setImmediate as turnEnd, setTimeout as pause } from "node:timers/promises";
import { NOTHING_SAVED, SnapshotFile } from "./snapshot-file.ts";
import { takeLock } from "./lock-file.ts";
import { WorldFold } from "./world-fold.ts";

/** Events that go into one write. */
const EVENTS_PER_WRITE_MAX = 1_000;

/** A journal smaller than this is never worth a new snapshot. */
const JOURNAL_BYTES_MIN = 1024 * 1024;

/** The longest pause after a failed write, while nothing is answered: a full disk is not asked all the time. */
const PAUSE_MAX_MS = 500;

/** Whose data it is: it can say how things stand, and go back to how they stood. */
export interface DataOwner {
  readonly saved: () => SavedWorlds;
  readonly takeBackTo: (saved: SavedWorlds) => void;
}

/** What happens on the side, for the log. */
export interface DataNotices {
  readonly info: (sentence: string) => void;
  readonly warn: (sentence: string) => void;
}

interface Waiter {
  readonly upTo: number;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/**
 * Worlds on the disk: a snapshot, and beside it the journal of what happened since. Events are written in
 * groups, one write and one flush for all that wait. When the journal has outgrown the snapshot, the next
 * generation begins: a new journal at once, and a new snapshot while the work goes on.
 */
export class DataFile {
  readonly #path: string;
  readonly #lock: Lock;
  readonly #notices: DataNotices;
  readonly #snapshot: SnapshotFile;
  readonly #db: Low<Snapshot>;
  /** Those that go on from the snapshot, oldest first; the last one is written to. */
  #journals: JournalFile[] = [];
  #owner: DataOwner | undefined;
  #pending: WorldEvent[] = [];
  #waiters: Waiter[] = [];
  #written = 0;
  #durable = 0;
  #writing: Promise<void> | undefined;
  #compacting: Promise<void> | undefined;
  #takingBack: Promise<void> | undefined;
  #era = 0;
  #failuresInARow = 0;
  /** Set once there was no way back: then nothing is answered any more. */
  #broken: DiskFailure | undefined;

  private constructor(path: string, notices: DataNotices) {
    this.#path = resolve(path);
    this.#notices = notices;
    this.#lock = takeLock(this.#path);
    this.#snapshot = new SnapshotFile(this.#path);
    this.#db = new Low<Snapshot>(this.#snapshot, NOTHING_SAVED);
  }

  /** Opens a data file, or makes it. Throws a DataMistake where it is damaged or in use; then nothing was changed. */
  static async open(path: string, notices: DataNotices): Promise<{ data: DataFile; saved: SavedWorlds }> {
    const data = new DataFile(path, notices);
    try {
      const opened = await openGenerations(data.#path, data.#db, notices);
      data.#journals = opened.journals;
      data.#db.data = NOTHING_SAVED;
      return { data, saved: opened.saved };
    } catch (error) {
      data.#lock.release();
      throw error;
    }
  }

  /** Says whose data it is; without an owner there is no way back from a failed write. */
  belongsTo(owner: DataOwner): void {
    this.#owner = owner;
  }

  /** Counts how often changes were taken back because the disk did not take them. */
  get era(): number {
    return this.#era;
  }

  /** Resolves at once unless changes are being taken back. */
  get ready(): Promise<void> | undefined {
    return this.#takingBack;
  }

  /** Takes an event to be written; `settled` tells when it is on the disk. */
  write(event: WorldEvent): void {
    if (this.#takingBack !== undefined || this.#broken !== undefined) return;
    this.#pending.push(event);
    this.#written++;
    // All that happens in this turn of the event loop goes into one write.
    this.#writing ??= this.#writeAll();
  }

  /** Resolves once everything up to now is on the disk; rejects with a DiskFailure where it was taken back. */
  settled(): Promise<void> | undefined {
    if (this.#broken !== undefined) return Promise.reject(this.#broken);
    if (this.#durable === this.#written) return undefined;
    return new Promise((resolveWaiter, reject) => {
      this.#waiters.push({ upTo: this.#written, resolve: resolveWaiter, reject });
    });
  }

  /** Writes what is left, and lets go of the files. */
  async close(): Promise<void> {
    await this.settled()?.catch(() => undefined);
    await this.#writing;
    await this.#takingBack;
    await this.#compacting;
    for (const journal of this.#journals) await journal.close();
    this.#lock.release();
  }

  async #writeAll(): Promise<void> {
    await turnEnd();
    while (this.#pending.length > 0) {
      if (!(await this.#writeGroup(EVENTS_PER_WRITE_MAX))) break;
      if (this.#isOutgrown()) await this.#beginGeneration();
    }
    this.#writing = undefined;
  }

  /** Writes up to so many of the pending events; says whether the disk took them. */
  async #writeGroup(eventsMax: number): Promise<boolean> {
    const events = this.#pending.splice(0, Math.min(eventsMax, EVENTS_PER_WRITE_MAX));
    try {
      await this.#journal.append(events);
    } catch (error) {
      this.#fail(error as NodeJS.ErrnoException);
      return false;
    }
    this.#failuresInARow = 0;
    this.#durable += events.length;
    const told = this.#waiters.findIndex(({ upTo }) => upTo > this.#durable);
    for (const waiter of this.#waiters.splice(0, told < 0 ? Infinity : told)) waiter.resolve();
    return true;
  }

  /** Takes back all that is not on the disk: the disk is the truth, so everything is read from it anew. */
  #fail(error: NodeJS.ErrnoException): void {
    this.#era++;
    this.#pending = [];
    this.#durable = this.#written;
    const failure = new DiskFailure(
      `Failed to save the change: ${reasonOf(error)}. Nothing was done. Make room for ${this.#path} and send it again.`,
    );
    this.#notices.warn(failure.message);
    this.#takingBack = this.#recover(failure, this.#waiters.splice(0));
  }

  async #recover(failure: DiskFailure, waiters: readonly Waiter[]): Promise<void> {
    try {
      await this.#takeBack();
    } catch (error) {
      this.#broken = new DiskFailure(
        `Failed to go back to what was saved: ${(error as Error).message}. Start the sandbox anew.`,
      );
      this.#notices.warn(this.#broken.message);
    }
    this.#takingBack = undefined;
    for (const waiter of waiters) waiter.reject(failure);
  }

  async #takeBack(): Promise<void> {
    await pause(Math.min(PAUSE_MAX_MS, 50 * this.#failuresInARow++));
    await this.#compacting;
    await this.#db.read();
    const fold = new WorldFold(this.#db.data);
    this.#db.data = NOTHING_SAVED;
    for (const journal of this.#journals) await journal.reread((event) => fold.take(event));
    this.#owner?.takeBackTo(fold.saved());
  }

  #isOutgrown(): boolean {
    const isIdle = this.#compacting === undefined && this.#owner !== undefined;
    return isIdle && this.#journal.bytes > Math.max(JOURNAL_BYTES_MIN, this.#snapshot.bytes);
  }

  /** Lets a new journal follow on the worlds as they stand, and puts those into a new snapshot meanwhile. */
  async #beginGeneration(): Promise<void> {
    const generation = this.#journal.generation + 1;
    const path = journalPath(this.#path, generation);
    const next = await JournalFile.create(path, generation).catch((error: Error) => {
      this.#notices.warn(`Failed to shorten the journal: ${reasonOf(error)}. It goes on as it is.`);
    });
    if (next === undefined) return;
    const saved = assertDefined(this.#owner, "the owner of the data").saved();
    // What has happened until now is in there, so it belongs to the journal before.
    for (const upTo = this.#written; this.#durable < upTo;) {
      if (!(await this.#writeGroup(upTo - this.#durable))) return next.remove();
    }
    this.#journals.push(next);
    this.#compacting = this.#compact({ generation, ...saved });
  }

  async #compact(snapshot: Snapshot): Promise<void> {
    await this.#replaceSnapshot(snapshot);
    this.#compacting = undefined;
  }

  async #replaceSnapshot(snapshot: Snapshot): Promise<void> {
    this.#db.data = snapshot;
    try {
      await this.#db.write();
    } catch (error) {
      this.#notices.warn(
        `Failed to write ${this.#path} anew: ${reasonOf(error as Error)}. Its journals are kept.`,
      );
      return;
    } finally {
      this.#db.data = NOTHING_SAVED;
    }
    const outdated = this.#journals.filter(({ generation }) => generation < snapshot.generation);
    this.#journals = this.#journals.filter((journal) => !outdated.includes(journal));
    for (const journal of outdated) await journal.remove();
    this.#notices.info(`${this.#path} was written anew, with journal ${snapshot.generation} beside it.`);
  }

  get #journal(): JournalFile {
    return assertDefined(this.#journals.at(-1), "the journal that is written to");
  }
}

/** What the system said, in words; its own are kept for what is rare. */
function reasonOf({ code, message }: NodeJS.ErrnoException): string {
  const reasons: Readonly<Record<string, string>> = {
    ENOSPC: "the disk is full",
    EDQUOT: "the disk quota is used up",
    EFBIG: "the file has reached the largest size allowed",
    EROFS: "the disk can only be read",
  };
  return reasons[code ?? ""] ?? message;
}
