import type { ControlOptions } from "./server/sandbox-api/routes.ts";
import type { ProviderStates } from "./pact/states/provider-states.ts";
import type { Sandbox, SandboxObject } from "./sandbox-interface.ts";
import type { SandboxOptions } from "./sandbox-options.ts";
import type { Scenario } from "./scenarios/scenario.ts";
import type { ScenarioLibrary } from "./wiring/scenario-library.ts";
import type { WorldsOptions } from "./worlds/worlds.ts";
import { answerSaved, openSavedWorlds } from "./wiring/saved-worlds.ts";
import { Hono } from "hono";
import { ADMIN_TOKEN_HEADER } from "./server/sandbox-api/admin-guard.ts";
import { assumptionsOf, egressOf, idleOf, validateOptions, startOf } from "./sandbox-options.ts";
import { QuickRoutes } from "./server/quick-routes.ts";
import { served } from "./server/served.ts";
import { answerInbound } from "./server/inbound-requests.ts";
import { internalError, noSuchPath } from "./server/error-answer.ts";
import { journalDigest } from "./worlds/timeline.ts";
import { listen } from "./server/listen.ts";
import { loggedTransport } from "./wiring/logged-transport.ts";
import { loadFixtures } from "./worlds/fixture-files.ts";
import { mountControl } from "./server/sandbox-api/routes.ts";
import { mountDashboard } from "./ui/dashboard/routes.ts";
import { mountNoSuchControl } from "./server/sandbox-api/no-such-control.ts";
import { mountInterface } from "./server/interface/interface-routes.ts";
import { mountPact } from "./pact/pact-routes.ts";
import { mountPages } from "./server/payer-pages/routes.ts";
import { mountReference } from "./server/interface/reference.ts";
import { mountReferencePage } from "./ui/reference/routes.ts";
import { memory } from "./worlds/memory.ts";
import { networkTransport } from "./webhooks/transport.ts";
import { SILENCE } from "./server/log.ts";
import { Worlds } from "./worlds/worlds.ts";

export type { Sandbox, SandboxObject } from "./sandbox-interface.ts";

/** The number of the first journal entry after the fixtures were put in. */
const FOUNDED = 2;

/** The origin of requests that come from this process. */
const IN_PROCESS = "http://localhost";

/**
 * Makes a sandbox.
 *
 * ```ts
 * await using sandbox = await createSandbox({ seed: 7, start: "2026-11-20T09:00:00-03:00" });
 * await sandbox.fetch("/order/v1/banking/accounts", { headers: { authorization: "Bearer acme-token" } });
 * await sandbox.advance("P1M");
 * ```
 */
export async function createSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  validateOptions(options);
  await checkStates(options.states);
  const forbiddenPorts = new Set<number>();
  const egress = egressOf(options.egressAllow ?? [], forbiddenPorts);
  const log = options.log ?? SILENCE;
  const transport = options.transport ?? loggedTransport(networkTransport(egress), log);
  const opening = options.scenario === undefined ? undefined : await readOpening(options.scenario);
  const folder = options.fixtures ?? opening?.fixtures;
  const fixtures = loadFixtures(folder);
  const start = options.start ?? opening?.start;
  const mode = options.mode ?? "frozen";
  const worldsOptions: WorldsOptions = {
    fixtures,
    transport,
    wallNow: Date.now,
    opensFrozen: opening !== undefined,
    ...(options.worldIdle !== undefined && { idleMs: idleOf(options.worldIdle) }),
    ...(options.audit && { audit: options.audit }),
    defaults: {
      seed: options.seed ?? opening?.seed ?? 1,
      start: start === undefined ? null : startOf(start),
      mode,
      assumptions: assumptionsOf({ ...opening?.assumptions, ...options.assumptions }),
      webhookUrl: options.webhookUrl ?? opening?.webhookUrl ?? null,
    },
  };
  const { worlds, data } =
    options.data === undefined
      ? { worlds: new Worlds(worldsOptions) }
      : await openSavedWorlds(worldsOptions, { path: options.data, given: options, log });
  const app = createApp(worlds, {
    states: options.states ?? [],
    recordingOf: async (world) => {
      const { recordingOfWorld } = await import("./wiring/session-recording.ts");
      return recordingOfWorld(world, { fixtures, folder });
    },
    openShelf: openLibrary(),
    ...(options.adminToken !== undefined && { adminToken: options.adminToken }),
  });
  const durable = data === undefined ? app.fetch : answerSaved(data, { worlds, answer: app.fetch });
  const answer = answerInbound(worlds, durable);
  const closers: (() => Promise<void>)[] = [];

  const admin: Record<string, string> =
    options.adminToken === undefined ? {} : { [ADMIN_TOKEN_HEADER]: options.adminToken };

  async function request(path: string, init?: RequestInit): Promise<Response> {
    return answer(new Request(new URL(path, IN_PROCESS), init));
  }

  async function send(method: string, path: string, body?: object): Promise<SandboxObject> {
    const response = await request(path, {
      method,
      headers: admin,
      ...(body && { body: JSON.stringify(body) }),
    });
    const answer = (await response.json()) as SandboxObject;
    if (!response.ok) throw new Error(sentenceOf(answer));
    return answer;
  }

  const sandbox: Sandbox = {
    fetch: async (path, init) => unlessReset(await request(path, init)),
    act: (act, input = {}) => send("POST", `/sandbox/acts/${act}`, input),
    advance: (target) =>
      send("POST", "/sandbox/clock/advance", typeof target === "string" ? { by: target } : target),
    plan: (plan) => send("POST", "/sandbox/plans", plan),
    fault: (fault) => send("POST", "/sandbox/faults", fault),
    deliveries: async () => (await send("GET", "/sandbox/deliveries"))["data"] as SandboxObject[],
    ledger: () => send("GET", "/sandbox/ledger"),
    snapshot: () => send("POST", "/sandbox/snapshots"),
    restore: (snapshotId) => send("POST", `/sandbox/snapshots/${snapshotId}/restore`),
    fork: () => send("POST", "/sandbox/fork"),
    recording: async () => (await request("/sandbox/recording", { headers: admin })).text(),
    digest: () => journalDigest(worlds.default.journal.since(1)),
    reset: () => send("POST", "/sandbox/reset"),
    listen: async ({ port = 0, host = "127.0.0.1" } = {}) => {
      const server = await listen(served(answer, { log, clock: worlds.default }), { port, host });
      forbiddenPorts.add(server.port);
      const unwatch = memory.watch();
      closers.push(async () => {
        await server.close();
        unwatch();
      });
      return { url: server.url };
    },
    close: async () => {
      worlds.closing.abort();
      for (const close of closers.splice(0)) await close();
      worlds.close();
      await data?.close();
    },
    [Symbol.asyncDispose]: () => sandbox.close(),
  };
  if (opening !== undefined && worlds.default.journal.nextNumber === FOUNDED) {
    const { playOpening } = await import("./wiring/opening-scenario.ts");
    await playOpening(opening, {
      world: worlds.default,
      fetch: (path, init) =>
        sandbox.fetch(path, { ...init, headers: { ...(init?.headers as Record<string, string>), ...admin } }),
      fixtures,
    });
    worlds.default.beginHere(mode);
  }
  return sandbox;
}

/** Reads the scenario that a sandbox begins with; scenarios are loaded only where they are wanted. */
async function readOpening(file: string): Promise<Scenario> {
  const { readOpening: read } = await import("./wiring/opening-scenario.ts");
  return read(file);
}

/** States are read when a verifier asks for one; that a file is wrong is better said at once. */
async function checkStates(paths: readonly string[] = []): Promise<void> {
  if (paths.length === 0) return;
  const { stateLibrary } = await import("./wiring/provider-states.ts");
  stateLibrary(paths);
}

/** A network error in process (fault: reset on the api) is what `fetch` makes of one. */
function unlessReset(response: Response): Response {
  if (response.type !== "error") return response;
  throw new TypeError("fetch failed", {
    cause: Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" }),
  });
}

/** Every path of the server, over its worlds. */
function createApp(worlds: Worlds, { states, ...control }: ControlOptions & StatesOptions): Hono {
  const app = new Hono();
  const routes = new QuickRoutes(app);
  mountInterface(routes, worlds);
  mountControl(app, worlds, control);
  const answerNested = answerInbound(worlds, routes.app.fetch);
  mountPact(app, worlds, {
    request: (url, init) => answerNested(new Request(url, init)),
    openStates: () => openStates({ states, openShelf: control.openShelf }),
  });
  mountNoSuchControl(app, worlds);
  mountPages(app, worlds);
  mountDashboard(app, worlds);
  mountReference(app, worlds);
  mountReferencePage(app, worlds, { isOpen: control.adminToken === undefined });
  app.notFound((c) => noSuchPath(worlds, c));
  for (const one of [app, routes.app]) {
    one.onError((error, c) => internalError({ world: worlds.default, error, c }));
  }
  return routes.app;
}

interface StatesOptions {
  readonly states: readonly string[];
  readonly openShelf: () => Promise<ScenarioLibrary>;
}

/** The one shelf of scenarios of a server, opened when it is first asked for. */
function openLibrary(): StatesOptions["openShelf"] {
  let opened: Promise<ScenarioLibrary> | undefined;
  return () =>
    (opened ??= import("./wiring/scenario-library.ts").then((module) => new module.ScenarioLibrary()));
}

/** Provider states are scenarios, which serving does without: they are loaded when a verifier asks. */
async function openStates({ states, openShelf }: StatesOptions): Promise<ProviderStates> {
  const { providerStates } = await import("./wiring/provider-states.ts");
  const shelf = await openShelf();
  return providerStates(states, () => shelf.posted());
}

function sentenceOf(answer: SandboxObject): string {
  const details = (answer["details"] ?? []) as { description: string }[];
  return details.length > 0
    ? details.map(({ description }) => description).join(" ")
    : String(answer["message"]);
}
