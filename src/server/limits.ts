import { HTTPException } from "hono/http-exception";
import type { FairLimits } from "../control/endpoint.ts";
import { memory } from "../process/memory.ts";
import type { InboundRequest } from "../worlds/inbound-request.ts";
import type { World } from "../worlds/world.ts";

/** The share of a server that one world may use, so that it leaves enough to the other worlds. */
export interface WorldLimits {
  /** Requests that are answered at a time. */
  readonly requests: number;
  /** Webhooks that are sent at a time. */
  readonly deliveries: number;
  /** About how many bytes it keeps. */
  readonly bytes: number;
}

const MEGABYTE = 1_048_576;

/** The defaults of the limits that do not depend on the machine. */
export const WORLD_LIMITS = { requests: 500, deliveries: 128 };

/** The default share of one world in the memory that all worlds may keep. */
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

/** Whether a request only reads: it stores nothing, and is answered however little memory is left. */
export function isRead(method: string): boolean {
  return ["GET", "HEAD", "OPTIONS"].includes(method);
}

/**
 * Returns true if a request may store lasting data. A request that removes something under `/sandbox` stores next to
 * nothing.
 */
export function storesSomething(method: string, path: string): boolean {
  if (isRead(method) || freesMemory(method, path)) return false;
  return method !== "DELETE" || !path.startsWith("/sandbox/");
}

/** Returns true if a request drops a world, or stored data of a world. */
export function freesMemory(method: string, path: string): boolean {
  return /^(POST \/sandbox\/(reset|snapshots\/[^/]+\/restore)|DELETE \/sandbox\/(worlds|snapshots)\/[^/]+)$/.test(
    `${method} ${path}`,
  );
}

/** Why nothing more can be stored, and what to do about it. */
export function memoryFull(): string {
  return `The memory of ${memory.limitMb} MB is nearly used up, so no more can be stored. Reset (POST /sandbox/reset), drop worlds (DELETE /sandbox/worlds/{id}) and snapshots (DELETE /sandbox/snapshots/{id}), or start with more: NODE_OPTIONS=--max-old-space-size=${memory.limitMb * 2}.`;
}

/** Under `/sandbox`, what stores nothing in the world that its request names. */
const OUTSIDE_WORLDS = /^\/sandbox\/(worlds|scenarios)(\/|$)/;

/** Why a request that would store something in a world is refused: it keeps more than `max` bytes. */
export function worldFull(
  { id, simulation: { bytes } }: World,
  { method, path }: { readonly method: string; readonly path: string },
  max: number,
): string | undefined {
  if (bytes <= max || !storesSomething(method, path) || OUTSIDE_WORLDS.test(path)) return undefined;
  return `The world ${id} keeps about ${megabytes(bytes)} MB, and its limit is ${megabytes(max)} MB (--world-memory). Reset it (POST /sandbox/reset), or start with a higher limit.`;
}

function megabytes(bytes: number): number {
  return Math.round(bytes / MEGABYTE);
}

/** Counts the used slots of each world. */
export class FairLimit {
  readonly #limits: FairLimits;
  readonly #used = new Map<string, number>();
  #total = 0;

  constructor(limits: FairLimits) {
    this.#limits = limits;
  }

  /** Takes a slot for a world; returns what releases it, or the limit that is reached. */
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
    if (left === 0) this.#used.delete(world);
    else this.#used.set(world, left);
  }
}

/** Larger bodies are counted. */
export const LARGE_BODY_BYTES = 65_536;

/** Large bodies in memory at a time, of requests that are not answered yet. */
const largeBodies = new FairLimit({ perWorld: 16, shared: 32, reserved: 1 });

/** Returns the refusal of a large body, if the server or its world has no room for another large body. */
export function tooManyLargeBodies(): HTTPException {
  const message =
    "As many large bodies of this world, or of all, are being received as there is room for. Send the request again in a second.";
  return new HTTPException(503, { message });
}

/** Whether a request may have a large body now; it may until it is answered. */
export function admitsLargeBody(inbound: InboundRequest | undefined): boolean {
  if (inbound?.world === undefined) return true;
  const release = largeBodies.take(inbound.world);
  if (typeof release === "string") return false;
  inbound.onEnd(release);
  return true;
}
