import type { ClockState } from "../worlds/clock.ts";
import type { SavedWorld, SavedWorlds, WorldEvent, WorldNews, WorldSettings } from "../worlds/saved-world.ts";
import type { AttemptInput, OpenedAttempt } from "../webhooks/pending-attempt.ts";
import { assert } from "../engine/assertion.ts";
import { Coverage } from "../worlds/coverage.ts";
import { Journal, type JournalEntry } from "../engine/journal.ts";
import { requireMemory } from "./storage.ts";
import { shared } from "../engine/json.ts";
import { SIMULATION_LIMITS, type SimulationImage } from "../engine/simulation.ts";
import { Store } from "../engine/store.ts";

/** A world that is being built from its events. Its snapshots share memory with it as they do in one that runs. */
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
  /** By delivery, the attempt that was opened last: its outcome may be missing. */
  readonly opened: Map<string, OpenedAttempt>;
}

/** Builds worlds from their events, for any storage. */
export class WorldFold {
  readonly #what: string;
  readonly #worlds = new Map<string, Building>();
  #made: number;

  /** Continues from what was saved; `what` names what is loaded, in the refusal if memory runs out. */
  constructor(what: string, { made, worlds }: SavedWorlds) {
    this.#what = what;
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

  /** Applies the next event. Throws if it contradicts the events before it, and if memory runs out. */
  take(event: WorldEvent): void {
    requireMemory(this.#what);
    if (event.kind === "made")
      return this.#add(event.world, emptyImage(event.settings.seed, event.clock.now), event);
    if (event.kind === "forked") {
      const image = { ...imageOf(this.#world(event.from)), seed: event.settings.seed };
      this.#add(event.world, image, event);
      const { store } = this.#world(event.world);
      for (const change of event.renewed ?? []) store.apply(change);
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
      case "moved":
        world.journal.note(event.note);
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
  const { store, journal } = world;
  if (entry.number !== journal.nextNumber)
    throw new Error(`found entry ${entry.number} instead of ${journal.nextNumber}`);
  const { order } = (entry.cause.input ?? {}) as Partial<AttemptInput>;
  if (order !== undefined) {
    // At the end, also if an earlier attempt of the delivery was opened before others.
    world.opened.delete(order.deliveryId);
    world.opened.set(order.deliveryId, { at: entry.at, order });
  }
  const changes = entry.changes.map((change) => {
    const applied = store.apply(change);
    shared(applied.after, applied.before);
    return applied;
  });
  journal.append({ ...entry, changes });
  world.now = Math.max(world.now, entry.at);
}

/** What events replace in a world without naming what was there before. */
export type ReplacedState = Pick<SavedWorld, "clock" | "settings"> & { readonly now: number };

export function replacedStateOf({ clock, settings, image: { now } }: SavedWorld): ReplacedState {
  return { clock, settings, now };
}

/** The same of a world after an event; undefined before the first one. */
export function replacedStateAfter(
  replaced: ReplacedState | undefined,
  event: WorldNews,
): ReplacedState | undefined {
  if (event.kind === "made" || event.kind === "forked")
    return { clock: event.clock, settings: event.settings, now: event.clock.now };
  if (replaced === undefined) return undefined;
  if (event.kind === "committed") return { ...replaced, now: Math.max(replaced.now, event.entry.at) };
  if (event.kind === "clock") return { ...replaced, clock: event.clock, now: event.clock.now };
  if (event.kind === "settings") return { ...replaced, settings: event.settings };
  return event.kind === "begun" ? { ...replaced, now: event.at } : replaced;
}

/** An event that may have to be undone. */
export interface Undoable {
  readonly event: WorldNews;
  /** The world just before it, if the event does not say what it took away. */
  readonly before: SavedWorld | undefined;
}

/** Whether an event can be undone only with the world just before it. */
export function isUndoneByState({ kind }: WorldNews): boolean {
  return kind === "begun" || kind === "restored" || kind === "snapshot-removed";
}

/**
 * A world as it was before its last events, for reads: records that were deleted come back at the end of their
 * collections. Undefined if there was no such world, or if it is gone.
 */
export function undoneWorld(
  saved: SavedWorld,
  events: readonly Undoable[],
  { clock, settings, now }: ReplacedState,
): SavedWorld | undefined {
  let undone = undoable(saved.image);
  let { tokenExpiries } = saved;
  let coverage = new Coverage(saved.coverage);
  let snapshots = new Map(saved.snapshots);
  for (const { event, before } of events.toReversed()) {
    if (event.kind === "made" || event.kind === "forked" || event.kind === "dropped") return undefined;
    if (before !== undefined) {
      undone = undoable(before.image);
      ({ tokenExpiries } = before);
      snapshots = new Map(before.snapshots);
      coverage = new Coverage(before.coverage);
    }
    if (event.kind === "snapshot") snapshots.delete(event.snapshot);
    if (event.kind === "token") tokenExpiries = without(tokenExpiries, event.token);
    if (event.kind !== "committed") continue;
    undoEntry(undone, event.entry);
    coverage.entered(event.entry, -1);
  }
  const { seed, store, dropped, entries } = undone;
  const last = dropped + entries.length;
  const notes = undone.notes.filter(({ after }) => after <= last);
  const image = { seed, now, store: store.image(), journal: { dropped, entries, notes } };
  return { ...saved, clock, settings, image, snapshots, tokenExpiries, coverage: coverage.counts() };
}

type Undone = ReturnType<typeof undoable>;

function undoable({ seed, store, journal: { dropped, entries, notes = [] } }: SimulationImage) {
  return { seed, store: Store.fromImage(store), dropped, entries: [...entries], notes };
}

function undoEntry({ store, dropped, entries }: Undone, { number, changes }: JournalEntry): void {
  const last = dropped + entries.length;
  assert(last === number, `the entry ${number} is undone before the entry ${last}`);
  for (const { collection, id, before } of changes.toReversed())
    store.apply({ collection, id, ...(before && { after: before }) });
  entries.pop();
}

function without<T>(all: ReadonlyMap<string, T>, name: string): Map<string, T> {
  const rest = new Map(all);
  rest.delete(name);
  return rest;
}

function openImage({ seed, now, store, journal }: SimulationImage): Opened {
  return { seed, now, store: Store.fromImage(store), journal: new Journal(SIMULATION_LIMITS, journal) };
}

function imageOf({ seed, now, store, journal }: Opened): SimulationImage {
  return { seed, now, store: store.image(), journal: journal.image() };
}

type Opened = Pick<Building, "seed" | "now" | "store" | "journal">;

function emptyImage(seed: number, now: number): SimulationImage {
  return { seed, now, store: new Map(), journal: { dropped: 0, entries: [] } };
}

function expected<T>(value: T | undefined, name: string): T {
  if (value === undefined) throw new Error(`${name} is used before it is created`);
  return value;
}
