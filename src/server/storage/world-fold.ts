import type { ClockState } from "../../simulator/worlds/clock.ts";
import type { SavedWorld, SavedWorlds, EventOfWorld } from "../../simulator/worlds/saved-world.ts";
import type { WorldSettings } from "../../simulator/worlds/world-settings.ts";
import type { AttemptInput, SavedExchange } from "../../simulator/webhooks/exchange.ts";
import { Journal, type JournalEntry } from "../../simulator/engine/journal.ts";
import { keepExpiry } from "../../simulator/worlds/token-expiries.ts";
import { patched, type PatchedChange } from "./record-patch.ts";
import { shared } from "../../simulator/engine/json.ts";
import { SIMULATION_LIMITS, type SimulationImage } from "../../simulator/engine/simulation.ts";
import { type Change, Store } from "../../simulator/engine/store.ts";

/**
 * A world that is being built from its events. Its snapshots share memory with it, like the snapshots of a running
 * world.
 */
interface Building {
  name: string;
  settings: WorldSettings;
  clock: ClockState;
  seed: number;
  now: number;
  store: Store;
  journal: Journal;
  readonly snapshots: Map<string, SimulationImage>;
  readonly tokenExpiries: Map<string, number>;
  /** The last opened attempt of each delivery. Its outcome may be missing. */
  readonly opened: Map<string, SavedExchange>;
}

/** Builds worlds from their events, for any storage. */
export class WorldFold {
  readonly #worlds = new Map<string, Building>();
  #made: number;

  /** Continues from saved worlds. */
  constructor({ made, worlds }: SavedWorlds) {
    this.#made = made;
    for (const { id, image, ...world } of worlds) {
      this.#worlds.set(id, {
        ...world,
        ...openImage(image),
        snapshots: new Map(world.snapshots),
        tokenExpiries: new Map(world.tokenExpiries),
        opened: new Map(world.opened?.map((one) => [one.order.deliveryId, one])),
      });
    }
  }

  /**
   * Applies the next event. Returns the entry of a committed event. Throws if the event contradicts the events before
   * it.
   */
  take(event: EventOfWorld): JournalEntry | undefined {
    if (event.kind === "made") {
      this.#add(event.world, emptyImage(event.settings.seed, event.clock.now), event);
      return undefined;
    }
    if (event.kind === "forked") {
      const image = { ...imageOf(this.#world(event.from)), seed: event.settings.seed };
      this.#add(event.world, image, event);
      const { store } = this.#world(event.world);
      for (const change of event.renewed ?? []) apply(store, change);
      return undefined;
    }
    const world = this.#world(event.world);
    switch (event.kind) {
      case "begun":
        Object.assign(world, openImage(emptyImage(world.settings.seed, event.at)));
        world.tokenExpiries.clear();
        world.opened.clear();
        break;
      case "committed":
        return commit(world, event.entry);
      case "answered":
        keepOutcome(world, event.attempt);
        break;
      case "clock":
        world.clock = event.clock;
        world.now = event.clock.now;
        break;
      case "moved":
        world.journal.note(event.note);
        break;
      case "settings":
        world.settings = event.settings;
        break;
      case "token":
        keepExpiry(world.tokenExpiries, event, world.store, world.snapshots);
        break;
      case "snapshot":
        world.now = event.now;
        world.snapshots.set(event.snapshot, imageOf(world));
        break;
      case "snapshot-removed":
        world.snapshots.delete(event.snapshot);
        break;
      case "restored":
        world.opened.clear();
        Object.assign(world, openImage(expected(world.snapshots.get(event.snapshot), event.snapshot)));
        break;
      case "dropped":
        this.#worlds.delete(event.world);
    }
    return undefined;
  }

  saved(): SavedWorlds {
    const worlds = Array.from(this.#worlds, ([id, world]): SavedWorld => {
      const { name, settings, clock, snapshots, tokenExpiries } = world;
      const opened = [...world.opened.values()];
      return { id, name, settings, clock, image: imageOf(world), snapshots, tokenExpiries, opened };
    });
    return { made: this.#made, worlds };
  }

  #add(
    id: string,
    image: SimulationImage,
    { name, settings, clock }: Pick<Building, "name" | "settings" | "clock">,
  ): void {
    const number = Number(/^w(\d+)$/.exec(id)?.[1] ?? 0);
    this.#made = Math.max(this.#made, number);
    const building = {
      name,
      settings,
      clock,
      ...openImage(image),
      snapshots: new Map(),
      tokenExpiries: new Map(),
      opened: new Map(),
    };
    this.#worlds.set(id, { ...building, now: clock.now });
  }

  #world(id: string): Building {
    return expected(this.#worlds.get(id), id);
  }
}

/** Keeps the outcome of an attempt. Its place among the opened attempts stays. */
function keepOutcome({ opened }: Building, attempt: SavedExchange): void {
  const { deliveryId, number } = attempt.order;
  if (opened.get(deliveryId)?.order.number === number) opened.set(deliveryId, attempt);
}

function commit(world: Building, made: JournalEntry): JournalEntry {
  const { store, journal } = world;
  if (made.number !== journal.nextNumber)
    throw new Error(`found entry ${made.number} instead of ${journal.nextNumber}`);
  const { order } = (made.cause.input ?? {}) as Partial<AttemptInput>;
  if (order !== undefined) {
    // At the end, also if an earlier attempt of the delivery was opened before others.
    world.opened.delete(order.deliveryId);
    world.opened.set(order.deliveryId, { at: made.at, order });
  }
  // The entry of a running world has the records themselves. An entry from a file gets the records of the store.
  let isRead = false;
  const changes = made.changes.map((change) => {
    const applied = apply(store, change);
    if (applied.before === change.before) return change;
    isRead = true;
    shared(applied.after, applied.before);
    return applied;
  });
  const entry = isRead ? { ...made, changes } : made;
  journal.append(entry);
  world.now = Math.max(world.now, entry.at);
  return entry;
}

function apply(store: Store, change: PatchedChange): Change {
  const { collection, id, patch } = change;
  if (patch === undefined) return store.apply(change);
  const before = store.get({ name: collection, indexes: {}, lifecycle: undefined }, id);
  return store.apply({ collection, id, after: patched(expected(before, `${collection} ${id}`), patch) });
}

function openImage({ seed, now, store, journal }: SimulationImage) {
  return { seed, now, store: Store.fromImage(store), journal: new Journal(SIMULATION_LIMITS, journal) };
}

function imageOf({ seed, now, store, journal }: ReturnType<typeof openImage>): SimulationImage {
  return { seed, now, store: store.image(), journal: journal.image() };
}

function emptyImage(seed: number, now: number): SimulationImage {
  return { seed, now, store: new Map(), journal: { dropped: 0, entries: [] } };
}

function expected<T>(value: T | undefined, name: string): T {
  if (value === undefined) throw new Error(`${name} is used before it is created`);
  return value;
}
