import type { ControlRequest } from "./control.ts";
import type { SimulationImage } from "../core/simulation.ts";
import type { World } from "../worlds/world.ts";
import type { Worlds } from "../worlds/worlds.ts";
import { Created, refuse, refuseUnknown } from "./control.ts";
import { formatInstant } from "../core/instant.ts";
import { showClock } from "./clock.ts";
import { worldShape } from "./worlds.ts";

/** Snapshots that one world keeps at a time. */
const SNAPSHOTS_MAX = 1_000;

interface Snapshot {
  readonly id: string;
  readonly image: SimulationImage;
}

/** The snapshots of each world; they go with it. */
const snapshots = new WeakMap<World, Map<string, Snapshot>>();

/** `GET /sandbox/snapshots` */
export function listSnapshots({ world }: ControlRequest): object {
  return { data: [...snapshotsOf(world).values()].map(snapshotShape) };
}

/** `POST /sandbox/snapshots`: `{id, at}` */
export async function takeSnapshot({ world }: ControlRequest): Promise<Created> {
  await world.settled();
  const taken = snapshotsOf(world);
  if (taken.size >= SNAPSHOTS_MAX)
    refuse("snapshots", `A world keeps ${SNAPSHOTS_MAX} snapshots. Drop the world, or make a new one.`);
  const snapshot = { id: `s${taken.size + 1}`, image: world.image() };
  taken.set(snapshot.id, snapshot);
  return new Created(snapshotShape(snapshot));
}

/** `POST /sandbox/snapshots/{id}/restore`: the world goes on from there. */
export async function restoreSnapshot({ world, params }: ControlRequest): Promise<object> {
  const id = params["id"] ?? "";
  const snapshot = snapshotsOf(world).get(id);
  if (snapshot === undefined)
    refuseUnknown(`There is no snapshot "${id}". GET /sandbox/snapshots lists them.`);
  await world.settled();
  world.restore(snapshot.image);
  return { ...snapshotShape(snapshot), clock: showClock({ world }) };
}

/** `POST /sandbox/fork`: a new world that goes on from this one as it stands. */
export async function forkWorld(worlds: Worlds, { world }: ControlRequest): Promise<Created> {
  await world.settled();
  return new Created(worldShape(worlds.fork(world, world.image())));
}

function snapshotsOf(world: World): Map<string, Snapshot> {
  let taken = snapshots.get(world);
  if (taken === undefined) snapshots.set(world, (taken = new Map()));
  return taken;
}

function snapshotShape({ id, image }: Snapshot): { id: string; at: string } {
  return { id, at: formatInstant(image.now) };
}
