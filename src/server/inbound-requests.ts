import {
  type Answering,
  type Handler,
  type ReceivedRequest,
  type RequestEnvironment,
  type RequestHandler,
  whenAnswered,
} from "./environment.ts";
import type { Router } from "./router.ts";
import { type Clocked, DROPPED_STATUS, HINT, refusalAnswer, unavailable } from "./answer.ts";
import { freesMemory, isRead, memoryFull, storesSomething } from "./limits.ts";
import { forbidden } from "../simulator/platform/refusals.ts";
import { getPath } from "hono/utils/url";
import { headersOf, requestIdOf } from "./request.ts";
import { memory } from "../base/memory.ts";
import { performance } from "node:perf_hooks";
import { LazyBody } from "./request-body.ts";
import { REQUEST_ID_HEADER } from "./control/client.js";

/**
 * The greatest number of requests that are answered at a time, in all worlds. Further requests are refused with 503.
 */
const ACCEPTED_MAX = 4_000;

/**
 * Gives each request an id, finds its operation, and logs the requests that arrive at a port. It refuses some of them:
 *
 * - 503 if too many requests are being answered;
 * - 503 if memory is nearly used up, for a request that stores something;
 * - 403 for an unknown host name. Anyone could point that name here, and a web page under it could read and change
 *   everything.
 */
export function acceptRequests(
  clock: Clocked,
  router: Pick<Router, "match">,
  inFlightMax = ACCEPTED_MAX,
): (answer: Handler<ReceivedRequest>) => RequestHandler {
  let inFlight = 0;
  return (answer) =>
    function acceptRequest(request, env) {
      const received = receive(router, request, env);
      const { log } = env;
      if (log === undefined) return withRequestId(received, () => answer(received));
      const { method } = request;
      const { path } = received;
      const isLogged = log.isDebugEnabled !== false;
      const began = isLogged ? performance.now() : 0;
      const isTight = !isRead(method) && memory.isFull;
      const refusal =
        inFlight >= inFlightMax
          ? tooManyRequests(clock, inFlightMax)
          : refusalOf(clock, received, isTight && storesSomething(method, path));
      if (refusal !== undefined) return withRequestId(received, () => refusal);
      inFlight++;
      return whenAnswered(
        () => withRequestId(received, () => answer(received)),
        (response) => {
          inFlight--;
          if (response === undefined) return;
          if (isTight && freesMemory(method, path)) memory.freed();
          if (isLogged) logRequest(received, response, performance.now() - began);
        },
      );
    };
}

/** Returns a request with its id and its operation. */
function receive(router: Pick<Router, "match">, request: Request, env: RequestEnvironment): ReceivedRequest {
  const path = getPath(request);
  const headers = headersOf(request, env.incoming);
  const matched = router.match(request.method, path);
  const body = new LazyBody(request);
  return { request, body, env, id: requestIdOf(headers), path, headers, matched };
}

/** Puts the id of a request into its answer, whoever answers. Only a dropped connection has no answer. */
function withRequestId({ id, env }: ReceivedRequest, answer: () => Answering): Answering {
  if (env.outgoing !== undefined) {
    env.outgoing.setHeader(REQUEST_ID_HEADER, id);
    return answer();
  }
  return whenAnswered(answer, (response) => {
    if (response !== undefined && response.status !== DROPPED_STATUS)
      response.headers.set(REQUEST_ID_HEADER, id);
  });
}

function tooManyRequests(clock: Clocked, inFlightMax: number): Response {
  const message = `The server already answers ${inFlightMax} requests. Send the request again in a second.`;
  return unavailable(clock, message, { "retry-after": "1" });
}

/** Returns the refusal of a request, before any other layer sees it. */
function refusalOf(
  clock: Clocked,
  { request, env, path }: ReceivedRequest,
  hasNoRoom: boolean,
): Response | undefined {
  const foreign = OPEN_PATHS.has(path) ? undefined : foreignName(request.url, env.names);
  if (foreign !== undefined) return refusalAnswer(clock, forbidden(foreign));
  return hasNoRoom ? unavailable(clock, memoryFull()) : undefined;
}

/**
 * Names that no one outside can point at this machine: addresses, names without a dot, and the endings that are
 * reserved for private networks. Any other name may have been pointed here (DNS rebinding).
 */
const OWN_NAME = /^(\[[\da-f:.]+\]|\d+(\.\d+){3}|[^.]+|.+\.(localhost|local|internal|svc|test|home\.arpa))$/i;

/**
 * Returns true if outsiders cannot have pointed this name here, or if the sandbox was given the name. `.example.com`
 * gives all names below it. Without a list, requests do not come over a network, or an admin token keeps strangers
 * out. Then every name is accepted.
 */
export function isOwnName(hostname: string, given: readonly string[] | undefined): boolean {
  // A dot at the end of a name only says that the name is complete.
  const host = hostname.replace(/\.$/, "");
  if (given === undefined || OWN_NAME.test(host)) return true;
  return given.some((name) => (name.startsWith(".") ? host.endsWith(name) : host === name));
}

/** The paths that any host name may use. They only show that the server runs, for example to a load balancer. */
const OPEN_PATHS: ReadonlySet<string> = new Set(["/sandbox/health", "/sandbox/ready"]);

/** Returns the reason why the host name of a request is not accepted. Undefined if it is accepted. */
function foreignName(url: string, names: readonly string[] | undefined): string | undefined {
  if (names === undefined) return undefined;
  const { hostname } = new URL(url);
  if (isOwnName(hostname, names)) return undefined;
  return `The sandbox does not answer under the name ${hostname.slice(0, 200)}, because anyone could point that name here. Use its address, localhost or a name without a dot. Or start it with --allowed-hosts ${hostname.slice(0, 200)}, or with --admin-token.`;
}

/** Logs the method, the path and the status of a request, but never its contents. */
function logRequest(
  { id: requestId, request, env: { log } }: ReceivedRequest,
  { status, headers }: Response,
  tookMs: number,
): void {
  const { method, url } = request;
  const path = new URL(url).pathname.slice(0, 200);
  const durationMs = Math.round(tookMs * 10) / 10;
  const hint = headers.get(HINT);
  const advice = hint === null ? "" : `: ${hint}`;
  log?.debug(
    { requestId, method, path, status, durationMs, ...(hint !== null && { hint }) },
    `${method} ${path} ${status} in ${durationMs} ms${advice}`,
  );
}
