import type { FollowerLimits } from "./followers.ts";
import { Listeners } from "../webhooks/listeners.ts";
import type { SavedWorld, SavedWorlds, EventOfWorld } from "./saved-world.ts";
import type { WorldOptions } from "./world-options.ts";
import type { WorldSettings } from "./world-settings.ts";
import { assertDefined } from "../engine/assertion.ts";
import { World, type WorldOrigin } from "./world.ts";
import { wordsOf } from "../engine/random.ts";
import { clearInterval, setInterval } from "node:timers";

export const DEFAULT_WORLD = "default";

/** The id of the world that the end of a token or client id names; undefined for one of the fixtures. */
export function worldIdIn(credential: string): string | undefined {
  return /\.(w\d+)$/.exec(credential)?.[1];
}

/** Worlds of one server at a time: far more than tests run side by side. */
export const WORLDS_MAX = 1_000;

/** Worlds of servers with a common database: most of them are not loaded. */
const SHARED_WORLDS_MAX = 100_000;

/** The time between two searches for idle worlds. */
const SWEEP_MS = 60_000;

/** The options that all worlds of a server share. */
export interface WorldsOptions extends Omit<WorldOptions, "id" | "name" | "settings" | "credentialSuffix"> {
  /** The settings of the default world, and the defaults of a new world. */
  readonly defaults: WorldSettings;
  /** Whether the default world begins frozen in any mode, because something has to happen there first. */
  readonly opensFrozen?: boolean;
  /** The longest turn and the longest absence of a follower. Default: ten seconds each. */
  readonly followers?: FollowerLimits;
  /** The programs that receive webhooks in place of their URLs. Their transport is one of these options. */
  readonly listeners?: Listeners;
  /** Wall time without a request after which a world is dropped, except the default world. Undefined if worlds stay. */
  readonly idleMs?: number | undefined;
  /** Decisions that several servers share. Present if they share the worlds. */
  readonly shared?: {
    /** The number of a new world. */
    readonly nextNumber: () => Promise<number>;
    readonly count: () => Promise<number>;
    /** Resolves once a new world is stored; rejects if it could not be, and then it is gone. */
    readonly stored: (id: string) => Promise<void>;
  };
}

/** The worlds of one server, by id and by the credentials that name them. */
export class Worlds {
  readonly #options: WorldsOptions;
  readonly #worlds = new Map<string, World>();
  readonly listeners: Listeners;
  /** Aborts when the server is about to close: streams end then. */
  readonly closing = new AbortController();
  /** The time of the last request to each world, in wall time. */
  readonly #touched = new Map<string, number>();
  /** The number of requests of each world that have no answer yet. */
  readonly #openRequests = new Map<string, number>();
  readonly #sweep: NodeJS.Timeout;
  #made = 0;
  /** The number of changes of worlds so far. */
  logged = 0;

  constructor(options: WorldsOptions, saved?: SavedWorlds) {
    this.#options = options;
    this.listeners = options.listeners ?? new Listeners();
    this.#sweep = setInterval(() => this.dropIdle(), Math.min(SWEEP_MS, options.idleMs ?? SWEEP_MS)).unref();
    if (saved !== undefined && saved.worlds.length > 0) this.#resume(saved);
    else if (options.shared === undefined) this.makeDefault();
  }

  /** The default world, if this server has it. */
  get default(): World {
    return assertDefined(this.#worlds.get(DEFAULT_WORLD), "the default world on this server");
  }

  /** The limits of a follower that names no limits. */
  get followerLimits(): FollowerLimits {
    return this.#options.followers ?? { turnTimeoutMs: 10_000, leaseMs: 10_000 };
  }

  /** The time of the default world, for answers that are about no world; without that world the wall time. */
  get now(): number {
    return this.#worlds.get(DEFAULT_WORLD)?.now ?? this.#options.wallNow();
  }

  makeDefault(): World {
    const { defaults, opensFrozen } = this.#options;
    const settings: WorldSettings = { ...defaults, ...(opensFrozen && { mode: "frozen" }) };
    return this.#add({ id: DEFAULT_WORLD, name: DEFAULT_WORLD, settings });
  }

  /** The defaults of a new world. */
  get defaults(): WorldSettings {
    return this.#options.defaults;
  }

  /** The fixtures of a world that has none of its own. */
  get fixtures(): WorldsOptions["fixtures"] {
    return this.#options.fixtures;
  }

  all(): World[] {
    return [...this.#worlds.values()];
  }

  get(id: string): World | undefined {
    const world = this.#worlds.get(id);
    if (world !== undefined) this.#touched.set(id, this.#options.wallNow());
    return world;
  }

  /** Notes that a request about a world has arrived. The world is in use until `answered`. */
  asked(id: string): void {
    this.#openRequests.set(id, (this.#openRequests.get(id) ?? 0) + 1);
  }

  answered(id: string): void {
    const open = (this.#openRequests.get(id) ?? 0) - 1;
    if (open > 0) this.#openRequests.set(id, open);
    else this.#openRequests.delete(id);
    if (this.#worlds.has(id)) this.#touched.set(id, this.#options.wallNow());
  }

  /** A world that this server has; unlike `get` this does not count as a use. */
  here(id: string): World | undefined {
    return this.#worlds.get(id);
  }

  /** The number of worlds that there may be. */
  get max(): number {
    return this.#options.shared === undefined ? WORLDS_MAX : SHARED_WORLDS_MAX;
  }

  /** Whether no other world fits, idle ones dropped. */
  async isFull(): Promise<boolean> {
    this.dropIdle();
    return ((await this.#options.shared?.count()) ?? this.#worlds.size) >= this.max;
  }

  /** Drops worlds that are idle, not watched, and without an open request, if idle worlds are dropped. */
  dropIdle(): void {
    const { idleMs, wallNow } = this.#options;
    if (idleMs === undefined) return;
    const since = wallNow() - idleMs;
    for (const [id, world] of this.#worlds) {
      const isUsed = world.isWatched || this.#openRequests.has(id);
      if ((this.#touched.get(id) ?? 0) <= since && !isUsed) this.drop(id);
    }
  }

  /**
   * Makes a world with its own credentials. The server's settings are the defaults, also for each single
   * assumption; the seed is the world's own, so that its ids are not those of another world.
   */
  async create(made: Partial<WorldSettings> & { readonly name?: string }): Promise<World> {
    const number = await this.#newNumber();
    const id = `w${number}`;
    const { assumptions: defaults } = this.defaults;
    const settings = { ...this.defaults, seed: this.#ownSeed(number), ...made };
    const assumptions = { ...defaults, ...made.assumptions };
    return this.#stored(this.#add({ id, name: made.name ?? id, settings: { ...settings, assumptions } }));
  }

  /**
   * Makes a world with its own credentials that continues from the present state of another world. Its new ids come
   * from its own seed. With the seed of the other world, both worlds draw the same ids.
   */
  async fork(world: World, seed?: number): Promise<World> {
    const number = await this.#newNumber();
    const id = `w${number}`;
    const settings = { ...world.settings, seed: seed ?? this.#ownSeed(number), mode: world.clock.mode };
    return this.#stored(this.#add({ id, name: `${world.name} (fork)`, settings }, { forkOf: world }));
  }

  /** Drops a world and everything in it; the default world stays. */
  drop(id: string): boolean {
    const world = this.#worlds.get(id);
    if (id === DEFAULT_WORLD || world === undefined) return false;
    world.close();
    this.#options.log?.({ kind: "dropped", world: id });
    this.#touched.delete(id);
    return this.#worlds.delete(id);
  }

  /**
   * The world that a token or client id belongs to: its suffix names it, and without one it is the default. Undefined
   * if another server has that world.
   */
  ofCredential(credential: string): World | undefined {
    const id = worldIdIn(credential);
    return (id === undefined ? undefined : this.get(id)) ?? this.#worlds.get(DEFAULT_WORLD);
  }

  /** Resumes a saved world; a read-only one is not changed by its timers. */
  adopt(saved: SavedWorld, { isReadOnly = false } = {}): World {
    return this.#add(saved, { saved, isReadOnly });
  }

  /** Removes a world that another server owns: later events of it here are ignored. */
  release(id: string): void {
    const world = this.#worlds.get(id);
    if (world === undefined) return;
    this.#worlds.delete(id);
    this.#touched.delete(id);
    world.close();
  }

  /** All worlds between two commands. */
  saved(): SavedWorlds {
    return { made: this.#made, worlds: this.all().map((world) => world.saved()) };
  }

  /** Replaces all worlds by saved ones; later changes are lost. */
  rollBackTo(saved: SavedWorlds): void {
    const former = this.all();
    this.#worlds.clear();
    for (const world of former) world.close();
    this.#resume(saved);
  }

  close(): void {
    clearInterval(this.#sweep);
    for (const world of this.#worlds.values()) world.close();
  }

  /** A seed for the world of that number, drawn from the server's seed. */
  #ownSeed(number: number): number {
    return wordsOf(this.defaults.seed, "worlds")(number);
  }

  async #newNumber(): Promise<number> {
    return (await this.#options.shared?.nextNumber()) ?? ++this.#made;
  }

  async #stored(world: World): Promise<World> {
    await this.#options.shared?.stored(world.id);
    return world;
  }

  #resume({ made, worlds }: SavedWorlds): void {
    this.#made = made;
    for (const saved of worlds) this.#add(saved, { saved });
  }

  #add({ id, name, settings }: Pick<SavedWorld, "id" | "name" | "settings">, origin?: WorldOrigin): World {
    const credentialSuffix = id === DEFAULT_WORLD ? "" : `.${id}`;
    const made: { world?: World } = {};
    const log = (event: EventOfWorld): void => {
      // Changes of a world are not stored after its release, or if they belong to a state before a rollback.
      if (made.world !== undefined && this.#worlds.get(id) !== made.world) return;
      this.logged++;
      this.#options.log?.(event);
    };
    const world = new World({ ...this.#options, id, name, settings, credentialSuffix, log }, origin);
    this.#worlds.set(id, world);
    made.world = world;
    this.#touched.set(id, this.#options.wallNow());
    return world;
  }
}
