import { HTTPException } from "hono/http-exception";
import type { FairLimits } from "./control/endpoint.ts";
import { memory } from "../base/memory.ts";
import type { NamedRequest } from "./environment.ts";
import { isControlPath } from "../simulator/api/routes.ts";

/** Returns true if a request only reads. It is answered even if memory is used up. */
export function isRead(method: string): boolean {
  return ["GET", "HEAD", "OPTIONS"].includes(method);
}

/**
 * Returns true if a request may store lasting data. A request that removes something under `/sandbox` stores almost no
 * data.
 */
export function storesSomething(method: string, path: string): boolean {
  if (isRead(method) || freesMemory(method, path)) return false;
  return method !== "DELETE" || !isControlPath(path);
}

/** Returns true if a request drops a world, or stored data of a world. */
export function freesMemory(method: string, path: string): boolean {
  return /^(POST \/sandbox\/(reset|snapshots\/[^/]+\/restore)|DELETE \/sandbox\/(worlds|snapshots)\/[^/]+)$/.test(
    `${method} ${path}`,
  );
}

/** Returns the message that memory is used up, with the fix. */
export function memoryFull(): string {
  const { name, raise } = memory.limit;
  return `The ${name} is nearly used up, so no more can be stored. Reset (POST /sandbox/reset), drop worlds (DELETE /sandbox/worlds/{id}) and snapshots (DELETE /sandbox/snapshots/{id}), or ${raise}.`;
}

/** Counts the used slots of each world. */
export class FairLimit {
  readonly #limits: FairLimits;
  readonly #used = new Map<string, number>();
  #total = 0;

  constructor(limits: FairLimits) {
    this.#limits = limits;
  }

  /** Takes a slot for a world. Returns the function that releases it, or the reached limit. */
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

/** The size above which bodies are counted. */
export const LARGE_BODY_BYTES = 65_536;

/** The limit for large bodies in memory, of requests without an answer. */
const largeBodies = new FairLimit({ perWorld: 16, shared: 32, reserved: 1 });

/** Returns the refusal of a large body, if the server or its world has no room for another large body. */
export function tooManyLargeBodies(): HTTPException {
  const message =
    "The limit for large bodies of this world, or of all worlds, is reached. Send the request again in a second.";
  return new HTTPException(503, { message });
}

/** Returns true if a request may have a large body now. It keeps its place until its answer. */
export function admitsLargeBody(named: Partial<NamedRequest> | undefined): boolean {
  if (named?.countedFor === undefined) return true;
  const release = largeBodies.take(named.countedFor);
  if (typeof release === "string") return false;
  named.end?.on(release);
  return true;
}
