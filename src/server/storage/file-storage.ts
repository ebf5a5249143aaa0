import type { SavedWorlds, EventOfWorld } from "../../simulator/worlds/saved-world.ts";
import type { Worlds } from "../../simulator/worlds/worlds.ts";
import { assertDefined } from "../../simulator/engine/assertion.ts";
import { basename, dirname, resolve } from "node:path";
import type { Log } from "../../base/log.ts";
import { StorageFailure, damagedFile, requireMemory, unusableFile } from "./storage.ts";
import { type CleanEnd, JournalFile, isUnusedJournal, readCleanEnd, writeCleanEnd } from "./journal-file.ts";
import { Low } from "lowdb";
import { NOTHING_SAVED, type Snapshot, SnapshotFile } from "./snapshot-file.ts";
import { endPath, journalPath, nextPath, requireOwnName, trialPath } from "./side-files.ts";
import { open, readdir, readlink, realpath, rm, stat } from "node:fs/promises";
import { requireFolderMount } from "./mounts.ts";
import { removeFile, UnknownOutcome, writeAt } from "./chained-lines.ts";
import { setTimeout as pause } from "node:timers/promises";
import { FileLock } from "./file-lock.ts";
import { WriteQueue } from "./write-queue.ts";
import { WorldFold } from "./world-fold.ts";
import { FileMistakes } from "../../base/failures.ts";

/** The maximum number of events in one write. */
const EVENTS_PER_WRITE_MAX = 1_000;

/** The size of a trial. A file system cannot keep it in its own tables, and most writes are smaller. */
const TRIAL_BYTES = 65_536;

/** The minimum size of a journal for a new snapshot. */
const JOURNAL_BYTES_MIN = 1024 * 1024;

/**
 * The longest pause after a failed write, so that a full disk is not tried all the time. No answers are sent during a
 * pause.
 */
const PAUSE_MAX_MS = 500;

/**
 * Returns the file that a path names, also through a symbolic link. Under another name the file would have another
 * lock and another journal, and a new snapshot would replace the link.
 */
async function fileNamed(path: string): Promise<string> {
  const existing = await realpath(path).catch(() => undefined);
  const target = existing ?? (await readlink(path).catch(() => basename(path)));
  return resolve(dirname(path), target);
}

/**
 * Stores worlds in three files: a snapshot (lowdb), the journal since that snapshot and, after a clean stop, the end
 * position of the journal. Worlds report each change as an event: a committed journal entry, a snapshot, a setting,
 * the clock, a token.
 *
 * Events are written in groups, with one write and one flush for all pending events. When the journal outgrows the
 * snapshot, the next generation begins: a new snapshot, and a new journal.
 */
export class FileStorage {
  readonly #path: string;
  readonly #lock: FileLock;
  readonly #log: Log;
  readonly #snapshot: SnapshotFile;
  readonly #db: Low<Snapshot>;
  /** The journal since the snapshot. */
  #opened: JournalFile | undefined;
  /** A larger journal causes a new snapshot. */
  #journalBytesMax = JOURNAL_BYTES_MIN;
  #worlds: Worlds | undefined;
  readonly #queue = new WriteQueue<EventOfWorld>(() => this.#writeAll());
  /** Resolves with the running rollback. Undefined if no rollback is under way. */
  rollback: Promise<void> | undefined;
  /** The number of rollbacks. State that was read before the last rollback may contain changes that are gone. */
  rollbackCount = 0;
  #failuresInARow = 0;
  #trial: Promise<string | undefined> | undefined;
  /** The failure of a rollback. After it every answer is a failure. */
  #broken: StorageFailure | undefined;

  private constructor(path: string, log: Log) {
    this.#path = path;
    this.#log = log;
    this.#lock = new FileLock(this.#path);
    this.#snapshot = new SnapshotFile(this.#path);
    this.#db = new Low<Snapshot>(this.#snapshot, NOTHING_SAVED);
  }

  /** Opens a data file, or creates it. Throws a FileMistakes if it is damaged or in use, and leaves it unchanged. */
  static async open(
    path: string,
    log: Log,
  ): Promise<{ readonly storage: FileStorage; readonly saved: SavedWorlds }> {
    requireOwnName(path);
    const found = await stat(path).catch(() => undefined);
    if (found?.isFile() === false)
      throw new FileMistakes(`Failed to read ${resolve(path)}: it is not a file. Name a file.`);
    const named = await fileNamed(path);
    await requireFolderMount(named);
    const storage = new FileStorage(named, log);
    try {
      return { storage, saved: await storage.#load() };
    } catch (error) {
      await storage.#opened?.close();
      storage.#lock.release();
      throw "syscall" in (error as Error) ? unusableFile(path, error as Error) : error;
    }
  }

  /** Names the worlds that are stored here. A rollback needs them. */
  attach(worlds: Worlds): void {
    this.#worlds = worlds;
  }

  /** Stores an event in the background; `settled` reports when it is stored. */
  write(event: EventOfWorld): void {
    if (this.rollback === undefined && this.#broken === undefined) this.#queue.add(event);
  }

  /**
   * Resolves once every event so far is stored. Undefined if all are stored already. If an event cannot be stored, it
   * rejects with a StorageFailure, and the worlds are rolled back to their stored state.
   */
  settled(): Promise<void> | undefined {
    return this.#broken === undefined ? this.#queue.settled() : Promise.reject(this.#broken);
  }

  /** Tries to write, and returns the reason if no change can be stored now. Undefined if changes can be stored. */
  async obstacle(): Promise<string | undefined> {
    if (this.#broken !== undefined) return this.#broken.message;
    this.#trial ??= this.#tryDisk().finally(() => {
      this.#trial = undefined;
    });
    return this.#trial;
  }

  /**
   * Writes a block to a new file, and removes the file. The block is at the place of the next change in the journal,
   * because the size of a file may be limited too.
   */
  async #tryDisk(): Promise<string | undefined> {
    const trial = trialPath(this.#path);
    try {
      const file = await open(trial, "w");
      try {
        await writeAt(file, Buffer.alloc(TRIAL_BYTES), this.#journal.end.bytes);
        await file.sync();
      } finally {
        await file.close();
      }
      return undefined;
    } catch (error) {
      return `No change can be saved: ${reasonOf(error as Error)}. Make room for ${this.#path}.`;
    } finally {
      await rm(trial, { force: true }).catch(() => undefined);
    }
  }

  /** Stores pending events, and releases everything. */
  async close(): Promise<void> {
    await this.settled()?.catch(() => undefined);
    await this.#queue.writing;
    await this.rollback;
    await this.#writeCleanEnd();
    await this.#journal.close();
    this.#lock.release();
  }

  async #writeCleanEnd(): Promise<void> {
    if (this.#broken !== undefined) return;
    try {
      await this.#journal.cut();
      const { generation, end } = this.#journal;
      await writeCleanEnd(endPath(this.#path), { generation, ...end });
    } catch (error) {
      this.#log.warn(
        {},
        `Failed to write the end position of ${this.#journal.path}: ${reasonOf(error as Error)}. The next start reads the journal to its end, as after a kill.`,
      );
    }
  }

  async #writeAll(): Promise<void> {
    while (this.#queue.pending.length > 0) {
      if (this.#worlds !== undefined && this.#journal.end.bytes > this.#journalBytesMax)
        await this.#beginGeneration(this.#worlds.saved());
      else if (!(await this.#writeGroup())) break;
    }
  }

  /** Writes a group of the pending events. Returns true if they are stored. */
  async #writeGroup(): Promise<boolean> {
    const { pending, stored } = this.#queue;
    const events = pending.splice(0, EVENTS_PER_WRITE_MAX);
    try {
      await this.#journal.append(events);
    } catch (error) {
      this.#fail(error as NodeJS.ErrnoException);
      return false;
    }
    this.#failuresInARow = 0;
    this.#queue.storedUpTo(stored + events.length);
    return true;
  }

  /** Undoes every change that is not stored, by reading the worlds from the disk again. */
  #fail(error: NodeJS.ErrnoException): void {
    this.rollbackCount++;
    this.#queue.pending = [];
    this.#queue.stored = this.#queue.head;
    const failure = new StorageFailure(
      `Failed to save the change: ${reasonOf(error)}. Nothing was changed. Make room for ${this.#path} and send the request again.`,
    );
    this.#log.warn({}, failure.message);
    this.rollback = this.#recover(failure);
  }

  async #recover(failure: StorageFailure): Promise<void> {
    try {
      await this.#rereadWorlds();
    } catch (error) {
      this.#broken = new StorageFailure(
        `Failed to restore the saved worlds: ${(error as Error).message}. Restart the sandbox.`,
      );
      this.#log.warn({}, this.#broken.message);
    }
    this.rollback = undefined;
    this.#queue.fail(failure);
  }

  async #rereadWorlds(): Promise<void> {
    await pause(Math.min(PAUSE_MAX_MS, 50 * this.#failuresInARow++));
    const fold = new WorldFold(await this.#readSnapshot());
    await this.#journal.reread((event) => void fold.take(event));
    this.#worlds?.rollBackTo(fold.saved());
  }

  /** Writes the present worlds, with all pending events, to a new snapshot, and begins its journal. */
  async #beginGeneration(saved: SavedWorlds): Promise<void> {
    const { pending, head } = this.#queue;
    const count = pending.length;
    const outdated = this.#journal;
    const generation = outdated.generation + 1;
    let next: JournalFile | undefined;
    try {
      next = await JournalFile.create(journalPath(this.#path, generation), generation);
      await this.#writeSnapshot({ generation, ...saved });
    } catch (error) {
      const reason = reasonOf(error as Error);
      if (error instanceof UnknownOutcome) return this.#break(reason);
      this.#log.warn({}, `Failed to write a new ${this.#path}: ${reason}. Its journal is kept.`);
      this.#journalBytesMax = 2 * outdated.end.bytes;
      await next?.remove().catch(() => undefined);
      return;
    }
    this.#opened = next;
    pending.splice(0, count);
    this.#queue.storedUpTo(head);
    await outdated.remove().catch(() => undefined);
    this.#log.info({}, `${this.#path} was rewritten, with the new journal ${generation}.`);
  }

  /**
   * Stops storing, because it is unknown which snapshot is on the disk. Both journals stay, so both snapshots can be
   * read.
   */
  #break(reason: string): void {
    this.#broken = new StorageFailure(
      `It is not known whether the change is saved, because the new ${this.#path} may be there or not: ${reason}. Restart the sandbox. All changes that were answered before are saved.`,
    );
    this.#log.warn({}, this.#broken.message);
    this.#queue.pending = [];
    this.#queue.stored = this.#queue.head;
    this.#queue.fail(this.#broken);
  }

  async #writeSnapshot(snapshot: Snapshot): Promise<void> {
    this.#db.data = snapshot;
    await this.#db.write().finally(() => {
      this.#db.data = NOTHING_SAVED;
    });
    this.#journalBytesMax = Math.max(JOURNAL_BYTES_MIN, this.#snapshot.bytes);
  }

  async #readSnapshot(): Promise<Snapshot> {
    await this.#db.read();
    const snapshot = this.#db.data;
    // lowdb would keep all worlds in memory.
    this.#db.data = NOTHING_SAVED;
    return snapshot;
  }

  /** Reads the snapshot and the journal since then. Changes no file before both are read and valid. */
  async #load(): Promise<SavedWorlds> {
    const path = this.#path;
    const generations = await generationsOf(path);
    const cleanEnd = await readCleanEnd(endPath(this.#path));
    const snapshot = await this.#readSnapshot();
    this.#journalBytesMax = Math.max(JOURNAL_BYTES_MIN, this.#snapshot.bytes);
    const { generation } = snapshot;
    const used = await this.#usedAfter(generation, generations);
    if (generation === 0) return this.#create(used, cleanEnd);
    if (used !== undefined) throw damagedFile(path, `${used} continues a newer one`);
    if (!generations.includes(generation))
      throw damagedFile(
        path,
        `its journal ${journalPath(path, generation)} is missing, and with it the latest changes`,
      );
    const fold = new WorldFold(snapshot);
    const take = (event: EventOfWorld): void => {
      requireMemory(path);
      fold.take(event);
    };
    this.#opened = await JournalFile.open(journalPath(path, generation), { generation, take });
    if (cleanEnd !== undefined) this.#checkEnd(cleanEnd);
    await this.#tidy(generations.filter((one) => one !== generation));
    return fold.saved();
  }

  /** Finds a journal of a later generation that has content. */
  async #usedAfter(generation: number, generations: readonly number[]): Promise<string | undefined> {
    for (const later of generations.filter((one) => one > generation)) {
      const path = journalPath(this.#path, later);
      if (!(await isUnusedJournal(path, later))) return path;
    }
    return undefined;
  }

  /** Refuses a journal whose end differs from its end at the last stop of the sandbox. */
  #checkEnd({ generation, lines, bytes, checksum }: CleanEnd): void {
    const { path, end, isRagged } = this.#journal;
    if (generation !== this.#journal.generation) {
      const expected = journalPath(this.#path, generation);
      throw damagedFile(this.#path, `its journal was ${expected} when the sandbox was stopped`);
    }
    if (isRagged || end.lines !== lines || end.bytes !== bytes || end.checksum !== checksum) {
      const found = `${end.lines} lines${isRagged ? " and an incomplete one" : ""}`;
      throw damagedFile(path, `it has ${found}, and had ${lines} when the sandbox was stopped`);
    }
  }

  async #create(used: string | undefined, cleanEnd: CleanEnd | undefined): Promise<SavedWorlds> {
    const left = cleanEnd === undefined ? used : endPath(this.#path);
    if (left !== undefined) {
      throw new FileMistakes(
        `Failed to read ${this.#path}: it is missing, but ${left}, which belongs to it, exists. Restore the file, or move ${left} away to start with an empty sandbox.`,
      );
    }
    this.#opened = await JournalFile.create(journalPath(this.#path, 1), 1);
    await this.#writeSnapshot({ ...NOTHING_SAVED, generation: 1 });
    return NOTHING_SAVED;
  }

  /** Removes the remains of an interrupted process, and the files that exist only for a stopped sandbox. */
  async #tidy(others: readonly number[]): Promise<void> {
    if (this.#journal.isRagged) {
      this.#log.warn({}, `${this.#journal.path}: an incomplete last line was left out.`);
      await this.#journal.cut();
    }
    for (const generation of others) await rm(journalPath(this.#path, generation), { force: true });
    for (const left of [nextPath(this.#path), trialPath(this.#path)]) await rm(left, { force: true });
    await removeFile(endPath(this.#path));
  }

  get #journal(): JournalFile {
    return assertDefined(this.#opened, "the journal that is written to");
  }
}

/** Returns the reason of the operating system, in plain words for common reasons. */
function reasonOf({ code, message }: NodeJS.ErrnoException): string {
  const reasons: Readonly<Record<string, string>> = {
    ENOSPC: "the disk is full",
    EDQUOT: "the disk quota is used up",
    EFBIG: "the file has reached the largest size allowed",
    EROFS: "the disk is read-only",
  };
  return reasons[code ?? ""] ?? message;
}

/** Returns the generations of the journals next to a snapshot. */
async function generationsOf(path: string): Promise<number[]> {
  const prefix = `${basename(path)}.`;
  const names = await readdir(dirname(path));
  return names
    .filter((name) => name.startsWith(prefix) && name.endsWith(".journal"))
    .map((name) => Number(name.slice(prefix.length, -".journal".length)))
    .filter((generation) => Number.isInteger(generation) && generation > 0);
}
