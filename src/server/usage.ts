import type { AppLayers } from "./environment.ts";
import type { Metrics } from "./metrics.ts";
import type { OpenedWorlds, StorageCounts } from "./opened-worlds.ts";
import type { Simulation } from "../simulator/engine/simulation.ts";
import type { Transport } from "../simulator/webhooks/transport.ts";
import type { Worlds } from "../simulator/worlds/worlds.ts";
import { limitRequests, type WorldLimits, worldBytes } from "./world-limits.ts";

/**
 * Shares a server between strangers: limits the requests and the memory of each world, and counts requests for
 * `/metrics`.
 */
export class Usage {
  readonly #limits: WorldLimits;
  readonly #metrics: Metrics | undefined;

  private constructor(limits: WorldLimits, metrics: Metrics | undefined) {
    this.#limits = limits;
    this.#metrics = metrics;
  }

  /**
   * Opens the limits of a world, and its metrics if `/metrics` answers. By default one world may take two thirds of the
   * memory of all worlds.
   */
  static async open(requests: number, megabytes: number | undefined, hasMetrics: boolean): Promise<Usage> {
    const limits = { requests, bytes: worldBytes(megabytes) };
    return new Usage(limits, hasMetrics ? new (await import("./metrics.ts")).Metrics() : undefined);
  }

  /** Returns true if a world keeps as much as it may. */
  readonly isFull = ({ bytes }: Simulation): boolean => bytes > this.#limits.bytes;

  /** Counts the attempts of a transport. */
  counting(transport: Transport): Transport {
    return this.#metrics?.countingAttempts(transport) ?? transport;
  }

  /** Returns the layers of the app that count and limit requests. */
  layers({ worlds, servers, counts }: Pick<OpenedWorlds, "worlds" | "servers" | "counts">): AppLayers {
    const limiting = limitRequests(worlds, this.#limits);
    const metrics = this.#metrics;
    if (metrics === undefined) return { limiting };
    metrics.collectFrom({ worlds, servers }, counts ?? (() => ownCounts(worlds)));
    return { counting: metrics.counting(), limiting, mount: (app) => metrics.mount(app) };
  }
}

/** Returns the counts of a server that shares no worlds. */
function ownCounts({ logged }: Worlds): StorageCounts {
  return { entries: logged, roundTrips: 0, forwarded: 0, takeovers: 0 };
}
