import type { OpenedWorlds, UnstoredOptions } from "../opened-worlds.ts";
import type { Log } from "../../base/log.ts";
import type { World } from "../../simulator/worlds/world.ts";
import type { DatabaseOptions } from "./postgres/connection.ts";
import { SharedAnswers } from "./shared-answer.ts";
import { Forwarder } from "./forwarding.ts";
import { JobThreads } from "../job-threads.ts";
import { PostgresStorage } from "./postgres/postgres-storage.ts";
import { SharedWorlds } from "./shared-worlds.ts";
import { networkInterfaces } from "node:os";
import { newServer } from "../../simulator/worlds/servers.ts";
import { setTimeout as pause } from "node:timers/promises";
import { Worlds } from "../../simulator/worlds/worlds.ts";

/** The settings of a server in a sandbox of several servers. */
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
  { transportOf, ...options }: UnstoredOptions,
  { url, schema, leaseMs, unloadAfterMs, advertise, log, given }: SharedSettings,
): Promise<OpenedWorlds> {
  const { id: server, version } = newServer();
  const storage = await PostgresStorage.open({ url, schema, log }, { server, leaseMs, version });
  const shared = new SharedWorlds({
    storage,
    log,
    leaseMs,
    unloadAfterMs,
    idleMs: options.idleMs,
    given,
  });
  const { membership } = shared;
  const worlds = new Worlds({
    ...options,
    wallNow: membership.wallNow,
    log: shared.loadedWorlds.log,
    transport: transportOf(([first]) => shared.isStored(first?.world)),
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
  return openedWorlds(shared, worlds, forwarder, { leaseMs, advertise, log });
}

/** Returns the worlds of this server, as the app uses them. */
function openedWorlds(
  shared: SharedWorlds,
  worlds: Worlds,
  forwarder: Forwarder,
  { leaseMs, advertise, log }: Pick<SharedSettings, "leaseMs" | "advertise" | "log">,
): OpenedWorlds {
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
      unready: () => shared.unready(),
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
    listens: (listening) => shared.listens(advertise ?? reachable(listening, log)),
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

/** The families of addresses that a server gets requests at, best first. A server on `::` also gets those of IPv4. */
const FAMILIES: Readonly<Record<string, readonly string[]>> = {
  "0.0.0.0": ["IPv4"],
  "[::]": ["IPv4", "IPv6"],
};

/** An address of one link. It means nothing on another machine. */
const LINK_LOCAL = /^(169\.254\.|fe[89ab])/i;

type Addresses = ReturnType<typeof networkInterfaces>;

/** Returns the URL of this machine for other machines, if a server listens on every address. */
export function reachable(listening: string, log: Log, interfaces: Addresses = networkInterfaces()): string {
  const url = new URL(listening);
  const families = FAMILIES[url.hostname];
  if (families === undefined) return listening;
  const outer = Object.values(interfaces)
    .flatMap((all = []) => all)
    .filter(({ address, internal }) => !internal && !LINK_LOCAL.test(address));
  for (const family of families) {
    const found = outer.find((one) => one.family === family);
    if (found === undefined) continue;
    url.hostname = family === "IPv6" ? `[${found.address}]` : found.address;
    return url.origin;
  }
  url.hostname = families.includes("IPv6") ? "[::1]" : "127.0.0.1";
  log.warn(
    {},
    `This machine has no address for other servers, so they are told ${url.origin}. Name the address with --advertise.`,
  );
  return url.origin;
}
