import type { Answer } from "../server/environment.ts";
import type { Sandbox } from "../access/sandbox-interface.ts";
import type { SandboxOptions } from "../settings/sandbox-options.ts";
import type { RunRecord } from "../tools/doubt/run-record.ts";
import type { Scenario } from "../tools/scenarios/scenario.ts";
import type { ScenarioLibrary } from "../tools/scenarios/scenario-library.ts";
import type { World } from "../worlds/world.ts";
import type { WorldSettings } from "../worlds/saved-world.ts";
import type { CallFaultListener } from "../server/interface/call-faults.ts";
import { type AppOptions, createApp } from "./app.ts";
import { applyGiven, type OpenedWorlds, openWorlds } from "../server/saved-worlds.ts";
import { isDatabaseUrl } from "../settings/data-location.ts";
import { controlClient } from "../control/client.js";
import { endedAttempts } from "../platform/webhook-events/delivery.ts";
import { withoutQrImages } from "../webhooks/qr-images.ts";
import { shownWorld } from "../worlds/shown-world.ts";
import { journalDigest } from "../worlds/timeline.ts";
import { loggedTransport, notSentLog } from "../server/logged-transport.ts";
import { loadFixtures } from "../access/fixture-files.ts";
import { memory } from "../process/memory.ts";
import { Connections } from "../webhooks/kept-connections.ts";
import { networkTransport } from "../webhooks/transport.ts";
import { parseInstant, durationMs } from "../engine/instant.ts";
import { createEgress } from "../webhooks/egress-guard.ts";
import { existsSync } from "node:fs";
import { extname } from "node:path";
import { OptionMistake, readListenOptions, readOptions, settings } from "../settings/settings.ts";
import { type MutantSetting, readMutant, withMutant } from "../tools/doubt/mutant-setting.ts";
import { readAssumptions } from "../platform/assumptions/reading.ts";
import { type Log, SILENCE } from "../server/log.ts";
import { withAccount, worldClient } from "./world-client.ts";
import { accounts } from "../platform/accounts/account.ts";
import { companiesOf } from "../control/worlds.ts";
import { PlayedWorld } from "../access/played-world.ts";
import { recordedSession } from "../control/recorded-session.ts";
import { DEFAULT_WORLD, type Worlds, type WorldsOptions } from "../worlds/worlds.ts";

export type { Sandbox, SandboxObject } from "../access/sandbox-interface.ts";

/** The module of the threads that run posted scenarios. */
const SCENARIO_THREAD = new URL(`./scenario-worker${extname(import.meta.url)}`, import.meta.url);

/** The number of the first journal entry after the fixtures. */
const FOUNDED = 2;

/**
 * Makes a sandbox. Rejects with an `OptionMistake` that names every wrong option.
 *
 * ```ts
 * await using sandbox = await createSandbox({ seed: 7, start: "2026-11-20T09:00:00-03:00" });
 * await sandbox.fetch("/order/v1/banking/accounts", { headers: { authorization: "Bearer acme-token" } });
 * await sandbox.advance("P1M");
 * ```
 */
export async function createSandbox(given: SandboxOptions = {}): Promise<Sandbox> {
  return (await openSandbox(given)).sandbox;
}

/** A sandbox for a module of this package that works with its world itself. */
interface OpenedSandbox {
  readonly sandbox: Sandbox;
  readonly worlds: Worlds;
}

/**
 * Begins with the present time of the machine and returns the wall time in milliseconds. It moves with the monotonic
 * clock: if the machine's clock is set, the running worlds do not move.
 */
function monotonicWallClock(): () => number {
  const beganMs = Date.now() - performance.now();
  return () => Math.floor(beganMs + performance.now());
}

/** As `createSandbox`, for a module of this package; `onCallFault` learns of the calls that faults touch. */
export async function openSandbox(
  given: SandboxOptions = {},
  onCallFault?: CallFaultListener,
): Promise<OpenedSandbox> {
  const { SANDBANK_MUTANT: mutant, SANDBANK_DOUBT_RECORD: recordFolder } = process.env;
  const options = readOptions(given);
  await checkStates(options.states);
  const opening = options.scenario === undefined ? undefined : await readOpening(options.scenario);
  const folder = options.fixtures ?? opening?.fixtures;
  const fixtures = loadFixtures(folder);
  const log = options.log ?? SILENCE;
  const logNotSent = options.log && notSentLog(options.log);
  // `listen` adds the sandbox's own port, which no webhook may call.
  const forbiddenPorts = new Set<number>();
  const allowList = options.egressAllow ?? [];
  const egress = createEgress({ allowList, forbiddenPorts, isContained: isContained() });
  const kept = new Connections({ keepAlive: true });
  // The recorder for SANDBANK_DOUBT_RECORD is loaded only if that variable is set.
  const record = recordFolder ? await openRecord(recordFolder) : undefined;
  const { Cluster } = await import("../cluster/cluster.ts");
  const cluster = await Cluster.open({
    worldRequests: options.worldRequests ?? settings["world-requests"].default,
    worldMemory: options.worldMemory,
    metrics: options.metrics ?? false,
  });
  const worldMax = options.worldDeliveries ?? settings["world-deliveries"].default;
  const worldsOptions: WorldsOptions = {
    isFull: cluster.isFull,
    fixtures,
    transport: cluster.counting(
      options.transport ?? loggedTransport(networkTransport(egress, { worldMax, kept }), log),
    ),
    wallNow: monotonicWallClock(),
    followers: {
      turnTimeoutMs: durationMs(options.clockTurnTimeout ?? settings["clock-turn-timeout"].default),
      leaseMs: durationMs(options.clockLease ?? settings["clock-lease"].default),
    },
    followerGone: (world, { id, name }) =>
      log.warn({ world, follower: id }, `The follower "${name}" of the clock was silent and is removed.`),
    opensFrozen: opening !== undefined,
    ...(options.worldIdle !== undefined && { idleMs: durationMs(options.worldIdle) }),
    ...(record && { consulted: record.consulted }),
    audit: (simulation, entry) => {
      options.audit?.(simulation, entry);
      if (record !== undefined)
        for (const { delivery, attempt } of endedAttempts(entry))
          record.attempted(simulation, delivery.event, { ...attempt, body: attempt.requestBody as string });
      logNotSent?.(simulation, entry);
    },
    defaults: worldSettings(options, {
      opening,
      mutant: mutant ? await readMutant(mutant) : undefined,
      record,
    }),
  };
  const { data } = options;
  const opened =
    data !== undefined && isDatabaseUrl(data)
      ? await cluster.openWorlds(worldsOptions, {
          ...sharedSettings(options),
          url: data,
          log,
          configure: (worlds) => applyGiven(worlds, options, worldsOptions.defaults),
        })
      : await openWorlds(worldsOptions, { data, given: options, log });
  const { worlds, servers } = opened;
  const library = openLibrary(opened.scenarios);
  const app = createApp(opened, {
    servers,
    layers: cluster.layers(opened),
    states: options.states ?? [],
    onCallFault,
    onAnswered: record?.answered,
    recordingOf: async (world) => {
      const { recordingOf } = await import("../tools/scenarios/recording/recording.ts");
      return recordingOf(await recordedSession(world, fixtures), folder);
    },
    openScenarios: library.open,
    ...(options.adminToken !== undefined && { adminToken: options.adminToken }),
  });
  const { adminToken, allowedHosts = [], origin } = options;
  const sandbox = sandboxOf({
    app,
    opened,
    adminToken,
    allowedHosts,
    origin,
    log,
    forbiddenPorts,
    kept,
    closeScenarios: library.close,
  });
  // Saved worlds have run it at their first start. Another server may have the default world.
  if (opening !== undefined && worlds.here(DEFAULT_WORLD)?.journal.nextNumber === FOUNDED) {
    const { playOpening } = await import("../tools/scenarios/opening.ts");
    await playOpening(opening, {
      world: new PlayedWorld(worlds.default),
      seed: worlds.default.settings.seed,
      fetch: (asked) => sandbox.fetch(asked),
      adminToken,
    });
    worlds.default.beginHere(worldsOptions.defaults.mode);
  }
  return { sandbox, worlds };
}

/** Opens the record of this sandbox for `sandbank doubt`. */
async function openRecord(folder: string): Promise<RunRecord> {
  const { RunRecord: Opened } = await import("../tools/doubt/run-record.ts");
  return new Opened(folder, withoutQrImages);
}

/** An in-process reset (fault: `reset` on the api) rejects as it does in `fetch`. */
function unlessReset(response: Response): Response {
  if (response.type !== "error") return response;
  throw new TypeError("fetch failed", {
    cause: Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" }),
  });
}

/** How this server takes part in a sandbox of several. */
function sharedSettings({ dataSchema, advertise, lease, worldSleep }: SandboxOptions) {
  return {
    schema: dataSchema ?? settings["data-schema"].default,
    advertise,
    leaseMs: durationMs(lease ?? settings.lease.default),
    unloadAfterMs: durationMs(worldSleep ?? settings["world-sleep"].default),
  };
}

interface Founding {
  readonly opening: Scenario | undefined;
  readonly mutant: MutantSetting | undefined;
  readonly record: RunRecord | undefined;
}

/** Returns the settings of the default world. They come from the options, the opening scenario, or the mutant. */
function worldSettings(options: SandboxOptions, { opening, mutant, record }: Founding): WorldSettings {
  const start = options.start ?? opening?.start;
  const { values, mistakes } = readAssumptions({ ...opening?.assumptions, ...options.assumptions });
  if (mistakes.length > 0) throw new OptionMistake(mistakes.join("\n"));
  record?.made(values);
  return {
    seed: options.seed ?? opening?.seed ?? 1,
    start: start === undefined ? null : (parseInstant(start) ?? null),
    mode: options.mode ?? "frozen",
    ...withMutant(mutant, values),
    webhookUrl: options.webhookUrl ?? opening?.webhookUrl ?? null,
  };
}

function activeAccounts({ records }: World): ReadonlySet<string> {
  return new Set(
    Array.from(records.all(accounts)).flatMap(({ id, status }) => (status === "ACTIVE" ? id : [])),
  );
}

/** Whether this process runs in a container, by the marks of Docker, Podman and the image. */
function isContained(): boolean {
  const isNamed = process.env["container"] !== undefined;
  return isNamed || existsSync("/.dockerenv") || existsSync("/run/.containerenv");
}

interface SandboxParts {
  readonly app: ReturnType<typeof createApp>;
  readonly opened: OpenedWorlds;
  readonly adminToken: string | undefined;
  readonly allowedHosts: readonly string[];
  readonly origin: string | undefined;
  readonly log: Log;
  readonly forbiddenPorts: Set<number>;
  readonly kept: Connections;
  readonly closeScenarios: () => Promise<void>;
}

/** The methods of the library, over the default world of this process. */
function sandboxOf({ app, opened, log, forbiddenPorts, kept, ...parts }: SandboxParts): Sandbox {
  const { adminToken, allowedHosts, closeScenarios } = parts;
  const { worlds } = opened;
  const closers: (() => Promise<void>)[] = [closeScenarios];
  // Of a shared store another server may have it.
  const home = worlds.here(DEFAULT_WORLD);
  const digest = (): string => journalDigest(shownWorld(worlds.default).journal.since(1));
  const reached = parts.origin === undefined ? {} : { origin: parts.origin };
  const fetch: Sandbox["fetch"] = async (input, init) =>
    unlessReset(await app.request(input, init, { ...reached }));
  const client = worldClient({
    client: controlClient({ url: "http://localhost", fetch, adminToken }),
    fetch,
    companies:
      home === undefined ? [] : companiesOf(home).map((one) => withAccount(one, activeAccounts(home))),
    seed: () => worlds.default.settings.seed,
    digest,
    listen: async (options = {}) => {
      // Tests in process need no port: what opens one is a seventh of an import.
      const { listen } = await import("../server/listen.ts");
      const { port = 0, host = settings.host.default } = readListenOptions(options);
      // A foreign page does not know the admin token, so with one the sandbox may have any name.
      const names = adminToken === undefined ? { names: [host, ...allowedHosts] } : {};
      const answer: Answer = (request, env) => app.fetch(request, { ...env, log, ...names, ...reached });
      const server = await listen(answer, { port, host });
      forbiddenPorts.add(server.port);
      const unwatch = memory.watch();
      closers.push(async () => {
        await server.close();
        unwatch();
      });
      await opened.listens(server.url);
      return { url: server.url };
    },
    close: async () => {
      await opened.leave();
      worlds.closing.abort("shutdown");
      for (const close of closers.splice(0)) await close();
      await opened.close();
      kept.destroy();
    },
  });
  return {
    ...client,
    digest: () => client.digest() as string,
    settled: () => worlds.here(DEFAULT_WORLD)?.settled() ?? client.settled(),
  };
}

/** Reads the opening scenario. The scenario modules are loaded only if there is one. */
async function readOpening(file: string): Promise<Scenario> {
  const { readOpening: read } = await import("../tools/scenarios/opening.ts");
  return read(file);
}

/** Refuses wrong state files at the start; their states are read when a verifier requests one. */
async function checkStates(paths: readonly string[] = []): Promise<void> {
  if (paths.length === 0) return;
  const { stateLibrary } = await import("../tools/pact/states/state-library.ts");
  await stateLibrary(paths);
}

/** The scenarios of a server, whose module is loaded when they are first needed. */
function openLibrary(shared: OpenedWorlds["scenarios"]): {
  open: AppOptions["openScenarios"];
  close: () => Promise<void>;
} {
  let opened: Promise<ScenarioLibrary> | undefined;
  return {
    open: () =>
      (opened ??= import("../tools/scenarios/scenario-library.ts").then(
        (module) => new module.ScenarioLibrary(SCENARIO_THREAD, shared),
      )),
    close: async () => (await opened)?.close(),
  };
}
