import type { Layer, ReceivedRequest } from "./environment.ts";
import type { ChangeableSettings } from "../simulator/platform/world-settings.ts";
import type { Log } from "../base/log.ts";
import type { FileStorage } from "./storage/file-storage.ts";
import { type Saving, saveBeforeAnswer } from "./save-before-answer.ts";
import type { IsStored, Transport } from "../simulator/webhooks/transport.ts";
import { type Servers, newServer } from "../simulator/worlds/servers.ts";
import { Worlds, type WorldsOptions } from "../simulator/worlds/worlds.ts";

/** Counts of the changes that were stored and shared with other servers so far. */
export interface StorageCounts {
  readonly entries: number;
  readonly roundTrips: number;
  readonly forwarded: number;
  readonly takeovers: number;
}

/** The options of worlds whose storage is not open yet. It decides which attempts may be sent. */
export interface UnstoredOptions extends Omit<WorldsOptions, "transport"> {
  readonly transportOf: (isStored?: IsStored) => Transport;
}

/** The worlds of a server, in any storage. */
export interface OpenedWorlds {
  readonly worlds: Worlds;
  /** Stores the changes of requests. Undefined if the worlds are in memory, or if `routing` stores them. */
  readonly saving?: Saving | undefined;
  /** Answers a request about any world, also a world of another server. Undefined for a single server. */
  readonly routing?: Layer<ReceivedRequest>;
  readonly servers: Servers;
  /** Undefined for a server that shares no worlds. */
  readonly counts?: () => StorageCounts;
  /** The scenarios that were posted to any of several servers. Undefined if this server keeps only its own. */
  readonly scenarios?: {
    readonly load: () => Promise<ReadonlyMap<string, string>>;
    readonly keep: (name: string, text: string) => Promise<void>;
    /** Opens the threads that work with them. `file` is the module of a thread. */
    readonly threads: (file: URL) => {
      /** Does a job of the module with these inputs, and returns its result. */
      readonly run: (kind: string, inputs: readonly unknown[]) => Promise<never>;
      readonly close: () => Promise<void>;
    };
  };
  /** Called when the server has opened a port. */
  readonly listens: (url: string) => Promise<void>;
  /** Leaves the worlds to other servers, while this server still answers. */
  readonly leave: () => Promise<void>;
  /** Ends the worlds, stores pending changes, and releases everything. */
  readonly close: () => Promise<void>;
}

/**
 * Opens the worlds of a server, in the file `data` or only in memory. From then on all their changes are stored. The
 * settings of this start in `given` replace the saved settings of the default world. The modules of a storage are
 * loaded only if it is used. Throws a FileMistakes if a file cannot be used.
 */
export async function openWorlds(
  { transportOf, ...options }: UnstoredOptions,
  data: string | undefined,
  given: Partial<ChangeableSettings>,
  log: Log,
): Promise<OpenedWorlds> {
  if (data === undefined) return ownWorlds(new Worlds({ ...options, transport: transportOf() }), undefined);
  const files = await import("./storage/file-storage.ts");
  const { storage, saved } = await files.FileStorage.open(data, log);
  const transport = transportOf(() => isStored(storage));
  const worlds = new Worlds({ ...options, transport, log: (event) => storage.write(event) }, saved);
  worlds.default.reconfigure(given);
  try {
    await storage.settled();
  } catch (error) {
    worlds.close();
    await storage.close();
    throw error;
  }
  storage.attach(worlds);
  return ownWorlds(worlds, storage);
}

/** Returns worlds of this server alone: in memory, or in a data file. */
function ownWorlds(worlds: Worlds, storage: FileStorage | undefined): OpenedWorlds {
  const { id, version, startedAt } = newServer();
  let url: string | null = null;
  let isStopping = false;
  return {
    worlds,
    saving: storage && saveBeforeAnswer(storage, worlds),
    servers: {
      id,
      list: async () => [{ id, url, version, startedAt, seenAt: new Date(), worlds: worlds.all().length }],
      unavailable: undefined,
      unready: () => {
        if (isStopping) return "The server is stopping.";
        return url === null ? "The server is starting." : storage?.obstacle();
      },
    },
    listens: async (listening) => {
      url = listening;
    },
    leave: async () => {
      isStopping = true;
    },
    close: async () => {
      worlds.close();
      await storage?.close();
    },
  };
}

/** Waits until all changes are stored. Returns false if a change was rolled back. */
async function isStored(storage: FileStorage): Promise<boolean> {
  try {
    await storage.settled();
  } catch {
    return false;
  }
  return storage.rollback === undefined;
}
