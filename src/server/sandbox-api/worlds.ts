import type { ListedWorld, Servers, WorldCard } from "../servers.ts";
import type { Problem } from "../../engine/refusal.ts";
import type { SimulationImage } from "../../engine/simulation.ts";
import type { World } from "../../worlds/world.ts";
import type { WorldNews, WorldSettings } from "../../worlds/saved-world.ts";
import { foundValue } from "../../api/found-value.ts";
import { accounts } from "../../platform/accounts/account.ts";
import { accessTokens } from "../../platform/companies/access.ts";
import { type AssumptionValues, assumedValues } from "../../platform/assumptions/assumptions.ts";
import { companies } from "../../platform/companies/company.ts";
import { DEFAULT_WORLD, type Worlds } from "../../worlds/worlds.ts";
import {
  type ControlRequest,
  type ControlRoutes,
  type ServerRequest,
  created,
  readSeed,
  refuse,
  refuseOthers,
  refuseProblems,
  refuseUnknown,
} from "./control.ts";
import { CLOCK_YEARS, formatInstant, isOnTheClock, parseInstant } from "../../engine/instant.ts";
import { isRecord } from "../../engine/json.ts";
import { readAssumptions } from "../../platform/assumptions/reading.ts";
import { companiesOf, worldShape } from "./answer-shapes.ts";
import { showClock } from "./clock.ts";
import { settingsOf } from "../../platform/world-settings.ts";
import { validateShape } from "../../api/validation.ts";

interface WorldRequest {
  readonly name?: string;
  readonly seed?: number;
  readonly start?: string;
  readonly mode?: "running" | "frozen";
  readonly assumptions?: Readonly<Record<string, unknown>>;
  readonly webhookUrl?: string | null;
}

interface SettingsRequest {
  readonly assumptions?: Readonly<Record<string, unknown>>;
  readonly webhookUrl?: string | null;
}

/** Snapshots that one world keeps at a time. */
const SNAPSHOTS_MAX = 1_000;

/** Worlds and their states: what makes, drops, resets, saves and restores them. */
export const worldRoutes = (servers: Servers): ControlRoutes => ({
  "GET /worlds": { summary: "List the worlds", answerServer: (request) => listWorlds(request, servers) },
  "POST /worlds": { summary: "Create a world", answerServer: (request) => makeWorld(request, servers) },
  "DELETE /worlds/:id": { summary: "Drop a world", answerServer: dropWorld },
  "GET /settings": { summary: "Show the settings of the world", answer: showSettings },
  "PATCH /settings": {
    summary: "Change the assumptions or the webhook URL of the world",
    answer: changeSettings,
  },
  "POST /reset": { summary: "Reset the world to its start", answer: reset },
  "POST /fork": {
    summary: "Create a world that continues from this one",
    answer: (request) => forkWorld(request, servers),
  },
  "GET /snapshots": { summary: "List the snapshots of the world", answer: listSnapshots },
  "POST /snapshots": { summary: "Take a snapshot of the world", answer: takeSnapshot },
  "DELETE /snapshots/:id": { summary: "Remove a snapshot", answer: removeSnapshot },
  "POST /snapshots/:id/restore": { summary: "Restore a snapshot", answer: restoreSnapshot },
});

/** Each world with the server that has it, wherever it is; one that is asleep is not woken. */
async function listWorlds({ worlds }: ServerRequest, servers: Servers): Promise<object> {
  const listed = (await servers.worlds?.()) ?? worlds.all().map((world) => ownWorld(world, servers.id));
  return { data: listed.map(worldShape) };
}

function ownWorld(world: World, server: string): ListedWorld {
  const { id, name } = world;
  return { id, name, server, ...worldCard(world) };
}

/** What lists show of a world besides its name and place. */
export function worldCard(world: World): WorldCard {
  return {
    seed: world.settings.seed,
    clock: { ...world.clockState, now: world.now },
    companies: companiesOf(world),
  };
}

const ON_CARD: ReadonlySet<string> = new Set([companies.name, accessTokens.name, accounts.name]);

/** Whether an event changes what lists show of a world. */
export function isOnCard(event: WorldNews): boolean {
  if (event.kind === "committed")
    return event.entry.changes.some(({ collection }) => ON_CARD.has(collection));
  return !["token", "snapshot", "snapshot-removed"].includes(event.kind);
}

/** `{name?, seed?, start?, mode?, assumptions?, webhookUrl?}` */
async function makeWorld(request: ServerRequest, { id }: Servers): Promise<Response> {
  const { worlds, body } = request;
  refuseProblems([
    ...validateShape("WorldRequest", body),
    ...assumptionProblems(worlds.defaults.assumptions, body["assumptions"]),
  ]);
  await refuseWhereFull(worlds);
  const { name, ...settings } = body as WorldRequest;
  const world = await worlds.create({ ...(name !== undefined && { name }), ...worldSettings(settings) });
  return created(request, worldShape(ownWorld(world, id)));
}

/** Refuses where the server has as many worlds as it can. */
async function refuseWhereFull(worlds: Worlds): Promise<void> {
  if (!(await worlds.isFull())) return;
  refuse(
    "worlds",
    `A server has at most ${worlds.max} worlds. Drop those you no longer need: DELETE /sandbox/worlds/{id}. Idle ones are dropped automatically, by default after an hour (--world-idle).`,
    "LIMIT",
  );
}

function dropWorld({ worlds, params }: ServerRequest): object {
  const id = params["id"] ?? "";
  if (id === DEFAULT_WORLD) refuse("id", "The default world cannot be dropped. Reset it instead.");
  if (!worlds.drop(id)) refuseUnknown(`There is no world "${id}". GET /sandbox/worlds lists them.`);
  return { id, dropped: true };
}

function worldSettings({ start, assumptions, ...rest }: Omit<WorldRequest, "name">): Partial<WorldSettings> {
  return {
    ...rest,
    ...(start !== undefined && { start: startOf(start) }),
    ...(assumptions !== undefined && { assumptions: readAssumptions(assumptions).values }),
  };
}

function startOf(start: string): number {
  const instant = parseInstant(start);
  if (instant !== undefined && isOnTheClock(instant)) return instant;
  const bounds = instant === undefined ? "" : ` in ${CLOCK_YEARS}`;
  return refuse(
    "start",
    `start must be a timestamp with its offset${bounds}, such as 2026-11-20T09:00:00-03:00; found ${foundValue(start)}.`,
  );
}

/** What is wrong with the assumptions; that they are no object is a problem of the shape. */
function assumptionProblems(present: AssumptionValues, written: unknown): Problem[] {
  if (!isRecord(written)) return [];
  const { mistakes } = readAssumptions(written, present);
  return mistakes.map((description) => ({ field: "assumptions", issue: "INVALID", description }));
}

function showSettings({ world }: Pick<ControlRequest, "world">): object {
  const { records, settings } = world;
  return {
    seed: settings.seed,
    start: formatInstant(settings.start ?? world.now),
    ...settingsOf(records),
  };
}

/** `{assumptions?, webhookUrl?}`: applies to what happens from now on, until a reset. */
function changeSettings({ world, body, inbound }: ControlRequest): object {
  refuseProblems([
    ...validateShape("SettingsRequest", body),
    ...assumptionProblems(assumedValues(world.records), body["assumptions"]),
  ]);
  const { assumptions, ...rest } = body as SettingsRequest;
  const values = assumptions && readAssumptions(assumptions).values;
  world.changeSettings({ ...rest, ...(values && { assumptions: values }) }, inbound);
  return showSettings({ world });
}

/** `{seed?}` */
function reset({ world, body }: ControlRequest): object {
  refuseOthers(body, ["seed"]);
  const { seed = world.settings.seed } = body;
  world.reset(undefined, readSeed(seed));
  return { id: world.id, clock: showClock({ world }), seed: world.settings.seed };
}

function listSnapshots({ world }: ControlRequest): object {
  return { data: Array.from(world.snapshots.images, ([id, image]) => snapshotShape(id, image)) };
}

async function takeSnapshot(request: ControlRequest): Promise<Response> {
  const { world } = request;
  await world.settled();
  if (world.snapshots.images.size >= SNAPSHOTS_MAX)
    refuse(
      "snapshots",
      `A world has at most ${SNAPSHOTS_MAX} snapshots. Remove one: DELETE /sandbox/snapshots/{id}.`,
      "LIMIT",
    );
  const id = world.snapshots.take(world.image());
  return created(request, snapshotOf(world, id));
}

function removeSnapshot({ world, params }: ControlRequest): object {
  const { id } = snapshotOf(world, params["id"] ?? "");
  if (!world.snapshots.remove(id))
    refuse("id", `A reset restores the snapshot "${id}", so it cannot be removed.`);
  return { id, dropped: true };
}

async function restoreSnapshot({ world, params }: ControlRequest): Promise<object> {
  const id = params["id"] ?? "";
  const snapshot = snapshotOf(world, id);
  await world.settled();
  world.restore(id);
  return { ...snapshot, clock: showClock({ world }) };
}

/** `{seed?}` */
async function forkWorld(request: ControlRequest, { id }: Servers): Promise<Response> {
  const { world, worlds, body } = request;
  refuseOthers(body, ["seed"]);
  const seed = body["seed"] === undefined ? undefined : readSeed(body["seed"]);
  await refuseWhereFull(worlds);
  await world.settled();
  return created(request, worldShape(ownWorld(await worlds.fork(world, seed), id)));
}

function snapshotOf(world: World, id: string): ReturnType<typeof snapshotShape> {
  const image = world.snapshots.images.get(id);
  return image === undefined
    ? refuseUnknown(`There is no snapshot "${id}". GET /sandbox/snapshots lists them.`)
    : snapshotShape(id, image);
}

function snapshotShape(id: string, image: SimulationImage): { id: string; at: string } {
  return { id, at: formatInstant(image.now) };
}
