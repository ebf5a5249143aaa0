import { type AssumptionValues, assumedValues } from "../../simulator/platform/assumptions/assumptions.ts";
import { type Endpoint, instantOf, refuse, refuseUnknown, pathParameter } from "./endpoint.ts";
import type { ListedWorld } from "../../simulator/worlds/servers.ts";
import type { Problem } from "../../simulator/engine/refusal.ts";
import type { SimulationImage } from "../../simulator/engine/simulation.ts";
import type {
  Company,
  Snapshot,
  World as WorldShape,
  WorldRequest,
} from "../../simulator/api/generated/shapes.ts";
import type { World } from "../../simulator/worlds/world.ts";
import type { WorldEvent } from "../../simulator/worlds/saved-world.ts";
import type { WorldSettings } from "../../simulator/worlds/world-settings.ts";
import { type Worlds, DEFAULT_WORLD } from "../../simulator/worlds/worlds.ts";
import { accounts } from "../../simulator/platform/accounts/account.ts";
import { accessTokens } from "../../simulator/platform/companies/access-token.ts";
import { assertDefined } from "../../simulator/engine/assertion.ts";
import { clockOf } from "./clock.ts";
import { localDate } from "../../simulator/countries/brazil/calendar.ts";
import { DEFAULT_SERVER } from "../../simulator/api/openapi-document.ts";
import { companies } from "../../simulator/platform/companies/company.ts";
import { droppedSettings, keepSettings, settingsIn } from "./dropped-settings.ts";
import { foundValue } from "../../simulator/api/found-value.ts";
import { CLOCK_YEARS, formatInstant, isOnTheClock } from "../../simulator/engine/instant.ts";
import { isRecord } from "../../simulator/engine/json.ts";
import { pixKeys } from "../../simulator/platform/pix-keys/pix-key.ts";
import { mergedFixtures, type WrittenFixtures } from "../../simulator/platform/fixtures.ts";
import type { Fixtures } from "../../simulator/platform/seed.ts";
import { aboutField, fieldName } from "../../simulator/api/schema-errors.ts";
import { shapeProblems } from "../../simulator/api/validation.ts";
import { readAssumptions } from "../../simulator/platform/assumptions/reading.ts";
import { settingsOf, webhookOverride, webhookOverrides } from "../../simulator/platform/world-settings.ts";

/** Snapshots that one world keeps at a time. */
const SNAPSHOTS_MAX = 1_000;

const snapshotId = { id: pathParameter("The snapshot.", "s1") };

/** Worlds and their states: what makes, drops, resets, saves and restores them. */
export const worldEndpoints = {
  listWorlds: {
    method: "GET",
    path: "/sandbox/worlds",
    tag: "Worlds",
    summary: "List the worlds",
    description: "Each world has the server that has loaded it. Sleeping worlds stay asleep.",
    access: "admin",
    response: "WorldList",
    answer: async ({ worlds, servers }) => {
      const listed = (await servers.worlds?.()) ?? worlds.all().map((world) => ownWorld(world, servers.id));
      return { data: listed.map(worldShape) };
    },
  } satisfies Endpoint,
  createWorld: {
    method: "POST",
    path: "/sandbox/worlds",
    tag: "Worlds",
    summary: "Create a world",
    description: "The world has its own credentials.",
    access: "admin",
    request: "WorldRequest",
    response: "World",
    successStatus: 201,
    problems: ({ worlds, body }) => [
      ...assumptionProblems(worlds.defaults.assumptions, body.assumptions),
      ...fixtureProblems(worlds.fixtures, body.fixtures),
    ],
    answer: async ({ worlds, servers, body: { name, fixtures: written, ...settings } }) => {
      await refuseWhereFull(worlds);
      const fixtures = written && mergedOnce(written, worlds.fixtures).fixtures;
      const given = { ...(name !== undefined && { name }), ...(fixtures && { fixtures }) };
      const world = await worlds.create({ ...given, ...settingsFor(settings) });
      return worldShape(ownWorld(world, servers.id));
    },
  } satisfies Endpoint<"WorldRequest">,
  dropWorld: {
    method: "DELETE",
    path: "/sandbox/worlds/{id}",
    tag: "Worlds",
    summary: "Drop a world",
    description: "The default world cannot be dropped.",
    access: "admin",
    parameters: { id: pathParameter("The world.", "w1") },
    response: "Removed",
    errors: ["NOT_FOUND"],
    answer: ({ worlds, params: { id = "" } }) => {
      if (id === DEFAULT_WORLD) refuse("id", "The default world cannot be dropped. Reset it instead.");
      if (!worlds.drop(id)) refuseUnknown(`There is no world "${id}". GET /sandbox/worlds lists them.`);
      return { id, dropped: true };
    },
  } satisfies Endpoint,
  showSettings: {
    method: "GET",
    path: "/sandbox/settings",
    tag: "Worlds",
    summary: "Show the settings of the world",
    response: "WorldSettings",
    answer: ({ world }) => shownSettings(world),
  } satisfies Endpoint,
  changeSettings: {
    method: "PATCH",
    path: "/sandbox/settings",
    tag: "Worlds",
    summary: "Change the assumptions or the webhook URL of the world",
    description: "The change applies from now on, until a reset.",
    request: "SettingsRequest",
    response: "WorldSettings",
    problems: ({ world, body }) => assumptionProblems(assumedValues(world.records), body.assumptions),
    answer: ({ world, body: { assumptions, ...rest }, inbound }) => {
      const values = assumptions && readAssumptions(assumptions).values;
      world.changeSettings({ ...rest, ...(values && { assumptions: values }) }, inbound);
      return shownSettings(world);
    },
  } satisfies Endpoint<"SettingsRequest">,
  resetWorld: {
    method: "POST",
    path: "/sandbox/reset",
    tag: "Worlds",
    summary: "Reset the world to its start",
    description:
      "Removes every object, fault and plan. Settings that changed since the start are dropped, and `dropped` lists them. `keep: [settings]` keeps them.",
    request: "ResetRequest",
    response: "WorldReset",
    tool: { name: "reset" },
    answer: ({ world, body: { seed = world.settings.seed, keep = [] } }) => {
      const before = settingsIn(world);
      world.reset(undefined, seed);
      const changed = droppedSettings(before, settingsIn(world));
      const isKept = keep.includes("settings");
      if (isKept) keepSettings(world, changed);
      const dropped = isKept ? {} : changed;
      return { id: world.id, clock: clockOf({ world }), seed: world.settings.seed, dropped };
    },
  } satisfies Endpoint<"ResetRequest">,
  forkWorld: {
    method: "POST",
    path: "/sandbox/fork",
    tag: "Worlds",
    summary: "Create a world that continues from this one",
    description:
      "It draws new ids from its own seed. With the seed of its origin, it draws the same ids as the origin. Like an advance, it first waits for the webhooks in flight and records their outcomes in the origin.",
    request: "SeedRequest",
    response: "World",
    successStatus: 201,
    answer: async ({ world, worlds, servers, body: { seed } }) => {
      await refuseWhereFull(worlds);
      await world.settled();
      return worldShape(ownWorld(await worlds.fork(world, seed), servers.id));
    },
  } satisfies Endpoint<"SeedRequest">,
  listSnapshots: {
    method: "GET",
    path: "/sandbox/snapshots",
    tag: "Worlds",
    summary: "List the snapshots of the world",
    response: "SnapshotList",
    answer: ({ world }) => ({
      data: Array.from(world.snapshots.images, ([id, image]) => snapshotShape(id, image)),
    }),
  } satisfies Endpoint,
  takeSnapshot: {
    method: "POST",
    path: "/sandbox/snapshots",
    tag: "Worlds",
    summary: "Take a snapshot of the world",
    response: "Snapshot",
    successStatus: 201,
    answer: async ({ world }) => {
      await world.settled();
      if (world.snapshots.images.size >= SNAPSHOTS_MAX)
        refuse(
          "snapshots",
          `A world has at most ${SNAPSHOTS_MAX} snapshots. Remove one: DELETE /sandbox/snapshots/{id}.`,
          "LIMIT",
        );
      return snapshotOf(world, world.snapshots.take(world.image()));
    },
  } satisfies Endpoint,
  removeSnapshot: {
    method: "DELETE",
    path: "/sandbox/snapshots/{id}",
    tag: "Worlds",
    summary: "Remove a snapshot",
    parameters: snapshotId,
    response: "Removed",
    errors: ["NOT_FOUND"],
    answer: ({ world, params }) => {
      const { id } = snapshotOf(world, params["id"] ?? "");
      if (!world.snapshots.remove(id))
        refuse("id", `A reset restores the snapshot "${id}", so it cannot be removed.`);
      return { id, dropped: true };
    },
  } satisfies Endpoint,
  restoreSnapshot: {
    method: "POST",
    path: "/sandbox/snapshots/{id}/restore",
    tag: "Worlds",
    summary: "Restore a snapshot",
    description: "The world continues from the snapshot.",
    parameters: snapshotId,
    response: "RestoredSnapshot",
    errors: ["NOT_FOUND"],
    answer: async ({ world, params: { id = "" } }) => {
      const snapshot = snapshotOf(world, id);
      await world.settled();
      world.restore(id);
      return { ...snapshot, clock: clockOf({ world }) };
    },
  } satisfies Endpoint,
};

function ownWorld(world: World, server: string): ListedWorld {
  const { id, name } = world;
  return { id, name, server, ...worldSummary(world) };
}

/** Returns the data of a world that lists show in addition to its name and server. */
export function worldSummary(world: World): Pick<ListedWorld, "seed" | "clock" | "companies"> {
  return {
    seed: world.settings.seed,
    clock: { ...world.clock.state(), now: world.now },
    companies: companiesOf(world),
  };
}

const SHOWN_IN_SUMMARY: ReadonlySet<string> = new Set(
  [companies, accessTokens, accounts, pixKeys, webhookOverrides].map(({ name }) => name),
);

/** Whether an event changes what lists show of a world. */
export function changesSummary(event: WorldEvent): boolean {
  if (event.kind === "committed")
    return event.entry.changes.some(({ collection }) => SHOWN_IN_SUMMARY.has(collection));
  return !["token", "snapshot", "snapshot-removed"].includes(event.kind);
}

/** A world with the credentials of its companies, wherever it is. */
function worldShape(listed: ListedWorld): WorldShape {
  const { id, name, seed, clock, companies: list, server } = listed;
  return {
    id,
    name,
    seed,
    clock: { mode: clock.mode, now: formatInstant(clock.now) },
    companies: list,
    server,
    state: server === null ? "asleep" : "awake",
  };
}

/** The companies of a world with their credentials. */
export function companiesOf({ records }: World): Company[] {
  return Array.from(records.all(companies), ({ id, clientId, clientSecret, webhook }) => {
    const accountIds = records.find(accounts, "company", id).map((account) => account.id);
    return {
      id,
      clientId,
      clientSecret,
      token: assertDefined(
        Array.from(records.all(accessTokens)).find((token) => token.companyId === id),
        `a token of ${id}`,
      ).id,
      webhookSecret: webhook.secret,
      webhookUrl: webhookOverride(records) ?? webhook.url,
      accounts: accountIds,
      pixKeys: accountIds.flatMap((account) =>
        records.find(pixKeys, "account", account).map((pixKey) => pixKey.id),
      ),
    };
  });
}

/** Returns the server of a served document: the address of the request, and a token and the day of the world. */
export function describedServer(world: World | undefined, address: string) {
  const { origin: url } = new URL(address);
  if (world === undefined) return { ...DEFAULT_SERVER, url };
  const [company] = companiesOf(world);
  return { url, token: company?.token ?? DEFAULT_SERVER.token, today: localDate(world.now) };
}

/** Refuses a new world if the server has its maximum. */
async function refuseWhereFull(worlds: Worlds): Promise<void> {
  if (!(await worlds.isFull())) return;
  refuse(
    "worlds",
    `A server has at most ${worlds.max} worlds. Drop those you no longer need: DELETE /sandbox/worlds/{id}. With --world-idle, idle ones are dropped automatically.`,
    "LIMIT",
  );
}

function settingsFor({
  start,
  assumptions,
  ...rest
}: Omit<WorldRequest, "name" | "fixtures">): Partial<WorldSettings> {
  return {
    ...rest,
    ...(start !== undefined && { start: startOf(start) }),
    ...(assumptions !== undefined && { assumptions: readAssumptions(assumptions).values }),
  };
}

function startOf(start: string): number {
  const instant = instantOf(start);
  if (isOnTheClock(instant)) return instant;
  return refuse(
    "start",
    `start must be a timestamp with its offset in ${CLOCK_YEARS}, such as 2026-11-20T09:00:00-03:00; found ${foundValue(start)}.`,
  );
}

const merged = new WeakMap<WrittenFixtures, ReturnType<typeof mergedFixtures>>();

/** Joins the fixtures of a request once: its check and its answer need them. */
function mergedOnce(written: WrittenFixtures, present: Fixtures): ReturnType<typeof mergedFixtures> {
  const result = merged.get(written) ?? mergedFixtures(written, present);
  merged.set(written, result);
  return result;
}

/** Returns the mistakes of fixtures that the shape does not find. The shape reports the others. */
function fixtureProblems(present: Fixtures, written: unknown): Problem[] {
  if (written === undefined || shapeProblems("WorldFixtures", written).length > 0) return [];
  const { mistakes } = mergedOnce(written as WrittenFixtures, present);
  return mistakes.map(({ path, message }) => {
    const field = ["fixtures", ...path.map(String)];
    return { field: fieldName(field), issue: "INVALID", description: aboutField(field, message) };
  });
}

/** Returns the problems of the assumptions. The shape reports a value that is not an object. */
function assumptionProblems(present: AssumptionValues, written: unknown): Problem[] {
  if (!isRecord(written)) return [];
  const { mistakes } = readAssumptions(written, present);
  return mistakes.map((description) => ({ field: "assumptions", issue: "INVALID", description }));
}

function shownSettings({ records, settings, now }: World): object {
  return { seed: settings.seed, start: formatInstant(settings.start ?? now), ...settingsOf(records) };
}

function snapshotOf(world: World, id: string): Snapshot {
  const image = world.snapshots.images.get(id);
  return image === undefined
    ? refuseUnknown(`There is no snapshot "${id}". GET /sandbox/snapshots lists them.`)
    : snapshotShape(id, image);
}

function snapshotShape(id: string, image: SimulationImage): Snapshot {
  return { id, at: formatInstant(image.now) };
}
