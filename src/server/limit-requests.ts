import type { MiddlewareHandler } from "hono";
import type { ServerEnv } from "./environment.ts";
import type { World } from "../worlds/world.ts";
import type { Worlds } from "../worlds/worlds.ts";
import { FairLimit, type WorldLimits } from "./world-limits.ts";
import { callerOf } from "./caller.ts";
import { inboundOf } from "./inbound-requests.ts";
import { storesSomething, unavailable } from "./unavailable.ts";

/** Refuses a request if its world, or the server, answers too many at the moment, or if its world keeps too much. */
export function limitRequests(worlds: Worlds, limits: WorldLimits): MiddlewareHandler<ServerEnv> {
  const slots = new FairLimit({
    perWorld: limits.requests,
    shared: IN_FLIGHT_MAX,
    reserved: Math.min(limits.requests, RESERVED),
  });
  return async function limitRequest(c, next) {
    const { method, path } = c.req;
    // Requests of the own process count for no limit.
    if (c.env.log === undefined || UNCOUNTED_PATHS.has(path)) return next();
    const inbound = inboundOf(c);
    const { world, hasCredentials } = callerOf(c);
    // Pages and requests for tokens name their world, if they have one, in other ways.
    const counted = hasCredentials || path.startsWith("/sandbox/") ? world : undefined;
    inbound.world = counted?.id ?? "";
    const release = slots.take(inbound.world);
    if (typeof release === "string")
      return unavailable(worlds, tooMany(release, limits), { "retry-after": "1" });
    inbound.onEnd(release);
    const refused = counted && memoryProblem({ method, path, world: counted, max: limits.bytes });
    return refused === undefined ? next() : unavailable(worlds, refused);
  };
}

/** They are answered however many requests there are. */
const UNCOUNTED_PATHS: ReadonlySet<string> = new Set(["/sandbox/health", "/sandbox/ready", "/metrics"]);

/** Requests that are answered at a time for all worlds, and those of each world beyond that. */
const IN_FLIGHT_MAX = 1_000;
const RESERVED = 8;

function tooMany(reached: "world" | "all", { requests }: WorldLimits): string {
  const found =
    reached === "world"
      ? `${requests} requests to this world are being answered at the moment, which is its limit (--world-requests).`
      : `More than ${IN_FLIGHT_MAX} requests are being answered at the moment.`;
  return `${found} Send the request again in a second.`;
}

/** Under `/sandbox`, what stores nothing in the world that its request names. */
const OUTSIDE_WORLDS = /^\/sandbox\/(worlds|scenarios)(\/|$)/;

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly world: World;
  /** What it may keep, in bytes. */
  readonly max: number;
}

/** Why a request that would store something in a world is refused: it keeps too much. */
function memoryProblem({ method, path, world, max }: Asked): string | undefined {
  if (!storesSomething(method, path) || OUTSIDE_WORLDS.test(path)) return undefined;
  const { bytes } = world.simulation;
  if (bytes <= max) return undefined;
  return `The world ${world.id} keeps about ${megabytes(bytes)} MB, and its limit is ${megabytes(max)} MB (--world-memory). Reset it (POST /sandbox/reset), or start with a higher limit.`;
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 1_048_576);
}
