import type { ClaimedWorld, PostgresStorage, Surroundings } from "../../storage/postgres/postgres-storage.ts";
import type { Log } from "../log.ts";
import type { ListedWorld, WorldCard } from "../../worlds/servers.ts";
import type { World } from "../../worlds/world.ts";
import { DEFAULT_WORLD, type Worlds } from "../../worlds/worlds.ts";
import { Membership } from "./membership.ts";
import { NOT_SENT, type Transport } from "../../webhooks/transport.ts";
import { type Seat, Seats } from "./seats.ts";
import { MemoryExceeded, StorageFailure, WorldLost } from "../../storage/storage.ts";
import { setTimeout as pause } from "node:timers/promises";

/** Where a request is answered: here, or by another server. */
export type Placement =
  | { readonly kind: "here"; readonly seat: Seat }
  | { readonly kind: "there"; readonly server: string; readonly url: string };

interface SharedWorldsOptions {
  readonly storage: PostgresStorage;
  readonly log: Log;
  readonly leaseMs: number;
  /** Wall time without a request after which a world in which nothing is due goes to sleep. */
  readonly sleepMs: number;
  /** Wall time after which a sleeping world is dropped; never by default. */
  readonly idleMs: number | undefined;
  /** Called with the default world each time this server loads it. */
  readonly openedDefault: (world: World) => void;
}

/** Worlds that are woken at a time because something is due in them. */
const DUE_MAX = 20;

/** How long a world that is due and cannot be loaded is left alone: it may be too large for this server. */
const RETRY_MS = 60_000;

/** Worlds that are given back at a time. */
const LEAVING_MAX = 8;

/** The ids that worlds have: the database need not be asked about any other, and knows not every character. */
const WORLD_ID = /^(default|w\d+)$/;

/** How long a request waits before it looks again for the owner of a world that does not answer. */
const RECHECK_MS = 100;

/**
 * The worlds of a sandbox that several servers run on one database, as one of these servers sees them: it has some,
 * loads others when a request or a timer needs them and no server has them, and knows who has the rest.
 */
export class SharedWorlds {
  readonly #options: SharedWorldsOptions;
  readonly #storage: PostgresStorage;
  readonly membership: Membership;
  readonly seats: Seats;
  /** Worlds whose load is going on. */
  readonly #loading = new Map<string, Promise<void>>();
  /** Who had a world when this server last looked. */
  readonly #owners = new Map<
    string,
    { readonly server: string; readonly url: string; readonly until: number }
  >();
  /** Worlds that were due and could not be loaded, with the time at which this server tries again. */
  readonly #failed = new Map<string, number>();
  #rechecking: Promise<void> | undefined;
  #dueTimer: NodeJS.Timeout | undefined;
  #sleepTimer: NodeJS.Timeout | undefined;
  #state: "starting" | "ready" | "stopping" | "closed" = "starting";
  #isOutdated = false;
  takeovers = 0;
  forwarded = 0;

  constructor(options: SharedWorldsOptions) {
    this.#options = options;
    this.#storage = options.storage;
    this.seats = new Seats(options);
    this.membership = new Membership({
      ...options,
      state: () => ({ worlds: this.seats.count, isStopping: this.isStopping }),
      running: () => this.#running(),
      renewed: (found) => this.#lookAround(found),
      expelled: () => {
        for (const { id, stored } of this.seats.all())
          stored.abandon(new WorldLost(`The world ${id} may have been taken over by another server.`));
      },
    });
  }

  /** Sends an attempt only once the change that caused it is stored; one that is not stored is never sent. */
  sendDurably(transport: Transport): Transport {
    return async (requests) => {
      const stored = this.seats.get(requests[0]?.world ?? "")?.stored;
      try {
        if (stored === undefined) return requests.map(() => NOT_SENT);
        await stored.settled();
        await this.membership.ensureLease();
      } catch (error) {
        // An attempt that did not leave has no outcome: the world goes on as if it had not been opened.
        stored?.abandon(error as Error);
        return requests.map(() => NOT_SENT);
      }
      return stored.failure === undefined ? transport(requests) : requests.map(() => NOT_SENT);
    };
  }

  /** Begins to run worlds. */
  async start(worlds: Worlds): Promise<void> {
    this.seats.worlds = worlds;
    await this.membership.join(null);
    const { sleepMs } = this.#options;
    this.#sleepTimer = setInterval(
      () => this.seats.sweep(this.membership.wallNow()),
      Math.min(30_000, sleepMs / 4),
    ).unref();
    const owner = await this.#storage.owner(DEFAULT_WORLD);
    if (owner === undefined) await this.#makeDefault();
    else if (owner.server === null) await this.#load(DEFAULT_WORLD);
  }

  /** Other servers reach this one at `url` from now on. */
  async listens(url: string): Promise<void> {
    await this.membership.join(url);
    this.#state = "ready";
  }

  get secret(): string {
    return this.#storage.secret;
  }

  get server(): string {
    return this.#storage.server;
  }

  get isStopping(): boolean {
    return this.#state === "stopping" || this.#state === "closed";
  }

  /** Why the sandbox cannot be used at the moment; undefined where it can. */
  get unavailable(): string | undefined {
    return this.#storage.database.away;
  }

  /** Why this server should be sent no requests; undefined where it should. */
  get unready(): string | undefined {
    if (this.#state === "starting") return "The server is starting.";
    if (this.#isOutdated)
      return "A newer version has migrated the tables of the database. Replace this server.";
    if (this.isStopping) return "The server is stopping.";
    return this.unavailable;
  }

  /** Every world, wherever it is. */
  async list(): Promise<ListedWorld[]> {
    return (await this.#storage.list()).map(({ id, name, card: text, server }) => {
      const card = JSON.parse(text) as WorldCard;
      const { mode, now, offsetMs } = card.clock;
      const present = mode === "frozen" ? now : Math.floor(this.membership.wallNow() + offsetMs);
      return { id, name, server, ...card, clock: { mode, now: present, offsetMs } };
    });
  }

  nextNumber(): Promise<number> {
    return this.#storage.nextNumber();
  }

  count(): Promise<number> {
    return this.#storage.count();
  }

  /**
   * Where a world is; a world that no server has is loaded here. Undefined where there is no such world. Rejects with
   * a StorageFailure where the database is needed and away.
   */
  async place(id: string): Promise<Placement | undefined> {
    if (!WORLD_ID.test(id)) return undefined;
    const until = performance.now() + this.#options.leaseMs;
    for (;;) {
      const seat = this.seats.get(id);
      const changing = this.#loading.get(id) ?? seat?.changing;
      if (changing !== undefined) {
        await changing.catch((error: unknown) => {
          if (!(error instanceof StorageFailure && seat?.isHeld)) throw error;
        });
        continue;
      }
      if (seat !== undefined) {
        if (!this.membership.isLeased) {
          await this.membership.beat();
          continue;
        }
        seat.touched = performance.now();
        return { kind: "here", seat };
      }
      const known = this.#owners.get(id);
      if (known !== undefined && known.until > performance.now()) return { kind: "there", ...known };
      this.#owners.delete(id);
      await this.membership.ensureLease();
      const owner = await this.#storage.owner(id);
      if (owner === undefined) {
        if (id !== DEFAULT_WORLD) return undefined;
        await this.#makeDefault();
        continue;
      }
      const { server, url } = owner;
      if (server !== null && server !== this.server) {
        if (url === null) {
          // It may be about to listen.
          if (performance.now() > until)
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
      // Another request may have begun to load it meanwhile.
      if (!this.#loading.has(id) && this.seats.get(id) === undefined) await this.#load(id);
    }
  }

  /** The owner of a world did not answer as such: it is looked up again, after a moment where it does not answer at all. */
  async moved(id: string, { isSilent }: { readonly isSilent: boolean }): Promise<void> {
    this.#owners.delete(id);
    if (!isSilent) return;
    this.#rechecking ??= pause(RECHECK_MS)
      .then(() => this.#storage.expelDead())
      .finally(() => {
        this.#rechecking = undefined;
      });
    await this.#rechecking;
  }

  /** Makes sure that the database is there before a request changes a world: what it cannot store has to be undone. */
  async reachStorage(): Promise<void> {
    await this.#storage.database.reach();
  }

  /** Loads a world again that is held for reads. Rejects with a StorageFailure where that is not possible yet. */
  async reload(id: string): Promise<void> {
    await (this.#loading.get(id) ?? this.#load(id));
  }

  /** Gives back every world, and loads none any more while another server can. */
  async leave(): Promise<void> {
    if (this.isStopping) return;
    this.#state = "stopping";
    await this.membership.beat().catch(() => undefined);
    const waiting = this.seats.all();
    await Promise.all(
      Array.from({ length: LEAVING_MAX }, async () => {
        for (let seat = waiting.pop(); seat !== undefined; seat = waiting.pop())
          await this.seats.giveBack(seat);
      }),
    );
  }

  async close(): Promise<void> {
    await this.leave();
    this.#state = "closed";
    for (const seat of this.seats.all()) await this.seats.giveBack(seat);
    clearTimeout(this.#dueTimer);
    clearInterval(this.#sleepTimer);
    await this.membership.leave();
    await this.#storage.database.close();
  }

  /** What a heartbeat shows of the worlds. */
  #lookAround({ servers, nextDue, isOutdated }: Surroundings): void {
    if (isOutdated) this.#giveWay();
    const alive = new Set(servers.map(({ id }) => id));
    for (const [id, { server }] of this.#owners) if (!alive.has(server)) this.#owners.delete(id);
    this.#scheduleDue(nextDue);
    this.#reloadHeld();
    const { idleMs, log } = this.#options;
    if (idleMs === undefined) return;
    void this.#storage.dropUnused(idleMs, DEFAULT_WORLD).catch((error: Error) => log.warn({}, error.message));
  }

  /** Leaves the worlds to servers that know the newer tables, and passes on what still comes. */
  #giveWay(): void {
    if (this.#isOutdated || this.isStopping) return;
    this.#isOutdated = true;
    this.#options.log.warn(
      {},
      "A newer version has migrated the tables of the database: this server gives back its worlds. Replace it by the newer version.",
    );
    void this.leave();
  }

  /** Wakes sleeping worlds in time; the next heartbeat looks again. */
  #scheduleDue(nextDue: number | null): void {
    clearTimeout(this.#dueTimer);
    if (nextDue === null || this.isStopping) return;
    const delayMs = Math.max(0, nextDue - this.membership.wallNow());
    if (delayMs > this.#options.leaseMs) return;
    this.#dueTimer = setTimeout(() => {
      void this.#wakeDue().catch((error: Error) => this.#options.log.warn({}, error.message));
    }, delayMs).unref();
  }

  async #wakeDue(): Promise<void> {
    for (let count = DUE_MAX; count === DUE_MAX && !this.isStopping;) {
      const { generation } = this.membership;
      const claimed = await this.#storage.claimDue(DUE_MAX, [...this.#running(), ...this.#failing()]);
      count = claimed.length;
      const loads = claimed.map(async (world) => {
        await this.#loadOnce(world.id, () => this.#open(world, generation)).catch((error: Error) => {
          this.#failed.set(world.id, performance.now() + RETRY_MS);
          this.#options.log.warn({ world: world.id }, error.message);
        });
      });
      await Promise.all(loads);
    }
  }

  /** The worlds that could not be woken a moment ago. */
  #failing(): string[] {
    for (const [id, until] of this.#failed) if (until < performance.now()) this.#failed.delete(id);
    return [...this.#failed.keys()];
  }

  /** The worlds that this server runs, or is about to. */
  #running(): string[] {
    const here = this.seats.all().flatMap(({ id, isHeld }) => (isHeld ? [] : [id]));
    return [...here, ...this.#loading.keys()];
  }

  #load(id: string): Promise<void> {
    return this.#loadOnce(id, async () => {
      const { generation } = this.membership;
      const claimed = await this.#storage.claim(id);
      if (claimed !== undefined) return this.#open(claimed, generation);
      // It was dropped, or another server has it: what is held here is not it any more.
      if (this.seats.get(id)?.isHeld) this.seats.remove(id);
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

  /** Loads and runs a world; `generation` is the one in which its claim was sent. */
  async #open(claimed: ClaimedWorld, generation: number): Promise<void> {
    const { id } = claimed;
    try {
      const { saved, place } = await this.#storage.load(claimed);
      // Another claim of this server may have overtaken this one.
      if ((this.seats.get(id)?.stored.epoch ?? 0) > claimed.epoch) return;
      // What came late may be older than what another server has made of the world: whoever needs it looks again.
      if (generation !== this.membership.generation) return;
      const world = this.seats.open(place, saved);
      if (id === DEFAULT_WORLD) this.#options.openedDefault(world);
    } catch (error) {
      this.seats.remove(id);
      await this.#storage.unclaim(claimed).catch(() => undefined);
      throw error instanceof MemoryExceeded ? new StorageFailure(error.message) : error;
    }
    if (!claimed.isTakeover) return;
    this.takeovers++;
    this.#options.log.info({ world: id }, `The world ${id} was taken over from a server that is gone.`);
  }

  async #makeDefault(): Promise<void> {
    const { worlds } = this.seats;
    const world = worlds.here(DEFAULT_WORLD) ?? worlds.makeDefault();
    // Another server may have made it at the same time; then this one is lost at once.
    await this.seats
      .get(world.id)
      ?.stored.settled()
      ?.catch((error: Error) => {
        if (!(error instanceof WorldLost)) throw error;
      });
  }

  /** Loads the worlds again whose last change could not be stored; the next heartbeat tries again. */
  #reloadHeld(): void {
    if (this.isStopping) return;
    for (const { id, isHeld } of this.seats.all()) if (isHeld) void this.reload(id).catch(() => undefined);
  }
}
