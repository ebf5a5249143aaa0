import type { MiddlewareHandler } from "hono";
import type { ServerEnv } from "./environment.ts";
import type { Worlds } from "../worlds/worlds.ts";
import { FairLimit, type WorldLimits, worldFull } from "./limits.ts";
import { callerOf } from "./caller.ts";
import { inboundOf } from "./inbound-requests.ts";
import { unavailable } from "./answer.ts";

/** They are answered however many requests there are. */
const UNCOUNTED_PATHS: ReadonlySet<string> = new Set(["/sandbox/health", "/sandbox/ready", "/metrics"]);

/** Requests that are answered at a time for all worlds, and those of each world beyond that. */
const IN_FLIGHT_MAX = 1_000;
const RESERVED = 8;

/** Refuses a request if its world, or the server, answers too many at the moment, or if its world keeps too much. */
export function limitRequests(worlds: Worlds, limits: WorldLimits): MiddlewareHandler<ServerEnv> {
  const slots = new FairLimit({
    perWorld: limits.requests,
    shared: IN_FLIGHT_MAX,
    reserved: Math.min(limits.requests, RESERVED),
  });
  return async function limitRequest(c, next) {
    const { path } = c.req;
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
    const refused = counted && worldFull(counted, c.req, limits.bytes);
    return refused === undefined ? next() : unavailable(worlds, refused);
  };
}

function tooMany(reached: "world" | "all", { requests }: WorldLimits): string {
  const found =
    reached === "world"
      ? `${requests} requests to this world are being answered at the moment, which is its limit (--world-requests).`
      : `More than ${IN_FLIGHT_MAX} requests are being answered at the moment.`;
  return `${found} Send the request again in a second.`;
}
