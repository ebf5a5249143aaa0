import {
  type Answering,
  type Layer,
  type NamedRequest,
  type ReceivedRequest,
  type RequestEnvironment,
  whenAnswered,
} from "./environment.ts";
import type { RequestHead } from "../simulator/worlds/masking.ts";
import type { Router } from "./router.ts";
import type { World } from "../simulator/worlds/world.ts";
import { type Clocked, HINT, refusalAnswer, unavailable } from "./answer.ts";
import { freesMemory, isRead, memoryFull, storesSomething } from "./limits.ts";
import { type InboundRequest, UNKNOWN_PATH } from "../simulator/worlds/inbound-request.ts";
import { DEFAULT_WORLD, type Worlds } from "../simulator/worlds/worlds.ts";
import { forbidden } from "../simulator/platform/refusals.ts";
import { getPath } from "hono/utils/url";
import { headersOf, requestIdOf } from "./request.ts";
import { memory } from "../base/memory.ts";
import { errorStatuses } from "../simulator/api/operations.ts";
import { performance } from "node:perf_hooks";
import { isControlPath } from "../simulator/api/routes.ts";
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
): Layer {
  let inFlight = 0;
  return (answer) =>
    function acceptRequest(request, env) {
      const received = receive(router, request, env);
      env.received = received;
      const answerNamed = (): Answering =>
        whenAnswered(
          () => answer(request, env),
          (response) => nameAnswer(env, response),
        );
      const { log } = env;
      if (log === undefined) return answerNamed();
      const { method } = request;
      const { path } = received;
      const isLogged = log.isDebugEnabled !== false;
      const began = isLogged ? performance.now() : 0;
      const isTight = !isRead(method) && memory.isFull;
      const refusal =
        inFlight >= inFlightMax
          ? tooManyRequests(clock, inFlightMax)
          : refusalOf(clock, request, env, isTight && storesSomething(method, path));
      if (refusal !== undefined) {
        nameAnswer(env, refusal);
        return refusal;
      }
      inFlight++;
      return whenAnswered(answerNamed, (response) => {
        inFlight--;
        if (response === undefined) return;
        if (isTight && freesMemory(method, path)) memory.freed();
        if (isLogged) logRequest(request, env, response, performance.now() - began);
      });
    };
}

/** Returns a request with its id and its operation. */
function receive(
  router: Pick<Router, "match">,
  request: Request,
  { incoming }: RequestEnvironment,
): ReceivedRequest {
  const path = getPath(request);
  const headers = headersOf(request, incoming);
  return { id: requestIdOf(headers), path, headers, matched: router.match(request.method, path) };
}

function tooManyRequests(clock: Clocked, inFlightMax: number): Response {
  const message = `The server already answers ${inFlightMax} requests. Send the request again in a second.`;
  return unavailable(clock, message, { "retry-after": "1" });
}

/** Returns the refusal of a request, before any other layer sees it. */
function refusalOf(
  clock: Clocked,
  { url }: Request,
  { names, received }: RequestEnvironment,
  hasNoRoom: boolean,
): Response | undefined {
  const foreign = OPEN_PATHS.has(received?.path ?? "") ? undefined : foreignName(url, names);
  if (foreign !== undefined) return refusalAnswer(clock, forbidden(foreign));
  return hasNoRoom ? unavailable(clock, memoryFull()) : undefined;
}

/**
 * Puts the id of a request into its answer. Most answers have it already, because a header of the connection makes Node
 * merge two lists.
 */
function nameAnswer({ outgoing, received, named }: RequestEnvironment, answer: Response | undefined): void {
  if (answer !== undefined && named?.inbound.namedIn === answer) return;
  const { id = "" } = received ?? {};
  if (outgoing !== undefined) outgoing.setHeader(REQUEST_ID_HEADER, id);
  else if (answer !== undefined && answer.type !== "error") answer.headers.set(REQUEST_ID_HEADER, id);
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
  { method, url }: Request,
  { log, received }: RequestEnvironment,
  { status, headers }: Response,
  tookMs: number,
): void {
  const path = new URL(url).pathname.slice(0, 200);
  const durationMs = Math.round(tookMs * 10) / 10;
  const hint = headers.get(HINT);
  const advice = hint === null ? "" : `: ${hint}`;
  log?.debug(
    { requestId: received?.id, method, path, status, durationMs, ...(hint !== null && { hint }) },
    `${method} ${path} ${status} in ${durationMs} ms${advice}`,
  );
}

/** Called with each answered request. The status is null if its connection was dropped. */
export type AnsweredListener = (
  request: InboundRequest,
  answered: {
    /** The operation of the platform's API at the path. Undefined if there is none. */
    readonly operation: string | undefined;
    readonly world: World;
    readonly status: number | null;
    readonly durationMs: number;
  },
) => void;

/**
 * Puts each answered request into the journal of its world, and counts the errors of the platform API.
 */
export function noteRequests(worlds: Worlds, listener?: AnsweredListener): Layer {
  return (answer) =>
    function noteRequest(request, env) {
      const { named: ofEarlierTry } = env;
      const began = performance.now();
      return whenAnswered(
        () => answer(request, env),
        (response) => {
          const { named, isDropped } = env;
          named?.inbound.close();
          if (response === undefined || named === undefined || named === ofEarlierTry) return;
          const status = isDropped === true ? null : response.status;
          finish(worlds, named, { status, durationMs: performance.now() - began }, listener);
        },
      );
    };
}

/** Notes an answered request. Its status is null if its connection was cut. */
function finish(
  worlds: Worlds,
  { matched, caller, inbound }: NamedRequest,
  { status, durationMs }: { readonly status: number | null; readonly durationMs: number },
  listener: AnsweredListener | undefined,
): void {
  inbound.ended(status, durationMs);
  const isRefused = status !== null && status >= 400;
  const { head } = inbound;
  if (listener === undefined && inbound.isJournaled && !isRefused) return;
  // After a failure, the storage may have built the worlds again.
  const world = worlds.here(caller.world?.id ?? DEFAULT_WORLD) ?? worlds.here(DEFAULT_WORLD);
  if (world === undefined) return;
  const isControl = isControlPath(head.path);
  const operation = isControl ? undefined : matched?.id;
  listener?.(inbound, { operation, world, status, durationMs });
  if ((inbound.isJournaled && !isRefused) || isControl) return;
  if (isRefused) world.coverage.refused(codeIn(inbound.answer) ?? codeOf(status));
  const name = operation ?? (isLost(head, status) ? UNKNOWN_PATH : undefined);
  if (name !== undefined) world.note({ by: "call", name }, inbound);
}

/** Returns true if a client called an operation that does not exist. A browser's request for a page is not a call. */
function isLost({ path, headers }: RequestHead, status: number | null): boolean {
  return status === 404 && !path.startsWith("/pay/") && (headers["sec-fetch-dest"] ?? "empty") === "empty";
}

/** Returns the error code for a status (assumption: http.statuses). */
function codeOf(status: number): string {
  return Object.entries(errorStatuses).find(([, one]) => one === status)?.[0] ?? "INTERNAL_ERROR";
}

/** Returns the code of an error. Undefined if the answer has no code, such as an answer in sentences. */
function codeIn(answer: string | undefined): string | undefined {
  const { error } = (answer === undefined ? {} : JSON.parse(answer)) as { error?: unknown };
  return typeof error === "string" ? error : undefined;
}
