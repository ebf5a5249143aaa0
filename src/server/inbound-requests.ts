import type { Context, MiddlewareHandler } from "hono";
import { type InboundRequest, UNKNOWN_PATH } from "../worlds/inbound-request.ts";
import type { RequestHead } from "../worlds/masking.ts";
import type { RequestEnvironment, ServerEnv } from "./environment.ts";
import type { World } from "../worlds/world.ts";
import { assertDefined } from "../engine/assertion.ts";
import { callerOf } from "./caller.ts";
import { CUT_STATUS } from "./answer.ts";
import { DEFAULT_WORLD, type Worlds } from "../worlds/worlds.ts";
import { operationAt } from "../api/operations.ts";
import { performance } from "node:perf_hooks";
import { FairLimit } from "../worlds/world-limits.ts";
import { REQUEST_ID } from "./request.ts";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { storesSomething, unavailable } from "./unavailable.ts";

const CODES: Readonly<Record<number, string>> = {
  400: "INVALID_REQUEST",
  401: "UNAUTHORIZED",
  403: "FORBIDDEN_ERROR",
  404: "NOT_FOUND",
};

/**
 * Puts each request, once it is answered, into the journal of the world that it is about, and counts the errors that the
 * interface answers with.
 */
export function noteRequests(worlds: Worlds): MiddlewareHandler<ServerEnv> {
  return async function noteRequest(c, next) {
    const { inbound: ofEarlierTry, log } = c.env;
    const began = performance.now();
    try {
      await next();
    } finally {
      c.env.inbound?.close();
    }
    if (c.env.inbound === ofEarlierTry) return;
    finish(worlds, c, performance.now() - began);
    const { id, namedIn } = inboundOf(c);
    if (log === undefined && namedIn !== c.res && c.res.type !== "error") c.res.headers.set(REQUEST_ID, id);
  };
}

/** Refuses a request if its world, or the server, answers too many at the moment, or if its world keeps too much. */
export function limitRequests(worlds: Worlds): MiddlewareHandler<ServerEnv> {
  let slots: FairLimit | undefined;
  return async function limitRequest(c, next) {
    const { method, path } = c.req;
    // Requests of the own process count for no limit.
    if (c.env.log === undefined || UNCOUNTED_PATHS.has(path)) return next();
    const inbound = inboundOf(c);
    const { world, hasCredentials } = callerOf(c);
    // Pages and requests for tokens name their world, if they have one, in other ways.
    const counted = hasCredentials || path.startsWith("/sandbox/") ? world : undefined;
    inbound.world = counted?.id ?? "";
    slots ??= slotsOf(worlds);
    const release = slots.take(inbound.world);
    if (typeof release === "string")
      return unavailable(worlds, tooMany(release, worlds), { "retry-after": "1" });
    inbound.onEnd(release);
    const refused = counted && memoryProblem({ method, path, world: counted, worlds });
    return refused === undefined ? next() : unavailable(worlds, refused);
  };
}

/** They are answered however many requests there are. */
const UNCOUNTED_PATHS: ReadonlySet<string> = new Set(["/sandbox/health", "/sandbox/ready", "/metrics"]);

/** Requests that are answered at a time for all worlds, and those of each world beyond that. */
const IN_FLIGHT_MAX = 1_000;
const RESERVED = 8;

function slotsOf({ limits: { requests: perWorld } }: Worlds): FairLimit {
  return new FairLimit({ perWorld, shared: IN_FLIGHT_MAX, reserved: Math.min(perWorld, RESERVED) });
}

function tooMany(reached: "world" | "all", { limits }: Worlds): string {
  const found =
    reached === "world"
      ? `${limits.requests} requests to this world are being answered at the moment, which is its limit (--world-requests).`
      : `More than ${IN_FLIGHT_MAX} requests are being answered at the moment.`;
  return `${found} Send the request again in a second.`;
}

/** Under `/sandbox`, what stores nothing in the world that its request names. */
const OUTSIDE_WORLDS = /^\/sandbox\/(worlds|scenarios)(\/|$)/;

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly world: World;
  readonly worlds: Worlds;
}

/** Why a request that would store something in a world is refused: it keeps too much. */
function memoryProblem({ method, path, world, worlds }: Asked): string | undefined {
  if (!storesSomething(method, path) || OUTSIDE_WORLDS.test(path)) return undefined;
  const { bytes } = world.simulation;
  const max = worlds.limits.bytes;
  if (bytes <= max) return undefined;
  return `The world ${world.id} keeps about ${megabytes(bytes)} MB, and its limit is ${megabytes(max)} MB (--world-memory). Reset it (POST /sandbox/reset), or start with a higher limit.`;
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 1_048_576);
}

/** The request that a handler answers, as the journal keeps it. */
export function inboundOf(c: Context): InboundRequest {
  return assertDefined((c.env as RequestEnvironment).inbound, "the request of a context");
}

/** Only the status of the answer is read: reading anything else costs the server its fast path. */
function finish(worlds: Worlds, c: Context<ServerEnv>, durationMs: number): void {
  const { res: response } = c;
  const inbound = inboundOf(c);
  // A network error has the status 0.
  const wasDropped =
    response === RESPONSE_ALREADY_SENT || response.status === 0 || response.status === CUT_STATUS;
  const status = wasDropped ? null : response.status;
  inbound.ended(status, durationMs);
  const isRefused = status !== null && status >= 400;
  if (inbound.isJournaled && !isRefused) return;
  const { head } = inbound;
  if (head.path.startsWith("/sandbox/")) return;
  // A storage that failed may have made the worlds again.
  const world = worlds.here(callerOf(c).world?.id ?? DEFAULT_WORLD) ?? worlds.here(DEFAULT_WORLD);
  if (world === undefined) return;
  if (isRefused) world.coverage.refused(codeIn(inbound.answer) ?? CODES[status] ?? "INTERNAL_ERROR");
  const name = operationAt(head)?.operationId ?? (isLost(head, status) ? UNKNOWN_PATH : undefined);
  if (name !== undefined) world.note({ by: "call", name }, inbound);
}

/** Whether a client called an operation that does not exist; what browsers fetch for a page is no call. */
function isLost({ path, headers }: RequestHead, status: number | null): boolean {
  return status === 404 && !path.startsWith("/pay/") && (headers["sec-fetch-dest"] ?? "empty") === "empty";
}

/** The code of an error; undefined if the answer has none, such as one in sentences. */
function codeIn(answer: string | undefined): string | undefined {
  const { error } = (answer === undefined ? {} : JSON.parse(answer)) as { error?: unknown };
  return typeof error === "string" ? error : undefined;
}
