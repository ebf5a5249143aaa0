import type { Layer, NamedRequest } from "./environment.ts";
import type { World } from "../simulator/worlds/world.ts";
import type { Worlds } from "../simulator/worlds/worlds.ts";
import { FairLimit, storesSomething } from "./limits.ts";
import { memory } from "../base/memory.ts";
import { unavailable } from "./answer.ts";
import { isControlPath } from "../simulator/api/routes.ts";

/** The share of a server that one world may use. It leaves enough to the other worlds. */
export interface WorldLimits {
  /** The maximum number of requests at a time. */
  readonly requests: number;
  /** The approximate maximum of stored bytes. */
  readonly bytes: number;
}

const MEGABYTE = 1_048_576;

/** The default share of one world in the memory that all worlds may keep. */
const MEMORY_SHARE = 2 / 3;

/** Returns the approximate bytes that one world may keep. By default two thirds of the memory of all worlds. */
export function worldBytes(memoryMb: number | undefined): number {
  return memoryMb === undefined ? memory.keptBytesMax * MEMORY_SHARE : memoryMb * MEGABYTE;
}

/** They are answered however many requests there are. */
const UNCOUNTED_PATHS: ReadonlySet<string> = new Set(["/sandbox/health", "/sandbox/ready", "/metrics"]);

/** The maximum number of requests at a time for all worlds. Each world has some slots in addition. */
const IN_FLIGHT_MAX = 1_000;
const RESERVED = 8;

/** Refuses a request if its world, or the server, answers too many at the moment, or if its world keeps too much. */
export function limitRequests(worlds: Worlds, limits: WorldLimits): Layer<NamedRequest> {
  const slots = new FairLimit({
    perWorld: limits.requests,
    shared: IN_FLIGHT_MAX,
    reserved: Math.min(limits.requests, RESERVED),
  });
  return (answer) =>
    function limitRequest(named) {
      const { path, caller, request, env } = named;
      // Requests of the own process count for no limit.
      if (env.log === undefined || UNCOUNTED_PATHS.has(path)) return answer(named);
      // Pages and requests for tokens name their world, if they have one, in other ways.
      const counted = caller.hasCredentials || isControlPath(path) ? caller.world : undefined;
      const countedFor = counted?.id ?? "";
      const release = slots.take(countedFor);
      if (typeof release === "string")
        return unavailable(worlds, tooMany(release, limits), { "retry-after": "1" });
      named.end.on(release);
      const { method } = request;
      const refused = counted && worldFull(counted, { method, path }, limits.bytes);
      return refused === undefined ? answer({ ...named, countedFor }) : unavailable(worlds, refused);
    };
}

function tooMany(reached: "world" | "all", { requests }: WorldLimits): string {
  const found =
    reached === "world"
      ? `${requests} requests to this world are being answered at the moment, which is its limit (--world-requests).`
      : `More than ${IN_FLIGHT_MAX} requests are being answered at the moment.`;
  return `${found} Send the request again in a second.`;
}

/** The paths under `/sandbox` whose requests store nothing in the named world. */
const OUTSIDE_WORLDS = /^\/sandbox\/(worlds|scenarios)(\/|$)/;

/** Returns the refusal of a request that would store data in a full world: the world keeps more than `max` bytes. */
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
