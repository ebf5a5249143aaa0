import type { Context } from "hono";
import type { Answer, RequestEnvironment } from "./listen.ts";
import type { World } from "../worlds/world.ts";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { CUT_STATUS, whenAnswered } from "./answer.ts";
import { FORWARDED, pathnameOf, REQUEST_ID, requestIdOf, siteOf, WORLD_HEADER } from "./request.ts";
import { DEFAULT_WORLD, type Worlds } from "../worlds/worlds.ts";
import { InboundRequest, type RequestHead, UNKNOWN_PATH, bearerIn } from "../worlds/inbound-request.ts";
import { storesSomething, unavailable } from "./unavailable.ts";
import { Places } from "../worlds/world-limits.ts";
import { operationAt } from "../api/operations.ts";
import { performance } from "node:perf_hooks";

const CODES: Readonly<Record<number, string>> = {
  400: "INVALID_REQUEST",
  401: "UNAUTHORIZED",
  403: "FORBIDDEN_ERROR",
  404: "NOT_FOUND",
};

/**
 * Gives each request to those who answer it as `env.inbound`, by which it gets into the journal of a world, and counts
 * the errors that the interface answers with. A request in process gets its id here.
 */
export function answerInbound(worlds: Worlds, answer: Answer): Answer {
  let places: Places | undefined;

  /** Answers a request where its world, and the server, can take one more. */
  function answerAdmitted(
    request: Request,
    inbound: InboundRequest,
    env: RequestEnvironment,
  ): ReturnType<Answer> {
    const path = pathnameOf(request.url);
    // A program cannot hold up others by what it asks in its own process.
    if (env.requestId === undefined || UNCOUNTED_PATHS.has(path)) return answer(request, env);
    // Pages and requests for tokens name their world, where they have one, in other ways.
    const { headers } = inbound.head;
    const isInWorld = headers["authorization"] !== undefined || path.startsWith("/sandbox/");
    const world = isInWorld ? worldOf(worlds, headers) : undefined;
    inbound.world = world?.id ?? "";
    places ??= placesOf(worlds);
    const place = places.take(inbound.world);
    if (typeof place === "string") return unavailable(worlds, tooMany(place, worlds), { "retry-after": "1" });
    inbound.onEnd(place);
    const refused = world && memoryProblem({ request, path, world, worlds });
    return refused === undefined ? answer(request, env) : unavailable(worlds, refused);
  }

  return function answerFollowed(request, env: RequestEnvironment = {}) {
    const id = env.requestId ?? requestIdOf(request);
    const inbound = new InboundRequest(() => headOf(request, env), id, env.direct);
    env.inbound = inbound;
    const began = performance.now();
    return whenAnswered(
      () => answerAdmitted(request, inbound, env),
      (response) => {
        inbound.close();
        if (response === undefined) return;
        finish(worlds, inbound, { response, durationMs: performance.now() - began });
        if (env.requestId === undefined && inbound.namedIn !== response && response.type !== "error")
          response.headers.set(REQUEST_ID, inbound.id);
      },
    );
  };
}

/** They are answered however many requests there are. */
const UNCOUNTED_PATHS: ReadonlySet<string> = new Set(["/sandbox/health", "/sandbox/ready", "/metrics"]);

/** Requests that are answered at a time for all worlds, and those of each world beyond that. */
const IN_FLIGHT_MAX = 1_000;
const RESERVED = 8;

function placesOf({ limits: { requests: perWorld } }: Worlds): Places {
  return new Places({ perWorld, shared: IN_FLIGHT_MAX, reserved: Math.min(perWorld, RESERVED) });
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
  readonly request: Request;
  readonly path: string;
  readonly world: World;
  readonly worlds: Worlds;
}

/** Why a request that would store something in a world is refused: it keeps too much. */
function memoryProblem({ request, path, world, worlds }: Asked): string | undefined {
  if (!storesSomething(request) || OUTSIDE_WORLDS.test(path)) return undefined;
  const { bytes } = world.simulation;
  const max = worlds.limits.bytes;
  if (bytes <= max) return undefined;
  return `The world ${world.id} keeps about ${megabytes(bytes)} MB, and its limit is ${megabytes(max)} MB (--world-memory). Reset it (POST /sandbox/reset), or start with a higher limit.`;
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 1_048_576);
}

/** The request that a handler answers. */
export function inboundOf(c: Context): InboundRequest | undefined {
  return ((c.env ?? {}) as RequestEnvironment).inbound;
}

function headOf(request: Request, env: RequestEnvironment): RequestHead {
  const { method, url } = request;
  const { origin, written } = siteOf(url);
  return { method, path: url.slice(written.length), origin, headers: headersOf(request, env) };
}

/** The headers of requests that have come lately, by their text, and those of the latest. */
const knownHeaders = new Map<string, RequestHead["headers"]>();
const HEADERS_KEPT_MAX = 32;
const HEADERS_KEPT_CHARACTERS_MAX = 2_000;
let latestHeaders: { readonly raw: readonly string[]; readonly headers: RequestHead["headers"] } | undefined;

/**
 * The headers of a request. Those of a client hardly differ from one request to the next, and the journal keeps them of
 * thousands: requests with the same headers have one object.
 */
function headersOf(request: Request, { arrived, incoming }: RequestEnvironment): RequestHead["headers"] {
  if (request !== arrived || incoming === undefined) return sentBy(request);
  const { rawHeaders: raw } = incoming;
  if (latestHeaders !== undefined && isSame(raw, latestHeaders.raw)) return latestHeaders.headers;
  const text = raw.join("\n");
  const known = knownHeaders.get(text);
  const headers = known ?? Object.freeze(sentBy(request));
  if (text.length > HEADERS_KEPT_CHARACTERS_MAX) return headers;
  latestHeaders = { raw, headers };
  if (known !== undefined) return headers;
  const [oldest] = knownHeaders.keys();
  if (knownHeaders.size >= HEADERS_KEPT_MAX && oldest !== undefined) knownHeaders.delete(oldest);
  knownHeaders.set(text, headers);
  return headers;
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((text, index) => text === other[index]);
}

/** The headers without the one by which servers know each other, which the client did not send. */
function sentBy({ headers }: Request): RequestHead["headers"] {
  const { [FORWARDED]: _proof, ...sent } = Object.fromEntries(headers);
  return sent;
}

interface Finished {
  readonly response: Response;
  readonly durationMs: number;
}

/** Only the status of the answer is read: reading anything else costs the server its fast path. */
function finish(worlds: Worlds, inbound: InboundRequest, { response, durationMs }: Finished): void {
  // A network error has the status 0.
  const wasDropped =
    response === RESPONSE_ALREADY_SENT || response.status === 0 || response.status === CUT_STATUS;
  const status = wasDropped ? null : response.status;
  inbound.ended(status, durationMs);
  const isRefused = status !== null && status >= 400;
  if (inbound.isJournaled && !isRefused) return;
  const { head } = inbound;
  if (head.path.startsWith("/sandbox/")) return;
  const world = worldOf(worlds, head.headers);
  if (world === undefined) return;
  if (isRefused) world.coverage.refused(codeIn(inbound.answer) ?? CODES[status] ?? "INTERNAL_ERROR");
  const name = operationAt(head)?.operationId ?? (isLost(head, status) ? UNKNOWN_PATH : undefined);
  if (name !== undefined) world.note({ by: "call", name }, inbound);
}

/** Whether a client looked for an operation where there is none; what browsers fetch for a page is no call. */
function isLost({ path, headers }: RequestHead, status: number | null): boolean {
  return status === 404 && !path.startsWith("/pay/") && (headers["sec-fetch-dest"] ?? "empty") === "empty";
}

/** The code of an error; undefined where the answer has none, such as one in sentences. */
function codeIn(answer: string | undefined): string | undefined {
  const { error } = (answer === undefined ? {} : JSON.parse(answer)) as { error?: unknown };
  return typeof error === "string" ? error : undefined;
}

/** The world that a request names by its id or by its token; undefined where another server has it. */
function worldOf(worlds: Worlds, headers: RequestHead["headers"]): World | undefined {
  const named = headers[WORLD_HEADER];
  if (named !== undefined) return worlds.get(named) ?? worlds.here(DEFAULT_WORLD);
  const token = bearerIn(headers["authorization"]);
  return (token === undefined ? undefined : worlds.ofCredential(token)) ?? worlds.here(DEFAULT_WORLD);
}
