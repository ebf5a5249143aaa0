import type { Context, MiddlewareHandler } from "hono";
import type { ServerEnv } from "./environment.ts";
import { type Clocked, refusalAnswer, unavailable } from "./answer.ts";
import { forbidden } from "../platform/refusals.ts";
import { freesMemory, isRead, memoryFull, storesSomething } from "./limits.ts";
import { memory } from "../process/memory.ts";
import { isOwnName } from "./guards.ts";
import { performance } from "node:perf_hooks";
import { headersOf, REQUEST_ID, requestIdOf } from "./request.ts";

/** Requests that are answered at a time, whatever their worlds are; any more are refused with 503. */
const IN_FLIGHT_MAX = 4_000;

/**
 * Gives each request an id, and logs those that come to a port. Of these it refuses with 503 what comes while too many
 * are being answered, and what would store something while memory is nearly used up. It refuses with 403 what was sent to
 * a name that anyone could have pointed here: a web page that was loaded from that name could read and change everything.
 */
export function acceptRequests(clock: Clocked, inFlightMax = IN_FLIGHT_MAX): MiddlewareHandler<ServerEnv> {
  let inFlight = 0;

  return async function acceptRequest(c, next) {
    c.env ??= {};
    const { env, req } = c;
    const { log, outgoing } = env;
    const requestId = (env.requestId = requestIdOf(req.raw));
    const url = (env.url = new URL(req.url));
    env.headers = headersOf(req.raw, env.incoming);
    if (log === undefined) return next();
    const began = performance.now();
    const isTight = !isRead(req.method) && memory.isFull;
    const refusal = refusalOf(c, url, isTight);
    if (refusal !== undefined) {
      outgoing?.setHeader(REQUEST_ID, requestId);
      return refusal;
    }
    inFlight++;
    try {
      await next();
    } finally {
      inFlight--;
      // A header of the connection makes Node merge two lists, so most answers have it already.
      if (!c.finalized || env.inbound?.namedIn !== c.res) outgoing?.setHeader(REQUEST_ID, requestId);
    }
    if (isTight && freesMemory(req.method, req.path)) memory.freed();
    if (log.isDebugEnabled !== false) logRequest(c, performance.now() - began);
  };

  /** The refusal of a request before any other middleware sees it. */
  function refusalOf({ req, env }: Context<ServerEnv>, url: URL, isTight: boolean): Response | undefined {
    if (inFlight >= inFlightMax) {
      const message = `More than ${inFlightMax} requests are being answered at the moment. Send the request again in a second.`;
      return unavailable(clock, message, { "retry-after": "1" });
    }
    const foreign = foreignName(url, env.names);
    if (foreign !== undefined) return refusalAnswer(clock, forbidden(foreign));
    return isTight && storesSomething(req.method, req.path) ? unavailable(clock, memoryFull()) : undefined;
  }
}

/** They show only that the server is up, and a load balancer may ask by any name. */
const OPEN_PATHS: ReadonlySet<string> = new Set(["/sandbox/health", "/sandbox/ready"]);

/** Why a request is not accepted under the name that it was sent to; undefined if it is. */
function foreignName({ hostname, pathname }: URL, names: readonly string[] | undefined): string | undefined {
  if (isOwnName(hostname, names) || OPEN_PATHS.has(pathname)) return undefined;
  return `The sandbox does not answer under the name ${hostname.slice(0, 200)}, which anyone could have pointed here. Call it by its address, as localhost or by a name without a dot, name it with --allowed-hosts, or protect it with --admin-token.`;
}

/** Logs the method, the path and the status of a request; never its contents. */
function logRequest({ req, res, env }: Context<ServerEnv>, tookMs: number): void {
  const { requestId, url } = env;
  const { method } = req;
  const { status } = res;
  const path = url?.pathname.slice(0, 200) ?? "";
  const durationMs = Math.round(tookMs * 10) / 10;
  env.log?.debug(
    { requestId, method, path, status, durationMs },
    `${method} ${path} ${status} in ${durationMs} ms`,
  );
}
