import type { OpenedWorlds } from "../opened-worlds.ts";
import type { StorageCounts } from "./metrics.ts";
import type { World } from "../../simulator/worlds/world.ts";
import type { DatabaseOptions } from "./postgres/database.ts";
import { SharedAnswers } from "./shared-answer.ts";
import { Forwarder } from "./forwarding.ts";
import { JobThreads } from "./job-threads.ts";
import { PostgresStorage } from "./postgres/postgres-storage.ts";
import { SharedWorlds } from "./shared-worlds.ts";
import { networkInterfaces } from "node:os";
import { newServer } from "../../simulator/worlds/servers.ts";
import { setTimeout as pause } from "node:timers/promises";
import { storedTransport } from "../../simulator/webhooks/transport.ts";
import { Worlds, type WorldsOptions } from "../../simulator/worlds/worlds.ts";

/** How a server takes part in a sandbox of several. */
export interface SharedSettings extends DatabaseOptions {
  readonly leaseMs: number;
  readonly unloadAfterMs: number;
  /** The address of this server for other servers. Default: the address of its port. */
  readonly advertise: string | undefined;
  /** The settings of this start. They replace those of the default world, each time it is loaded here. */
  readonly given: Parameters<World["reconfigure"]>[0];
}

/**
 * Opens the worlds of a database as one of its servers. Rejects with a StorageFailure if the database does not
 * answer, and with a FileMistakes if its tables cannot be used.
 */
export async function openSharedWorlds(
  worldsOptions: WorldsOptions,
  { url, schema, leaseMs, unloadAfterMs, advertise, log, given }: SharedSettings,
): Promise<OpenedWorlds & { readonly counts: () => StorageCounts }> {
  const { id: server, version } = newServer();
  const storage = await PostgresStorage.open({ url, schema, log }, { server, leaseMs, version });
  const shared = new SharedWorlds({
    storage,
    log,
    leaseMs,
    unloadAfterMs,
    idleMs: worldsOptions.idleMs,
    given,
  });
  const { membership } = shared;
  const worlds = new Worlds({
    ...worldsOptions,
    wallNow: membership.wallNow,
    log: shared.loadedWorlds.log,
    transport: storedTransport(worldsOptions.transport, ([first]) => shared.isStored(first?.world)),
    shared: {
      nextNumber: () => storage.nextNumber(),
      count: () => storage.count(),
      stored: (id) => shared.loadedWorlds.storedNew(id),
    },
  });
  const forwarder = new Forwarder();
  try {
    await shared.start(worlds);
  } catch (error) {
    await shared.close().catch(() => undefined);
    worlds.close();
    throw error;
  }
  return openedWorlds(shared, worlds, forwarder, { leaseMs, advertise });
}

/** Returns the worlds of this server, as the app uses them. */
function openedWorlds(
  shared: SharedWorlds,
  worlds: Worlds,
  forwarder: Forwarder,
  { leaseMs, advertise }: Pick<SharedSettings, "leaseMs" | "advertise">,
): OpenedWorlds & { readonly counts: () => StorageCounts } {
  const { membership, storage } = shared;
  return {
    worlds,
    routing: (answer) => new SharedAnswers(shared, { worlds, forwarder, leaseMs, answer }).answer,
    servers: {
      id: storage.server,
      list: async () => {
        await membership.heartbeat();
        return membership.servers;
      },
      worlds: () => shared.list(),
      get unavailable() {
        return shared.unavailable;
      },
      unready: () => shared.unready,
    },
    scenarios: {
      load: () => storage.scenarios(),
      keep: (name, text) => storage.keepScenario(name, text),
      threads: (file) => new JobThreads(file),
    },
    counts: () => ({
      roundTrips: storage.database.roundTrips,
      entries: worlds.logged,
      forwarded: shared.forwarded,
      takeovers: shared.takeovers,
    }),
    listens: (listening) => shared.listens(advertise ?? reachable(listening)),
    // Load balancers learn that this server is not ready. Requests that they still send are passed on.
    leave: async () => {
      await shared.leave();
      if (membership.others.length > 0) await pause(leaseMs);
    },
    close: async () => {
      // Worlds that were made here in the meantime are released too, with the time of their next timer.
      await shared.close();
      worlds.close();
      await forwarder.close();
    },
  };
}

/** Returns the URL of this machine for other machines, if a server listens on every address. */
function reachable(listening: string): string {
  const url = new URL(listening);
  if (!["0.0.0.0", "[::]"].includes(url.hostname)) return listening;
  const addresses = Object.values(networkInterfaces()).flatMap((all = []) => all);
  const outer = addresses.find(({ family, internal }) => family === "IPv4" && !internal);
  url.hostname = outer?.address ?? "127.0.0.1";
  return url.origin;
}
