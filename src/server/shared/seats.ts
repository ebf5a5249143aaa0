import type { Log } from "../log.ts";
import type { Place } from "../../storage/postgres/world-rows.ts";
import type { PostgresStorage } from "../../storage/postgres/postgres-storage.ts";
import type { SavedWorld, WorldEvent } from "../../worlds/saved-world.ts";
import type { World } from "../../worlds/world.ts";
import type { Worlds } from "../../worlds/worlds.ts";
import { assertDefined } from "../../engine/assertion.ts";
import { type Bearing, bearingOf } from "../../storage/world-fold.ts";
import { isOnCard, worldCard } from "../../control/worlds.ts";
import { StoredWorld } from "../../storage/postgres/stored-world.ts";
import { WorldLost } from "../../storage/storage.ts";

/** A world that this server has, with the requests to it that are being answered. */
export interface Seat {
  readonly id: string;
  readonly stored: StoredWorld;
  /** It is held for reads, as it was before a change that could not be stored; a change loads it again. */
  readonly isHeld: boolean;
  inHand: number;
  /** While it is given back or dropped; then its place is to be looked up again. */
  changing: Promise<void> | undefined;
  /** When it was last asked, by the clock of this process. */
  touched: number;
  emptied: (() => void) | undefined;
}

interface SeatsOptions {
  readonly storage: PostgresStorage;
  readonly log: Log;
  /** Wall time without a request after which a world in which nothing is due goes to sleep. */
  readonly sleepMs: number;
}

/** How long the requests to a world may take while this server gives it back. */
const IN_HAND_TIMEOUT_MS = 10_000;

/** The worlds that this server has: each in memory, and with its place in the database. */
export class Seats {
  readonly #options: SeatsOptions;
  readonly #seats = new Map<string, Seat>();
  #worlds: Worlds | undefined;

  constructor(options: SeatsOptions) {
    this.#options = options;
  }

  get worlds(): Worlds {
    return assertDefined(this.#worlds, "the worlds of the server");
  }

  set worlds(worlds: Worlds) {
    this.#worlds = worlds;
  }

  get count(): number {
    return this.#seats.size;
  }

  get(id: string): Seat | undefined {
    return this.#seats.get(id);
  }

  all(): Seat[] {
    return [...this.#seats.values()];
  }

  remove(id: string): void {
    this.#seats.delete(id);
    this.worlds.release(id);
  }

  /** Stores what happens in the worlds of this server. */
  readonly log = (event: WorldEvent): void => {
    const { world: id, ...news } = event;
    let seat = this.#seats.get(id);
    if (seat === undefined) {
      if (event.kind !== "made" && event.kind !== "forked") return;
      const { server } = this.#options.storage;
      const image = { number: 0, records: 0 };
      const begin = { epoch: 1, head: 0, image, journal: [], snapshots: new Map<string, never>() };
      seat = this.#sit({ place: { id, server, ...begin } });
    }
    seat.stored.write(news);
    if (event.kind === "dropped") seat.changing = this.#drop(seat);
  };

  /** Runs a world that was loaded. */
  open(place: Place, saved: SavedWorld): World {
    this.worlds.release(place.id);
    this.#sit({ place, bearing: bearingOf(saved) });
    return this.worlds.adopt(saved);
  }

  /** Runs what answers a request in a world, which is not given back meanwhile. Throws a WorldLost where it just was. */
  async use<T>(seat: Seat, answer: () => T | Promise<T>): Promise<T> {
    if (this.#seats.get(seat.id) !== seat || seat.changing !== undefined)
      throw new WorldLost(`The world ${seat.id} is being given back.`);
    seat.inHand++;
    try {
      return await answer();
    } finally {
      seat.inHand--;
      seat.touched = performance.now();
      if (seat.inHand === 0) seat.emptied?.();
    }
  }

  /** Resolves once a world that was just made is stored; rejects where it could not be. */
  async storedNew(id: string): Promise<void> {
    const seat = this.#seats.get(id);
    if (seat === undefined) throw new WorldLost(`The world ${id} was not stored.`);
    await seat.stored.settled();
  }

  /** Puts worlds to sleep that nobody asks for and in which nothing is due. */
  sweep(wallMs: number): void {
    const { sleepMs } = this.#options;
    for (const seat of this.#seats.values()) {
      const world = this.worlds.here(seat.id);
      if (world === undefined || seat.inHand > 0 || seat.changing !== undefined || world.isWatched) continue;
      if (seat.isHeld) continue;
      if (performance.now() - seat.touched < sleepMs) continue;
      const { wakesAt } = world;
      if (wakesAt === undefined || wakesAt - wallMs > sleepMs) void this.giveBack(seat);
    }
  }

  /** Gives a world back once the requests in hand are answered: any server may load it then. */
  async giveBack(seat: Seat): Promise<void> {
    seat.changing ??= this.#release(seat);
    await seat.changing;
  }

  #sit({ place, ...how }: { place: Place; bearing?: Bearing; heldBy?: Error }): Seat {
    const { id } = place;
    const stored = new StoredWorld(this.#options.storage.database, {
      place,
      ...how,
      failed: (error) => this.#lose(id, stored, error),
    });
    const world = (): World => assertDefined(this.worlds.here(id), `the world ${id}`);
    stored.attach({
      saved: () => ({ ...world().saved(), coverage: world().coverage.counts() }),
      card: () => worldCard(world()),
      isOnCard,
      wakesAt: () => this.worlds.here(id)?.wakesAt ?? null,
    });
    const touched = performance.now();
    const isHeld = how.heldBy !== undefined;
    const seat: Seat = { id, stored, isHeld, inHand: 0, changing: undefined, touched, emptied: undefined };
    this.#seats.set(id, seat);
    return seat;
  }

  /**
   * What a world did last is not stored. Where another server has it, it is forgotten here. Otherwise it is undone and
   * held for reads until the world can be loaded again.
   */
  #lose(id: string, stored: StoredWorld, error: Error): void {
    if (this.#seats.get(id)?.stored !== stored) return;
    const undone = error instanceof WorldLost ? undefined : stored.undone();
    this.remove(id);
    if (error instanceof WorldLost) return;
    this.#options.log.warn({ world: id }, error.message);
    if (undone === undefined) return;
    const { saved, place, bearing } = undone;
    this.#sit({ place, bearing, heldBy: error });
    this.worlds.adopt(saved, { isHeld: true });
  }

  async #drop(seat: Seat): Promise<void> {
    await seat.stored.settled()?.catch(() => undefined);
    this.#seats.delete(seat.id);
  }

  async #release(seat: Seat): Promise<void> {
    const { id, stored } = seat;
    if (seat.inHand > 0) {
      const empty = Promise.withResolvers<void>();
      seat.emptied = empty.resolve;
      const timeout = setTimeout(empty.resolve, IN_HAND_TIMEOUT_MS);
      await empty.promise;
      clearTimeout(timeout);
    }
    try {
      // What is opened in turns is opened in the order of the commands here, and not by the server that loads it.
      const world = this.worlds.here(id);
      await world?.ready();
      await world?.answeredSoon();
      // What a held world would still have to do is in the database, and not here.
      await (seat.isHeld ? this.#options.storage.unclaim(stored) : stored.release());
    } catch (error) {
      // Whether the world is still this server's is not known: it is looked up when it is needed.
      stored.abandon(new WorldLost(`The world ${id} was given back: ${(error as Error).message}`));
    }
    if (this.#seats.get(id) === seat) this.remove(id);
  }
}
