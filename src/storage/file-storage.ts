import type { SavedWorlds, WorldEvent } from "../worlds/saved-world.ts";
import { assertDefined } from "../engine/assertion.ts";
import { basename, dirname, resolve } from "node:path";
import { StorageFailure, type StorageNotices, damagedFile, requireMemory, unusableFile } from "./storage.ts";
import {
  type CleanEnd,
  FIRST_HEAD,
  JournalFile,
  isUnusedJournal,
  readCleanEnd,
  writeCleanEnd,
} from "./journal-file.ts";
import { Low } from "lowdb";
import { NOTHING_SAVED, type Snapshot, SnapshotFile } from "./snapshot-file.ts";
import { readdir, readlink, realpath, rm, stat, writeFile } from "node:fs/promises";
import { type Position, removeFile } from "./chained-lines.ts";
import { setTimeout as pause } from "node:timers/promises";
import { FileLock } from "./file-lock.ts";
import { WriteQueue } from "./write-queue.ts";
import { WorldFold } from "./world-fold.ts";
import { FileMistakes } from "../process/failures.ts";

/** Events that are stored in one write. */
const EVENTS_PER_WRITE_MAX = 1_000;

/** More than a file system keeps in its own tables. */
const TRIAL_BYTES = 4_096;

/** A smaller journal is never worth a new snapshot. */
const JOURNAL_BYTES_MIN = 1024 * 1024;

/** The longest pause after a failed write, while nothing is answered: so a full disk is not tried all the time. */
const PAUSE_MAX_MS = 500;

/**
 * The file that a path names, also if that is a symbolic link: by another name it would have another lock and
 * another journal, and a new snapshot would take the place of the link.
 */
async function fileNamed(path: string): Promise<string> {
  const existing = await realpath(path).catch(() => undefined);
  const target = existing ?? (await readlink(path).catch(() => basename(path)));
  return resolve(dirname(path), target);
}

/** The worlds that a file stores. */
interface StoredWorlds {
  /** All of them as they are between two commands. */
  readonly saved: () => SavedWorlds;
  /** Replaces all of them. */
  readonly rollBackTo: (saved: SavedWorlds) => void;
}

/**
 * Worlds in a file: a snapshot, which lowdb reads and writes, and next to it the journal of what happened since and,
 * while no process uses it, where that journal ended. Worlds report each of their changes as an event: a committed
 * journal entry, a snapshot, a setting, the clock, a token.
 * Events are written in groups, with one write and one flush for all that are pending. When the journal has
 * outgrown the snapshot, the next generation begins: a new journal at once, and a new snapshot in the background.
 */
export class FileStorage {
  readonly #path: string;
  /** Present while no process uses the file: where its last journal ended. */
  readonly #endPath: string;
  /** Present for a moment: it is written to find out whether the disk has room. */
  readonly #trialPath: string;
  readonly #lock: FileLock;
  readonly #notices: StorageNotices;
  readonly #snapshot: SnapshotFile;
  readonly #db: Low<Snapshot>;
  /** The journals since the snapshot, oldest first; events are written to the last one. */
  #journals: JournalFile[] = [];
  #worlds: StoredWorlds | undefined;
  readonly #queue = new WriteQueue<WorldEvent>(() => this.#writeAll());
  #compacting: Promise<void> | undefined;
  /** Ends with the rollback that is going on; undefined if there is none. */
  rollback: Promise<void> | undefined;
  /** How often the worlds were rolled back. What was read before the last rollback may contain changes that are gone. */
  rollbackCount = 0;
  #failuresInARow = 0;
  #trial: Promise<string | undefined> | undefined;
  /** Set once a rollback failed: from then on every answer is a failure. */
  #broken: StorageFailure | undefined;

  private constructor(path: string, notices: StorageNotices) {
    this.#path = path;
    this.#endPath = `${path}.end`;
    this.#trialPath = `${path}.trial`;
    this.#notices = notices;
    this.#lock = new FileLock(this.#path);
    this.#snapshot = new SnapshotFile(this.#path);
    this.#db = new Low<Snapshot>(this.#snapshot, NOTHING_SAVED);
  }

  /** Opens a data file, or creates it. Throws a FileMistakes if it is damaged or in use; then it is unchanged. */
  static async open(
    path: string,
    notices: StorageNotices,
  ): Promise<{ readonly storage: FileStorage; readonly saved: SavedWorlds }> {
    const found = await stat(path).catch(() => undefined);
    if (found?.isFile() === false)
      throw new FileMistakes(`Failed to read ${resolve(path)}: it is not a file. Name a file.`);
    const storage = new FileStorage(await fileNamed(path), notices);
    try {
      return { storage, saved: await storage.#load() };
    } catch (error) {
      for (const journal of storage.#journals) await journal.close();
      storage.#lock.release();
      throw "syscall" in (error as Error) ? unusableFile(path, error as Error) : error;
    }
  }

  /** Names the worlds that are stored here; without them nothing can be rolled back. */
  attach(worlds: StoredWorlds): void {
    this.#worlds = worlds;
  }

  /** Stores an event in the background; `settled` reports when it is stored. */
  write(event: WorldEvent): void {
    if (this.rollback === undefined && this.#broken === undefined) this.#queue.add(event);
  }

  /**
   * Resolves once every event so far is stored; undefined if that is so already. Rejects with a StorageFailure if an
   * event could not be stored: then the worlds are rolled back to what is stored.
   */
  settled(): Promise<void> | undefined {
    return this.#broken === undefined ? this.#queue.settled() : Promise.reject(this.#broken);
  }

  /** Why no change can be stored at the moment, which is tried out; undefined if it can. */
  async obstacle(): Promise<string | undefined> {
    if (this.#broken !== undefined) return this.#broken.message;
    this.#trial ??= this.#tryDisk().finally(() => {
      this.#trial = undefined;
    });
    return this.#trial;
  }

  /** Writes a block next to the file, and removes it. */
  async #tryDisk(): Promise<string | undefined> {
    try {
      await writeFile(this.#trialPath, Buffer.alloc(TRIAL_BYTES), { flush: true });
      return undefined;
    } catch (error) {
      return `No change can be saved: ${reasonOf(error as Error)}. Make room for ${this.#path}.`;
    } finally {
      await rm(this.#trialPath, { force: true }).catch(() => undefined);
    }
  }

  /** Stores what is pending, and releases everything. */
  async close(): Promise<void> {
    await this.settled()?.catch(() => undefined);
    await this.#queue.writing;
    await this.rollback;
    await this.#compacting;
    await this.#writeCleanEnd();
    for (const journal of this.#journals) await journal.close();
    this.#lock.release();
  }

  async #writeCleanEnd(): Promise<void> {
    if (this.#broken !== undefined) return;
    try {
      await this.#journal.cut();
      const { generation, end } = this.#journal;
      await writeCleanEnd(this.#endPath, { generation, ...end });
    } catch (error) {
      this.#notices.warn(
        `Failed to write down where ${this.#journal.path} ends: ${reasonOf(error as Error)}. The next start treats this one as if it had been killed.`,
      );
    }
  }

  async #writeAll(): Promise<void> {
    while (this.#queue.pending.length > 0) {
      if (!(await this.#writeGroup(EVENTS_PER_WRITE_MAX))) break;
      if (this.#isOutgrown()) await this.#beginGeneration();
    }
  }

  /** Writes up to `eventsMax` of the pending events; returns whether they are stored. */
  async #writeGroup(eventsMax: number): Promise<boolean> {
    const { pending, stored } = this.#queue;
    const events = pending.splice(0, Math.min(eventsMax, EVENTS_PER_WRITE_MAX));
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
    this.#notices.warn(failure.message);
    this.rollback = this.#recover(failure);
  }

  async #recover(failure: StorageFailure): Promise<void> {
    try {
      await this.#rereadWorlds();
    } catch (error) {
      this.#broken = new StorageFailure(
        `Failed to restore what was saved: ${(error as Error).message}. Restart the sandbox.`,
      );
      this.#notices.warn(this.#broken.message);
    }
    this.rollback = undefined;
    this.#queue.fail(failure);
  }

  async #rereadWorlds(): Promise<void> {
    await pause(Math.min(PAUSE_MAX_MS, 50 * this.#failuresInARow++));
    await this.#compacting;
    const fold = new WorldFold(await this.#readSnapshot());
    for (const journal of this.#journals) await journal.reread((event) => void fold.take(event));
    this.#worlds?.rollBackTo(fold.saved());
  }

  #isOutgrown(): boolean {
    const isIdle = this.#compacting === undefined && this.#worlds !== undefined;
    return isIdle && this.#journal.end.bytes > Math.max(JOURNAL_BYTES_MIN, this.#snapshot.bytes);
  }

  /** Begins a new journal, and writes the present worlds to a new snapshot in the background. */
  async #beginGeneration(): Promise<void> {
    const saved = assertDefined(this.#worlds, "the worlds of the storage").saved();
    // What is pending is in the snapshot already, so it belongs to the present journal.
    const queue = this.#queue;
    for (const upTo = queue.head; queue.stored < upTo;)
      if (!(await this.#writeGroup(upTo - queue.stored))) return;
    const generation = this.#journal.generation + 1;
    const head = { journal: generation, previous: this.#journal.end };
    const next = await JournalFile.create(journalPath(this.#path, generation), head).catch((error: Error) => {
      this.#notices.warn(`Failed to begin a new journal: ${reasonOf(error)}. The present one is continued.`);
    });
    if (next === undefined) return;
    this.#journals.push(next);
    this.#compacting = this.#replaceSnapshot({ generation, ...saved }).finally(() => {
      this.#compacting = undefined;
    });
  }

  async #replaceSnapshot(snapshot: Snapshot): Promise<void> {
    try {
      await this.#writeSnapshot(snapshot);
    } catch (error) {
      const reason = reasonOf(error as Error);
      this.#notices.warn(`Failed to write a new ${this.#path}: ${reason}. Its journals are kept.`);
      return;
    }
    this.#notices.info(`${this.#path} was rewritten, with the new journal ${snapshot.generation}.`);
  }

  /** Replaces the snapshot, and removes the journals before it. */
  async #writeSnapshot(snapshot: Snapshot): Promise<void> {
    this.#db.data = snapshot;
    await this.#db.write().finally(() => {
      this.#db.data = NOTHING_SAVED;
    });
    const outdated = this.#journals.filter(({ generation }) => generation < snapshot.generation);
    this.#journals = this.#journals.filter((journal) => !outdated.includes(journal));
    for (const journal of outdated) await journal.remove();
  }

  async #readSnapshot(): Promise<Snapshot> {
    await this.#db.read();
    const snapshot = this.#db.data;
    // lowdb would keep all of it in memory.
    this.#db.data = NOTHING_SAVED;
    return snapshot;
  }

  /** Reads the snapshot and the journals since. Changes nothing before all of it was read and found valid. */
  async #load(): Promise<SavedWorlds> {
    const path = this.#path;
    const generations = await generationsOf(path);
    const cleanEnd = await readCleanEnd(this.#endPath);
    const snapshot = await this.#readSnapshot();
    const { generation: first } = snapshot;
    if (first === 0) return this.#create(generations, cleanEnd);
    const later = generations.filter((generation) => generation >= first);
    const gap = later.findIndex((generation, index) => generation !== first + index);
    if (later.length === 0 || gap >= 0) {
      const missing = journalPath(path, first + Math.max(gap, 0));
      throw damagedFile(path, `its journal ${missing} is missing, and with it the latest changes`);
    }
    const fold = new WorldFold(snapshot);
    const take = (event: WorldEvent): void => {
      requireMemory(path);
      fold.take(event);
    };
    for (const generation of later)
      this.#journals.push(await JournalFile.open(journalPath(path, generation), { generation, take }));
    this.#checkEnds(cleanEnd);
    await this.#tidy(generations.filter((generation) => generation < first));
    return fold.saved();
  }

  /** Refuses a journal that does not end where the next one begins, or the last one where the sandbox was stopped. */
  #checkEnds(cleanEnd: CleanEnd | undefined): void {
    for (const [index, journal] of this.#journals.entries()) {
      const next = this.#journals[index + 1];
      const isLast = this.#journals.slice(index + 1).every(({ end }) => end.lines === 0);
      if (journal.isRagged && !isLast) throw damagedFile(journal.path, "its last line is incomplete");
      if (next !== undefined && next.previous !== null)
        checkEnd(journal, next.previous, `when ${next.path} was begun`);
    }
    if (cleanEnd === undefined) return;
    const { generation, ...end } = cleanEnd;
    if (generation !== this.#journal.generation) {
      const expected = journalPath(this.#path, generation);
      throw damagedFile(this.#path, `its last journal was ${expected} when the sandbox was stopped`);
    }
    checkEnd(this.#journal, end, "when the sandbox was stopped");
  }

  async #create(generations: readonly number[], cleanEnd: CleanEnd | undefined): Promise<SavedWorlds> {
    const paths = generations.map((generation) => journalPath(this.#path, generation));
    const isUnused = await Promise.all(paths.map(isUnusedJournal));
    const left = cleanEnd === undefined ? paths[isUnused.indexOf(false)] : this.#endPath;
    if (left !== undefined) {
      throw new FileMistakes(
        `Failed to read ${this.#path}: it is missing, but ${left}, which belongs to it, exists. Restore the file, or move ${left} away to start with an empty sandbox.`,
      );
    }
    this.#journals.push(await JournalFile.create(journalPath(this.#path, 1), FIRST_HEAD));
    await this.#writeSnapshot({ ...NOTHING_SAVED, generation: 1 });
    return NOTHING_SAVED;
  }

  /** Removes what an interrupted process left behind, and what only a sandbox that is stopped has. */
  async #tidy(outdated: readonly number[]): Promise<void> {
    for (const journal of this.#journals) {
      if (!journal.isRagged) continue;
      this.#notices.warn(`${journal.path}: an incomplete last line was left out.`);
      await journal.cut();
    }
    for (const generation of outdated) await rm(journalPath(this.#path, generation), { force: true });
    for (const left of [`${this.#path}.new`, this.#trialPath]) await rm(left, { force: true });
    await removeFile(this.#endPath);
  }

  get #journal(): JournalFile {
    return assertDefined(this.#journals.at(-1), "the journal that is written to");
  }
}

/** Refuses a journal that is shorter or longer than it was. */
function checkEnd(
  { path, end, isRagged }: JournalFile,
  { lines, bytes, checksum }: Position,
  when: string,
): void {
  if (isRagged || end.lines !== lines || end.bytes !== bytes || end.checksum !== checksum) {
    const found = `${end.lines} lines${isRagged ? " and an incomplete one" : ""}`;
    throw damagedFile(path, `it has ${found}, and had ${lines} ${when}`);
  }
}

/** The reason of the operating system in plain words, if it is a common one. */
function reasonOf({ code, message }: NodeJS.ErrnoException): string {
  const reasons: Readonly<Record<string, string>> = {
    ENOSPC: "the disk is full",
    EDQUOT: "the disk quota is used up",
    EFBIG: "the file has reached the largest size allowed",
    EROFS: "the disk is read-only",
  };
  return reasons[code ?? ""] ?? message;
}

/** The journal that continues from the snapshot of that generation. */
function journalPath(path: string, generation: number): string {
  return `${path}.${generation}.journal`;
}

/** The generations of the journals next to a snapshot, in order. */
async function generationsOf(path: string): Promise<number[]> {
  const prefix = `${basename(path)}.`;
  const names = await readdir(dirname(path));
  return names
    .filter((name) => name.startsWith(prefix) && name.endsWith(".journal"))
    .map((name) => Number(name.slice(prefix.length, -".journal".length)))
    .filter((generation) => Number.isInteger(generation) && generation > 0)
    .toSorted((left, right) => left - right);
}
