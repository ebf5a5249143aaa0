import { memory } from "../process/memory.ts";

/** What one world may use of its server, so that it leaves enough to the others. */
export interface WorldLimits {
  /** Requests that are answered at a time. */
  readonly requests: number;
  /** Webhooks that are sent at a time. */
  readonly deliveries: number;
  /** About how many bytes it keeps. */
  readonly bytes: number;
}

const MEGABYTE = 1_048_576;

/** The defaults of those that do not depend on the machine. */
export const WORLD_LIMITS = { requests: 500, deliveries: 128 };

/** The share of what all worlds may keep that one may keep by default. */
const MEMORY_SHARE = 2 / 3;

/** The limits of each world, from the settings that are given; memory in megabytes. */
export function worldLimits(given: {
  readonly requests?: number | undefined;
  readonly deliveries?: number | undefined;
  readonly memoryMb?: number | undefined;
}): WorldLimits {
  const { requests = WORLD_LIMITS.requests, deliveries = WORLD_LIMITS.deliveries, memoryMb } = given;
  const bytes = memoryMb === undefined ? memory.keptBytesMax * MEMORY_SHARE : memoryMb * MEGABYTE;
  return { requests, deliveries, bytes };
}

/** How many slots there are. */
export interface FairLimits {
  /** For one world. */
  readonly perWorld: number;
  /** For all worlds together. */
  readonly shared: number;
  /** For each world, also if the shared ones are taken. */
  readonly reserved: number;
}

/** Worlds that use nothing and are still counted. */
const UNUSED_KEPT_MAX = 100;

/** Counts what is in use, by the world that uses it. */
export class FairLimit {
  readonly #limits: FairLimits;
  readonly #used = new Map<string, number>();
  #total = 0;

  constructor(limits: FairLimits) {
    this.#limits = limits;
  }

  /** Takes a place for a world; returns what releases it, or the limit that is reached. */
  take(world: string): (() => void) | "world" | "all" {
    const { perWorld, shared, reserved } = this.#limits;
    const used = this.#used.get(world) ?? 0;
    if (used >= perWorld) return "world";
    if (this.#total >= shared && used >= reserved) return "all";
    this.#used.set(world, used + 1);
    this.#total++;
    return () => this.#release(world);
  }

  #release(world: string): void {
    const left = (this.#used.get(world) ?? 1) - 1;
    this.#total--;
    // A map whose only entry comes and goes is rebuilt again and again.
    if (left === 0 && this.#used.size > UNUSED_KEPT_MAX) this.#used.delete(world);
    else this.#used.set(world, left);
  }
}
