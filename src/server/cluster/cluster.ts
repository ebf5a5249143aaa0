import type { AppLayers } from "../environment.ts";
import type { Metrics, StorageCounts } from "./metrics.ts";
import type { OpenedWorlds } from "../opened-worlds.ts";
import type { SharedSettings } from "./open-shared-worlds.ts";
import type { Simulation } from "../../simulator/engine/simulation.ts";
import type { Transport } from "../../simulator/webhooks/transport.ts";
import type { Worlds, WorldsOptions } from "../../simulator/worlds/worlds.ts";
import { limitRequests, type WorldLimits, worldBytes } from "./world-limits.ts";

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

  /**
   * Opens the limits of a world, and its metrics if `/metrics` answers. By default one world may take two thirds of the
   * memory of all worlds.
   */
  static async open(requests: number, megabytes: number | undefined, hasMetrics: boolean): Promise<Cluster> {
    const limits = { requests, bytes: worldBytes(megabytes) };
    return new Cluster(limits, hasMetrics ? new (await import("./metrics.ts")).Metrics() : undefined);
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
