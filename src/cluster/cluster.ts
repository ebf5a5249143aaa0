import type { AppLayers } from "../server/environment.ts";
import type { Metrics, StorageCounts } from "./metrics.ts";
import type { OpenedWorlds } from "../server/opened-worlds.ts";
import type { SharedSettings } from "./open-shared-worlds.ts";
import type { Simulation } from "../engine/simulation.ts";
import type { Transport } from "../webhooks/transport.ts";
import type { Worlds, WorldsOptions } from "../worlds/worlds.ts";
import { limitRequests, type WorldLimits, worldBytes } from "./world-limits.ts";

interface ClusterOptions {
  /** The maximum number of requests of one world at a time. */
  readonly worldRequests: number;
  /** Approximate megabytes of one world; default: two thirds of the memory of all worlds. */
  readonly worldMemory: number | undefined;
  /** True if `/metrics` answers. */
  readonly metrics: boolean;
}

/**
 * Shares a server between strangers, and worlds between servers. It limits the resources of one world, counts requests
 * for `/metrics`, and opens the worlds of a database.
 */
export class Cluster {
  readonly #limits: WorldLimits;
  readonly #metrics: Metrics | undefined;
  #counts: (() => StorageCounts) | undefined;

  private constructor(limits: WorldLimits, metrics: Metrics | undefined) {
    this.#limits = limits;
    this.#metrics = metrics;
  }

  static async open({ worldRequests, worldMemory, metrics }: ClusterOptions): Promise<Cluster> {
    const limits = { requests: worldRequests, bytes: worldBytes(worldMemory) };
    return new Cluster(limits, metrics ? new (await import("./metrics.ts")).Metrics() : undefined);
  }

  /** Returns true if a world keeps as much as it may. */
  readonly isFull = ({ bytes }: Simulation): boolean => bytes > this.#limits.bytes;

  /** Counts the attempts of a transport. */
  counting(transport: Transport): Transport {
    return this.#metrics?.countingAttempts(transport) ?? transport;
  }

  /** Opens the worlds of a database, which other servers may share. */
  async openWorlds(options: WorldsOptions, shared: SharedSettings): Promise<OpenedWorlds> {
    const { openSharedWorlds } = await import("./open-shared-worlds.ts");
    const { counts, ...opened } = await openSharedWorlds(options, shared);
    this.#counts = counts;
    return opened;
  }

  /** Returns the layers of the app that count and limit requests. */
  layers({ worlds, servers }: Pick<OpenedWorlds, "worlds" | "servers">): AppLayers {
    const limiting = limitRequests(worlds, this.#limits);
    const metrics = this.#metrics;
    if (metrics === undefined) return { limiting };
    metrics.collectFrom({ worlds, servers }, this.#counts ?? (() => ownCounts(worlds)));
    return { counting: metrics.counting(), limiting, mount: (app) => metrics.mount(app) };
  }
}

/** Returns the counts of a server that shares no worlds. */
function ownCounts({ logged }: Worlds): StorageCounts {
  return { entries: logged, roundTrips: 0, forwarded: 0, takeovers: 0 };
}
