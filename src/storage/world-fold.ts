import type { Change } from "../engine/store.ts";
import type { ClockState } from "../worlds/clock.ts";
import type { JournalEntry } from "../engine/journal.ts";
import type { SavedWorld, SavedWorlds, WorldEvent, WorldNews, WorldSettings } from "../worlds/saved-world.ts";
import type { SimulationImage } from "../engine/simulation.ts";
import type { AttemptInput } from "../webhooks/flight.ts";
import type { OpenedAttempt } from "../webhooks/opened-attempt.ts";
import type { StoredRecord } from "../engine/collection.ts";
import { Coverage } from "../worlds/coverage.ts";
import { assert } from "../engine/assertion.ts";

/** A world that is being built from its events. */
interface Building {
  name: string;
  settings: WorldSettings;
  clock: ClockState;
  seed: number;
  now: number;
  store: Map<string, Map<string, StoredRecord>>;
  dropped: number;
  entries: JournalEntry[];
  readonly snapshots: Map<string, SimulationImage>;
  readonly tokenExpiries: Map<string, number>;
  /** By delivery, the attempt that was opened last: its outcome may be missing. */
  readonly opened: Map<string, OpenedAttempt>;
}

/** Builds worlds from their events, for any storage. */
export class WorldFold {
  readonly #worlds = new Map<string, Building>();
  #made: number;

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

  /** Applies the next event. Throws where it contradicts the events before it. */
  take(event: WorldEvent): void {
    if (event.kind === "made")
      return this.#add(event.world, emptyImage(event.settings.seed, event.clock.now), event);
    if (event.kind === "forked") {
      const image = { ...imageOf(this.#world(event.from)), seed: event.settings.seed };
      this.#add(event.world, image, event);
      const { store } = this.#world(event.world);
      for (const change of event.renewed ?? []) apply(store, change);
      return;
    }
    const world = this.#world(event.world);
    switch (event.kind) {
      case "begun":
        Object.assign(world, openImage(emptyImage(world.settings.seed, event.at)));
        world.tokenExpiries.clear();
        world.opened.clear();
        return;
      case "committed":
        return commit(world, event.entry);
      case "clock":
        world.clock = event.clock;
        world.now = event.clock.now;
        return;
      case "settings":
        world.settings = event.settings;
        return;
      case "token":
        world.tokenExpiries.set(event.token, event.expiresAt);
        return;
      case "snapshot":
        world.now = event.now;
        world.snapshots.set(event.snapshot, imageOf(world));
        return;
      case "snapshot-removed":
        world.snapshots.delete(event.snapshot);
        return;
      case "restored":
        world.opened.clear();
        Object.assign(world, openImage(expected(world.snapshots.get(event.snapshot), event.snapshot)));
        return;
      case "dropped":
        this.#worlds.delete(event.world);
    }
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
  ) {
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

function commit(world: Building, entry: JournalEntry): void {
  const expectedNumber = world.dropped + world.entries.length + 1;
  if (entry.number !== expectedNumber)
    throw new Error(`found entry ${entry.number} instead of ${expectedNumber}`);
  const { order } = (entry.cause.input ?? {}) as Partial<AttemptInput>;
  if (order !== undefined) {
    // At the end, also where an earlier attempt of the delivery was opened before others.
    world.opened.delete(order.deliveryId);
    world.opened.set(order.deliveryId, { at: entry.at, order });
  }
  world.entries.push({ ...entry, changes: entry.changes.map((change) => apply(world.store, change)) });
  world.now = Math.max(world.now, entry.at);
}

/** Applies a change, and completes it with the previous record. */
function apply(store: Building["store"], { collection, id, after }: Change): Change {
  let records = store.get(collection);
  if (records === undefined) store.set(collection, (records = new Map()));
  const before = records.get(id);
  if (after === undefined) records.delete(id);
  else records.set(id, after);
  return { collection, id, ...(before && { before }), ...(after && { after }) };
}

/** What events replace in a world without naming what was there before. */
export type Bearing = Pick<SavedWorld, "clock" | "settings"> & { readonly now: number };

export function bearingOf({ clock, settings, image: { now } }: SavedWorld): Bearing {
  return { clock, settings, now };
}

/** The bearing of a world after an event; undefined before the first one. */
export function bearingAfter(bearing: Bearing | undefined, event: WorldNews): Bearing | undefined {
  if (event.kind === "made" || event.kind === "forked")
    return { clock: event.clock, settings: event.settings, now: event.clock.now };
  if (bearing === undefined) return undefined;
  if (event.kind === "committed") return { ...bearing, now: Math.max(bearing.now, event.entry.at) };
  if (event.kind === "clock") return { ...bearing, clock: event.clock, now: event.clock.now };
  if (event.kind === "settings") return { ...bearing, settings: event.settings };
  return event.kind === "begun" ? { ...bearing, now: event.at } : bearing;
}

/** An event that may have to be undone. */
export interface Undoable {
  readonly event: WorldNews;
  /** The world just before it, where the event does not say what it took away. */
  readonly before: SavedWorld | undefined;
}

/** Whether an event can be undone only with the world just before it. */
export function isUndoneByState({ kind }: WorldNews): boolean {
  return kind === "begun" || kind === "restored" || kind === "snapshot-removed";
}

/**
 * A world as it was before its last events, for reads: records that were deleted come back at the end of their
 * collections. Undefined where there was no such world, or where it is gone.
 */
export function undoneWorld(
  saved: SavedWorld,
  events: readonly Undoable[],
  { clock, settings, now }: Bearing,
): SavedWorld | undefined {
  let opened = openImage(saved.image);
  let { notes = [] } = saved.image.journal;
  let { tokenExpiries } = saved;
  let coverage = new Coverage(saved.coverage);
  let snapshots = new Map(saved.snapshots);
  for (const { event, before } of events.toReversed()) {
    if (event.kind === "made" || event.kind === "forked" || event.kind === "dropped") return undefined;
    if (before !== undefined) {
      opened = openImage(before.image);
      ({ notes = [] } = before.image.journal);
      ({ tokenExpiries } = before);
      snapshots = new Map(before.snapshots);
      coverage = new Coverage(before.coverage);
    }
    if (event.kind === "snapshot") snapshots.delete(event.snapshot);
    if (event.kind === "token") tokenExpiries = without(tokenExpiries, event.token);
    if (event.kind !== "committed") continue;
    undoEntry(opened, event.entry);
    coverage.entered(event.entry, -1);
  }
  const { journal, ...image } = imageOf({ ...opened, now });
  const last = journal.dropped + journal.entries.length;
  const kept = { ...journal, notes: notes.filter(({ after }) => after <= last) };
  const whole = { ...image, journal: kept };
  return {
    ...saved,
    clock,
    settings,
    image: whole,
    snapshots,
    tokenExpiries,
    coverage: coverage.counts(),
  };
}

function undoEntry({ store, dropped, entries }: Opened, { number, changes }: JournalEntry): void {
  const last = dropped + entries.length;
  assert(last === number, `the entry ${number} is undone before the entry ${last}`);
  for (const { collection, id, before } of changes.toReversed())
    apply(store, { collection, id, ...(before && { after: before }) });
  entries.pop();
}

function without<T>(all: ReadonlyMap<string, T>, name: string): Map<string, T> {
  const rest = new Map(all);
  rest.delete(name);
  return rest;
}

type Opened = Pick<Building, "seed" | "now" | "store" | "dropped" | "entries">;

/** A copy of an image that can be changed. */
function openImage({ seed, now, store, journal }: SimulationImage): Opened {
  const tables = new Map(Array.from(store, ([name, records]) => [name, new Map(records)]));
  return { seed, now, store: tables, dropped: journal.dropped, entries: [...journal.entries] };
}

function imageOf({ seed, now, store, dropped, entries }: Opened): SimulationImage {
  const tables = new Map(Array.from(store, ([name, records]) => [name, new Map(records)]));
  return { seed, now, store: tables, journal: { dropped, entries: [...entries] } };
}

function emptyImage(seed: number, now: number): SimulationImage {
  return { seed, now, store: new Map(), journal: { dropped: 0, entries: [] } };
}

function expected<T>(value: T | undefined, name: string): T {
  if (value === undefined) throw new Error(`${name} is used before it is created`);
  return value;
}
