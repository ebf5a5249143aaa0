import type { Log } from "../../base/log.ts";
import type { WorldPosition } from "./postgres/world-rows.ts";
import type { PostgresStorage } from "./postgres/postgres-storage.ts";
import type { SavedWorld, EventOfWorld } from "../../simulator/worlds/saved-world.ts";
import type { World } from "../../simulator/worlds/world.ts";
import type { Worlds } from "../../simulator/worlds/worlds.ts";
import { WorldFold } from "../storage/world-fold.ts";
import { StoredWorld } from "./postgres/stored-world.ts";
import { WorldLost } from "../storage/storage.ts";

/** A world that this server has loaded, with the number of its open requests. */
export interface LoadedWorld {
  readonly id: string;
  readonly stored: StoredWorld;
  /** True if it is read-only, in the state before a change that could not be stored. The next change loads it again. */
  readonly isReadOnly: boolean;
  openRequests: number;
  /** The release or the drop in progress. After it, the world must be located again. */
  changing: Promise<void> | undefined;
  /** The time of the last request, by the clock of this process. */
  touched: number;
  idle: (() => void) | undefined;
}

interface LoadedWorldsOptions {
  readonly storage: PostgresStorage;
  readonly log: Log;
  /** A world without due timers is unloaded after this wall time without a request. */
  readonly unloadAfterMs: number;
}

/** The longest time that open requests may delay the release of a world. */
const OPEN_REQUESTS_TIMEOUT_MS = 10_000;

/** The worlds that this server has loaded, each with its position in the database. */
export class LoadedWorlds {
  readonly #options: LoadedWorldsOptions;
  readonly #loadedWorlds = new Map<string, LoadedWorld>();
  /** The worlds of this server. Set at the start. */
  worlds!: Worlds;

  constructor(options: LoadedWorldsOptions) {
    this.#options = options;
  }

  get(id: string): LoadedWorld | undefined {
    return this.#loadedWorlds.get(id);
  }

  all(): LoadedWorld[] {
    return [...this.#loadedWorlds.values()];
  }

  remove(id: string): void {
    this.#loadedWorlds.delete(id);
    this.worlds.release(id);
  }

  /** Stores the changes of the worlds of this server. */
  readonly log = ({ world: id, ...event }: EventOfWorld): void => {
    let loaded = this.#loadedWorlds.get(id);
    if (loaded === undefined) {
      if (event.kind !== "made" && event.kind !== "forked") return;
      const { server } = this.#options.storage;
      const image = { number: 0, records: 0 };
      const fold = new WorldFold({ made: 0, worlds: [] });
      const begin = { epoch: 1, head: 0, image, fold, journal: [], snapshots: new Map<string, never>() };
      loaded = this.#add({ position: { id, server, ...begin } });
    }
    loaded.stored.write(event);
    if (event.kind === "dropped") loaded.changing = this.#drop(loaded);
  };

  /** Runs a world that was loaded. */
  open(position: WorldPosition, saved: SavedWorld): World {
    this.worlds.release(position.id);
    this.#add({ position });
    return this.worlds.adopt(saved);
  }

  /**
   * Answers a request in a world. The world is not released before the answer. Throws a WorldLost if it is being
   * released.
   */
  async use<T>(loaded: LoadedWorld, answer: () => T | Promise<T>): Promise<T> {
    if (this.#loadedWorlds.get(loaded.id) !== loaded || loaded.changing !== undefined)
      throw new WorldLost(`The world ${loaded.id} is being given back.`);
    loaded.openRequests++;
    try {
      return await answer();
    } finally {
      loaded.openRequests--;
      loaded.touched = performance.now();
      if (loaded.openRequests === 0) loaded.idle?.();
    }
  }

  /** Resolves when a new world is stored. Rejects if it cannot be stored. */
  async storedNew(id: string): Promise<void> {
    const loaded = this.#loadedWorlds.get(id);
    if (loaded === undefined) throw new WorldLost(`The world ${id} was not stored.`);
    await loaded.stored.settled();
  }

  /** Unloads worlds that are unused and have no timers due soon. */
  sweep(wallMs: number): void {
    const { unloadAfterMs } = this.#options;
    for (const loaded of this.#loadedWorlds.values()) {
      const world = this.worlds.here(loaded.id);
      if (world === undefined || loaded.openRequests > 0 || loaded.changing !== undefined || world.isWatched)
        continue;
      if (loaded.isReadOnly) continue;
      if (performance.now() - loaded.touched < unloadAfterMs) continue;
      const { nextDueAt } = world.clock;
      if (nextDueAt === undefined || nextDueAt - wallMs > unloadAfterMs) void this.unload(loaded);
    }
  }

  /** Releases a world after its open requests are answered. Then any server may load it. */
  async unload(loaded: LoadedWorld): Promise<void> {
    loaded.changing ??= this.#release(loaded);
    await loaded.changing;
  }

  #add(how: { position: WorldPosition; readOnlyBecause?: Error }): LoadedWorld {
    const { id } = how.position;
    const stored = new StoredWorld(this.#options.storage.database, {
      ...how,
      world: () => this.worlds.here(id),
      failed: (error) => this.#writeFailed(id, stored, error),
    });
    const touched = performance.now();
    const isReadOnly = how.readOnlyBecause !== undefined;
    const loaded: LoadedWorld = {
      id,
      stored,
      isReadOnly,
      openRequests: 0,
      changing: undefined,
      touched,
      idle: undefined,
    };
    this.#loadedWorlds.set(id, loaded);
    return loaded;
  }

  /**
   * Handles a failed write of the last changes of a world. If another server owns it, it is removed here. Otherwise the
   * changes are undone, and the world is read-only until it can be loaded again.
   */
  #writeFailed(id: string, stored: StoredWorld, error: Error): void {
    if (this.#loadedWorlds.get(id)?.stored !== stored) return;
    const known = error instanceof WorldLost ? undefined : stored.stored();
    this.remove(id);
    if (error instanceof WorldLost) return;
    this.#options.log.warn({ world: id }, error.message);
    if (known === undefined) return;
    this.#add({ position: known.position, readOnlyBecause: error });
    this.worlds.adopt(known.saved, { isReadOnly: true });
  }

  async #drop(loaded: LoadedWorld): Promise<void> {
    await loaded.stored.settled()?.catch(() => undefined);
    this.#loadedWorlds.delete(loaded.id);
  }

  async #release(loaded: LoadedWorld): Promise<void> {
    const { id, stored } = loaded;
    if (loaded.openRequests > 0) {
      const idle = Promise.withResolvers<void>();
      loaded.idle = idle.resolve;
      const timeout = setTimeout(idle.resolve, OPEN_REQUESTS_TIMEOUT_MS);
      await idle.promise;
      clearTimeout(timeout);
    }
    try {
      // Webhooks of a command leave in later turns of the event loop. This server sends them, because the next server
      // does not know them.
      const world = this.worlds.here(id);
      await world?.clock.ready();
      await world?.deliveries.answeredSoon();
      // The remaining work of a read-only world is in the database, and not here.
      await (loaded.isReadOnly ? this.#options.storage.unclaim(stored) : stored.release());
    } catch (error) {
      // Whether the world is still this server's is not known: it is looked up when it is needed.
      stored.abandon(new WorldLost(`The world ${id} was given back: ${(error as Error).message}`));
    }
    if (this.#loadedWorlds.get(id) === loaded) this.remove(id);
  }
}
