import type { ClaimedWorld, PostgresStorage, ClusterState } from "./postgres/postgres-storage.ts";
import type { Log } from "../../base/log.ts";
import type { World } from "../../simulator/worlds/world.ts";
import { DEFAULT_WORLD, type Worlds } from "../../simulator/worlds/worlds.ts";
import { Membership } from "./membership.ts";
import { type LoadedWorld, LoadedWorlds } from "./loaded-worlds.ts";
import { Patience } from "./patience.ts";
import { StorageFailure, WorldLost } from "../storage/storage.ts";
import { FileMistakes } from "../../base/failures.ts";
import { setTimeout as pause } from "node:timers/promises";

/** If a request is answered: here, or by another server. */
export type WorldLocation =
  | { readonly kind: "here"; readonly loaded: LoadedWorld }
  | { readonly kind: "there"; readonly server: string; readonly url: string };

interface SharedWorldsOptions {
  readonly storage: PostgresStorage;
  readonly log: Log;
  readonly leaseMs: number;
  /** A world without due timers is unloaded after this wall time without a request. */
  readonly unloadAfterMs: number;
  /** An unloaded world is dropped after this wall time without use. By default worlds are kept. */
  readonly idleMs: number | undefined;
  /** The settings of the default world from its loading by this server. */
  readonly given: Parameters<World["reconfigure"]>[0];
}

/** The maximum number of worlds that are loaded at a time because of due timers. */
const DUE_MAX = 20;

/** The pause after a due world could not be loaded: it may be too large for this server. */
const RETRY_MS = 60_000;

/** The maximum number of worlds that are released at a time. */
const LEAVING_MAX = 8;

/**
 * The form of the ids of worlds. Other ids are not sent to the database, because some characters would be invalid
 * there.
 */
const WORLD_ID = /^(default|w\d+)$/;

/** The pause before a request looks again for the owner of a world that does not answer. */
const RECHECK_MS = 100;

/**
 * The worlds of a sandbox whose servers share one database, as one server sees them. This server has loaded some
 * worlds. It loads others when a request or a timer needs them and no server owns them. It knows the owners of the
 * rest.
 */
export class SharedWorlds {
  readonly #options: SharedWorldsOptions;
  readonly storage: PostgresStorage;
  readonly membership: Membership;
  readonly loadedWorlds: LoadedWorlds;
  /** The running loads of worlds. */
  readonly #loading = new Map<string, Promise<void>>();
  /** The owners of worlds at the last reading of the database. */
  readonly #owners = new Map<
    string,
    { readonly server: string; readonly url: string; readonly until: number }
  >();
  /** Due worlds that could not be loaded, with the time of the next try of this server. */
  readonly #failed = new Map<string, number>();
  #rechecking: Promise<void> | undefined;
  #dueTimer: NodeJS.Timeout | undefined;
  #unloadTimer: NodeJS.Timeout | undefined;
  #state: "starting" | "ready" | "stopping" | "closed" = "starting";
  #isOutdated = false;
  takeovers = 0;
  forwarded = 0;

  constructor(options: SharedWorldsOptions) {
    this.#options = options;
    this.storage = options.storage;
    this.loadedWorlds = new LoadedWorlds(options);
    this.membership = new Membership({
      ...options,
      state: () => ({ worlds: this.loadedWorlds.all().length, isStopping: this.isStopping }),
      running: () => this.#running(),
      read: (found) => this.#readCluster(found),
      removed: () => {
        for (const { id, stored } of this.loadedWorlds.all())
          stored.abandon(new WorldLost(`The world ${id} may have been taken over by another server.`));
      },
    });
  }

  /** Waits until all changes of a world are stored. Returns false if a change could not be stored. */
  async isStored(id = ""): Promise<boolean> {
    const stored = this.loadedWorlds.get(id)?.stored;
    try {
      if (stored === undefined) return false;
      await stored.settled();
      await this.membership.ensureLease();
    } catch (error) {
      // An attempt that was not sent has no outcome. The world continues as if it had not been opened.
      stored?.abandon(error as Error);
      return false;
    }
    return stored.failure === undefined;
  }

  /** Begins to run worlds. */
  async start(worlds: Worlds): Promise<void> {
    this.loadedWorlds.worlds = worlds;
    await this.membership.join(null);
    const { unloadAfterMs } = this.#options;
    this.#unloadTimer = setInterval(
      () => this.loadedWorlds.sweep(this.membership.wallNow()),
      Math.min(30_000, unloadAfterMs / 4),
    ).unref();
    const owner = await this.storage.owner(DEFAULT_WORLD);
    if (owner === undefined) await this.#makeDefault();
    else if (owner.server === null) await this.#load(DEFAULT_WORLD);
  }

  /** Announces the address of this server: other servers reach it at `url` from now on. */
  async listens(url: string): Promise<void> {
    await this.membership.join(url);
    this.#state = "ready";
  }

  get isStopping(): boolean {
    return this.#state === "stopping" || this.#state === "closed";
  }

  /** The reason why the sandbox cannot be used now. Undefined if it can be used. */
  get unavailable(): string | undefined {
    return this.storage.database.away;
  }

  /** The reason why this server should receive no requests. Undefined if it should receive requests. */
  unready(): string | undefined | Promise<string | undefined> {
    if (this.#state === "starting") return "The server is starting.";
    if (this.#isOutdated)
      return "A newer version has migrated the tables of the database. Replace this server.";
    if (this.isStopping) return "The server is stopping.";
    return this.storage.database.obstacle();
  }

  /** Returns every world, wherever it is. */
  async list() {
    return (await this.storage.list()).map((world) => {
      const { mode, now, offsetMs } = world.clock;
      const present = mode === "frozen" ? now : Math.floor(this.membership.wallNow() + offsetMs);
      return { ...world, clock: { mode, now: present, offsetMs } };
    });
  }

  /**
   * Finds the server of a world. A world without a server is loaded here. Undefined if the world does not exist.
   * Rejects with a StorageFailure if the database is needed and away.
   */
  async locate(id: string): Promise<WorldLocation | undefined> {
    if (!WORLD_ID.test(id)) return undefined;
    const patience = new Patience(this.#options.leaseMs);
    const listeningUntil = performance.now() + this.#options.leaseMs;
    for (;;) {
      const loaded = this.loadedWorlds.get(id);
      const changing = this.#loading.get(id) ?? loaded?.changing;
      if (changing !== undefined) {
        await changing.catch((error: unknown) => {
          if (!(error instanceof StorageFailure && loaded?.isReadOnly)) throw error;
        });
        continue;
      }
      if (loaded !== undefined) {
        if (this.membership.isLeased) {
          loaded.touched = performance.now();
          return { kind: "here", loaded };
        }
      }
      if (!patience.hasNext())
        throw new StorageFailure(`The server of the world ${id} was not found in time.`);
      if (loaded !== undefined) {
        await this.membership.renew();
        continue;
      }
      const known = this.#owners.get(id);
      if (known !== undefined && known.until > performance.now()) return { kind: "there", ...known };
      this.#owners.delete(id);
      await this.membership.ensureLease();
      const owner = await this.storage.owner(id);
      if (owner === undefined) {
        if (id !== DEFAULT_WORLD) return undefined;
        await this.#makeDefault();
        continue;
      }
      const { server, url } = owner;
      if (server !== null && server !== this.storage.server) {
        if (url === null) {
          // It may be about to listen.
          if (performance.now() > listeningUntil)
            throw new StorageFailure(`The world ${id} is in a process that listens nowhere.`);
          await this.moved(id, { isSilent: true });
          continue;
        }
        this.#owners.set(id, { server, url, until: performance.now() + this.#options.leaseMs });
        continue;
      }
      if (this.isStopping) {
        const [other] = this.membership.others;
        if (other?.url) return { kind: "there", server: other.id, url: other.url };
      }
      // Another request may have begun to load it.
      if (!this.#loading.has(id) && this.loadedWorlds.get(id) === undefined) await this.#load(id);
    }
  }

  /**
   * Forgets the owner of a world, because it did not answer as the owner. If it did not answer at all, waits a moment
   * before the next look-up.
   */
  async moved(id: string, { isSilent }: { readonly isSilent: boolean }): Promise<void> {
    this.#owners.delete(id);
    if (!isSilent) return;
    this.#rechecking ??= pause(RECHECK_MS)
      .then(() => this.storage.removeExpired())
      .finally(() => {
        this.#rechecking = undefined;
      });
    await this.#rechecking;
  }

  /** Loads a read-only world again. Rejects with a StorageFailure if that is not possible yet. */
  async reload(id: string): Promise<void> {
    await (this.#loading.get(id) ?? this.#load(id));
  }

  /** Releases every world. It loads a world only if no other server can. */
  async leave(): Promise<void> {
    if (this.isStopping) return;
    this.#state = "stopping";
    await this.membership.heartbeat().catch(() => undefined);
    const waiting = this.loadedWorlds.all();
    await Promise.all(
      Array.from({ length: LEAVING_MAX }, async () => {
        for (let loaded = waiting.pop(); loaded !== undefined; loaded = waiting.pop())
          await this.loadedWorlds.unload(loaded);
      }),
    );
  }

  async close(): Promise<void> {
    await this.leave();
    this.#state = "closed";
    for (const loaded of this.loadedWorlds.all()) await this.loadedWorlds.unload(loaded);
    clearTimeout(this.#dueTimer);
    clearInterval(this.#unloadTimer);
    await this.membership.leave();
    await this.storage.database.close();
  }

  /** Reads the news about the worlds from a heartbeat. */
  #readCluster({ servers, nextDue, isOutdated }: ClusterState): void {
    if (isOutdated) this.#leaveToNewerVersion();
    const alive = new Set(servers.map(({ id }) => id));
    for (const [id, { server }] of this.#owners) if (!alive.has(server)) this.#owners.delete(id);
    this.#scheduleDue(nextDue);
    this.#reloadReadOnly();
    const { idleMs, log } = this.#options;
    if (idleMs === undefined) return;
    void this.storage.dropUnused(idleMs, DEFAULT_WORLD).catch((error: Error) => log.warn({}, error.message));
  }

  /** Releases the worlds to servers that know the newer tables, and forwards further requests. */
  #leaveToNewerVersion(): void {
    if (this.#isOutdated || this.isStopping) return;
    this.#isOutdated = true;
    this.#options.log.warn(
      {},
      "A newer version has migrated the tables of the database: this server gives back its worlds. Replace it by the newer version.",
    );
    void this.leave();
  }

  /** Loads worlds that are due before the next heartbeat. */
  #scheduleDue(nextDue: number | null): void {
    clearTimeout(this.#dueTimer);
    if (nextDue === null || this.isStopping) return;
    const delayMs = Math.max(0, nextDue - this.membership.wallNow());
    if (delayMs > this.#options.leaseMs) return;
    this.#dueTimer = setTimeout(() => {
      void this.#loadDue().catch((error: Error) => this.#options.log.warn({}, error.message));
    }, delayMs).unref();
  }

  async #loadDue(): Promise<void> {
    for (let count = DUE_MAX; count === DUE_MAX && !this.isStopping;) {
      const { joins } = this.membership;
      const claimed = await this.storage.claimDue(DUE_MAX, [...this.#running(), ...this.#failing()]);
      count = claimed.length;
      const loads = claimed.map(async (world) => {
        await this.#loadOnce(world.id, () => this.#open(world, joins)).catch((error: Error) => {
          this.#failed.set(world.id, performance.now() + RETRY_MS);
          this.#options.log.warn({ world: world.id }, error.message);
        });
      });
      await Promise.all(loads);
    }
  }

  /** Returns the worlds that could not be loaded a moment ago. */
  #failing(): string[] {
    for (const [id, until] of this.#failed) if (until < performance.now()) this.#failed.delete(id);
    return [...this.#failed.keys()];
  }

  /** Returns the worlds that this server runs, or is about to run. */
  #running(): string[] {
    const here = this.loadedWorlds.all().flatMap(({ id, isReadOnly }) => (isReadOnly ? [] : [id]));
    return [...here, ...this.#loading.keys()];
  }

  #load(id: string): Promise<void> {
    return this.#loadOnce(id, async () => {
      const { joins } = this.membership;
      const claimed = await this.storage.claim(id);
      if (claimed !== undefined) return this.#open(claimed, joins);
      // It was dropped, or another server has it: the read-only copy here is outdated.
      if (this.loadedWorlds.get(id)?.isReadOnly) this.loadedWorlds.remove(id);
    });
  }

  /** Loads a world after every load of it that is going on. */
  #loadOnce(id: string, load: () => Promise<void>): Promise<void> {
    const before = this.#loading.get(id)?.catch(() => undefined);
    const loading = (before === undefined ? load() : before.then(load)).finally(() => {
      if (this.#loading.get(id) === loading) this.#loading.delete(id);
    });
    this.#loading.set(id, loading);
    return loading;
  }

  /** Loads and runs a world. `joins` is the number of joins at its claim. */
  async #open(claimed: ClaimedWorld, joins: number): Promise<void> {
    const { id } = claimed;
    try {
      const { saved, position } = await this.storage.load(claimed);
      // Another claim of this server may have overtaken this one.
      if ((this.loadedWorlds.get(id)?.stored.epoch ?? 0) > claimed.epoch) return;
      // A late answer may be older than the stored state of another server. The next request loads the world again.
      if (joins !== this.membership.joins) return;
      const world = this.loadedWorlds.open(position, saved);
      if (id === DEFAULT_WORLD) world.reconfigure(this.#options.given);
    } catch (error) {
      this.loadedWorlds.remove(id);
      await this.storage.unclaim(claimed).catch(() => undefined);
      // It takes too much memory here.
      throw error instanceof FileMistakes ? new StorageFailure(error.message) : error;
    }
    if (!claimed.isTakeover) return;
    this.takeovers++;
    this.#options.log.info({ world: id }, `The world ${id} was taken over from a server that is gone.`);
  }

  async #makeDefault(): Promise<void> {
    const { worlds } = this.loadedWorlds;
    const world = worlds.here(DEFAULT_WORLD) ?? worlds.makeDefault();
    // Another server may have made it at the same time. Then this world is lost at once.
    await this.loadedWorlds
      .get(world.id)
      ?.stored.settled()
      ?.catch((error: Error) => {
        if (!(error instanceof WorldLost)) throw error;
      });
  }

  /** Loads again all worlds with a change that could not be stored. The next heartbeat tries again. */
  #reloadReadOnly(): void {
    if (this.isStopping) return;
    for (const { id, isReadOnly } of this.loadedWorlds.all())
      if (isReadOnly) void this.reload(id).catch(() => undefined);
  }
}
