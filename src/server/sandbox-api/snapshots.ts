import type { ControlRequest } from "./control.ts";
import type { SimulationImage } from "../../engine/simulation.ts";
import type { World } from "../../worlds/world.ts";
import type { Worlds } from "../../worlds/worlds.ts";
import { Created, refuse, refuseUnknown } from "./control.ts";
import { formatInstant } from "../../engine/instant.ts";
import { showClock } from "./clock.ts";
import { requireRoom, worldShape } from "./worlds.ts";

/** Snapshots that one world keeps at a time. */
const SNAPSHOTS_MAX = 1_000;

/** `GET /sandbox/snapshots` */
export function listSnapshots({ world }: ControlRequest): object {
  return { data: Array.from(world.snapshots, ([id, image]) => snapshotShape(id, image)) };
}

/** `POST /sandbox/snapshots`: `{id, at}` */
export async function takeSnapshot({ world }: ControlRequest): Promise<Created> {
  await world.settled();
  if (world.snapshots.size >= SNAPSHOTS_MAX)
    refuse("snapshots", `A world keeps ${SNAPSHOTS_MAX} snapshots. Drop the world, or make a new one.`);
  const id = world.takeSnapshot();
  return new Created(snapshotOf(world, id));
}

/** `POST /sandbox/snapshots/{id}/restore`: the world goes on from there. */
export async function restoreSnapshot({ world, params }: ControlRequest): Promise<object> {
  const id = params["id"] ?? "";
  const snapshot = snapshotOf(world, id);
  await world.settled();
  world.restore(id);
  return { ...snapshot, clock: showClock({ world }) };
}

/** `POST /sandbox/fork`: a new world that goes on from this one as it stands. */
export async function forkWorld(worlds: Worlds, { world }: ControlRequest): Promise<Created> {
  requireRoom(worlds);
  await world.settled();
  return new Created(worldShape(worlds.fork(world)));
}

function snapshotOf(world: World, id: string): ReturnType<typeof snapshotShape> {
  const image = world.snapshots.get(id);
  return image === undefined
    ? refuseUnknown(`There is no snapshot "${id}". GET /sandbox/snapshots lists them.`)
    : snapshotShape(id, image);
}

function snapshotShape(id: string, image: SimulationImage): { id: string; at: string } {
  return { id, at: formatInstant(image.now) };
}
