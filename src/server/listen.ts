import type { AddressInfo, Socket } from "node:net";
import type { DirectRequest, InboundRequest } from "../worlds/inbound-request.ts";
import type { Log } from "./log.ts";
import { type IncomingMessage, type Server, type ServerResponse, createServer } from "node:http";
import { forbidden } from "../platform/refusals.ts";
import { getRequestListener, RequestError } from "@hono/node-server";
import { type Clocked, refusalAnswer, whenAnswered } from "./answer.ts";
import { freesMemory, isRead, memoryFull, storesSomething, unavailable } from "./unavailable.ts";
import { memory } from "../process/memory.ts";
import { OWN_NAME } from "./sandbox-api/guards.ts";
import { pathnameOf, REQUEST_ID, requestIdOf, siteOf } from "./request.ts";
import { clearTimeout, setTimeout } from "node:timers";
import { performance } from "node:perf_hooks";

/** Answers a request. */
export type Answer = (request: Request, env?: RequestEnvironment) => Response | Promise<Response>;

/** The environment of a request that arrived at a port. */
export interface RequestEnvironment {
  log?: Log;
  /** The id under which the request is logged and answered. */
  requestId?: string;
  /** The request as the journals of worlds keep it. */
  inbound?: InboundRequest;
  /** Whether another server passed it on. */
  isForwarded?: true;
  /** Takes an answer with long lists as a value: a caller in this process would only parse its JSON again. */
  readonly take?: (answer: object) => void;
  /** What a caller in this process hands over without streams: see `InboundRequest`. */
  readonly direct?: DirectRequest;
  /** The request as it came to the port: a later one may have other headers. */
  arrived?: Request;
  readonly incoming?: Pick<IncomingMessage, "rawHeaders" | "socket">;
  readonly outgoing?: {
    setHeader(name: string, value: string): unknown;
    once(event: "close", listener: () => void): unknown;
    off(event: "close", listener: () => void): unknown;
  };
}

/** Requests that are answered at a time, whatever their worlds are; any more are refused with 503. */
const IN_FLIGHT_MAX = 4_000;

interface AcceptOptions {
  readonly log: Log;
  /** The time for the answers that are made here. */
  readonly clock: Clocked;
  readonly inFlightMax?: number;
  /** Names that requests may be sent to, in addition to its own; default: any name. */
  readonly names?: readonly string[];
}

/**
 * Gives each request from a port an id and logs it. Refuses requests with 503 while too many are being answered, and
 * those that would store something while memory is nearly used up. Refuses with 403 what was sent to a name that anyone
 * could have pointed here: a web page that was loaded from that name could read and change everything.
 */
export function acceptRequests(
  answer: Answer,
  { log, clock, inFlightMax = IN_FLIGHT_MAX, names }: AcceptOptions,
): Answer {
  let inFlight = 0;

  /** The answer to a request that nobody else gets to see. */
  function refusalOf(request: Request, isTight: boolean): Response | undefined {
    if (inFlight >= inFlightMax) {
      const message = `More than ${inFlightMax} requests are being answered at the moment. Send the request again in a second.`;
      return unavailable(clock, message, { "retry-after": "1" });
    }
    const foreign = names === undefined ? undefined : foreignName(request, names);
    if (foreign !== undefined) return refusalAnswer(clock, forbidden(foreign));
    return isTight && storesSomething(request) ? unavailable(clock, memoryFull()) : undefined;
  }

  return function acceptRequest(request, env = {}) {
    const requestId = requestIdOf(request);
    const isTight = !isRead(request) && memory.isFull;
    const refusal = refusalOf(request, isTight);
    env.log = log;
    env.requestId = requestId;
    env.arrived = request;
    const began = log.isDebugEnabled === false ? undefined : performance.now();
    inFlight++;
    return whenAnswered(
      () => refusal ?? answer(request, env),
      (response) => {
        inFlight--;
        // A header of the connection makes Node merge two lists, so most answers have it already.
        if (response === undefined || env.inbound?.namedIn !== response)
          env.outgoing?.setHeader(REQUEST_ID, requestId);
        if (response === undefined || response === refusal) return;
        if (isTight && freesMemory(request)) memory.freed();
        if (began !== undefined) logRequest(log, { request, requestId, response, began });
      },
    );
  };
}

/** It shows only that the server is up, and a load balancer may ask by any name. */
const OPEN_PATHS: ReadonlySet<string> = new Set(["/sandbox/health", "/sandbox/ready"]);

function foreignName({ url }: Request, names: readonly string[]): string | undefined {
  const { hostname } = siteOf(url);
  if (names.includes(hostname) || OWN_NAME.test(hostname) || OPEN_PATHS.has(pathnameOf(url)))
    return undefined;
  return `The sandbox does not answer under the name ${hostname.slice(0, 200)}, which anyone could have pointed here. Call it by its address, as localhost or by a name without a dot, listen on that name with --host, or protect it with --admin-token.`;
}

interface AnsweredRequest {
  readonly request: Request;
  readonly requestId: string;
  readonly response: Response;
  readonly began: number;
}

/** Logs the method, the path and the status of a request; never its contents. */
function logRequest(log: Log, { request, requestId, response, began }: AnsweredRequest): void {
  const { method, url } = request;
  const { status } = response;
  const path = pathnameOf(url).slice(0, 200);
  const durationMs = Math.round((performance.now() - began) * 10) / 10;
  log.debug(
    { requestId, method, path, status, durationMs },
    `${method} ${path} ${status} in ${durationMs} ms`,
  );
}

export interface Listening {
  readonly url: string;
  readonly port: number;
  /** Accepts no more requests, finishes those in flight, and resolves when the last is done. */
  readonly close: () => Promise<void>;
}

/** What one client can use of the server, so that a server can be left running. */
export interface ConnectionLimits {
  readonly connectionsMax: number;
  readonly headerBytesMax: number;
  /** Until the head of a request has arrived. */
  readonly headTimeoutMs: number;
  /** Until the whole of a request has arrived. */
  readonly requestTimeoutMs: number;
  /** Without a byte in either direction: an `advance` over years may take a while to answer. */
  readonly idleTimeoutMs: number;
  /** Between two requests on one connection. */
  readonly keepAliveTimeoutMs: number;
  /** For the requests in flight when the server is closed. */
  readonly shutdownTimeoutMs: number;
}

const LIMITS: ConnectionLimits = {
  connectionsMax: 5_000,
  headerBytesMax: 16_384,
  headTimeoutMs: 15_000,
  requestTimeoutMs: 60_000,
  idleTimeoutMs: 900_000,
  keepAliveTimeoutMs: 30_000,
  shutdownTimeoutMs: 10_000,
};

/** Opens a port where requests are answered. Rejects with the operating system's error where it cannot. */
export function listen(
  answer: Answer,
  { port, host }: { readonly port: number; readonly host: string },
  limits: ConnectionLimits = LIMITS,
): Promise<Listening> {
  const serverOptions = {
    maxHeaderSize: limits.headerBytesMax,
    headersTimeout: limits.headTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    connectionsCheckingInterval: Math.min(limits.headTimeoutMs, 5_000),
    // Node answers a missing Host with an empty body; `hasHost` is checked below instead.
    requireHostHeader: false,
  };
  const answerRequest = getRequestListener(answer, { hostname: host, errorHandler: answerFailure });
  return new Promise((resolve, reject) => {
    const server = createServer(serverOptions, (incoming, outgoing) => {
      if (hasHost(incoming)) void answerRequest(incoming, outgoing);
      else refuse(outgoing, 400, "The header Host is missing. Send it with the address of this server.");
    });
    server.maxConnections = limits.connectionsMax;
    server.setTimeout(limits.idleTimeoutMs);
    server.on("clientError", answerUnreadable);
    server.on("checkExpectation", ({ headers }: IncomingMessage, outgoing: ServerResponse) => {
      const found = headers.expect?.slice(0, 60) ?? "";
      refuse(outgoing, 417, `The header Expect can only be 100-continue; found "${found}". Leave it out.`);
    });
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      const address = server.address() as AddressInfo;
      const shownHost = host.includes(":") ? `[${host}]` : host;
      const close = (): Promise<void> => closeServer(server, limits.shutdownTimeoutMs);
      resolve({ url: `http://${shownHost}:${address.port}`, port: address.port, close });
    });
  });
}

/** HTTP/1.1 requires the header (RFC 9112, 3.2). */
function hasHost({ headers, httpVersion }: IncomingMessage): boolean {
  return headers.host !== undefined || httpVersion !== "1.1";
}

/** The body of a refusal that was decided before the operation of the request was known. */
function refusalBody(message: string): string {
  return JSON.stringify({ error: "INVALID_REQUEST", message, details: [] });
}

/** Refuses a request whose head is wrong, without reading its body, and closes its connection. */
function refuse(outgoing: ServerResponse, status: 400 | 417, message: string): void {
  const body = refusalBody(message);
  const length = Buffer.byteLength(body);
  // The date of an answer is the time of a world, and this request has none.
  outgoing.sendDate = false;
  outgoing.writeHead(status, {
    "content-type": "application/json",
    "content-length": length,
    connection: "close",
  });
  outgoing.end(body);
}

/** The answer to a request whose URL or Host is not valid, and to one whose answer failed. */
function answerFailure(error: unknown): Response {
  const headers = { "content-type": "application/json" };
  if (error instanceof RequestError) {
    const message = `The request is not valid: ${error.message}. Check its path and the header Host.`;
    return new Response(refusalBody(message), { status: 400, headers });
  }
  const message = "The sandbox failed: this is a bug in sandbank.";
  const body = JSON.stringify({ error: "INTERNAL_ERROR", message, details: [] });
  return new Response(body, { status: 500, headers });
}

/** What is wrong with a request that could not be parsed, by the error of Node's parser. */
const UNREADABLE: Readonly<Record<string, readonly [status: string, message: string]>> = {
  HPE_HEADER_OVERFLOW: [
    "431 Request Header Fields Too Large",
    "The headers are too large. Send fewer, or shorter ones.",
  ],
  ERR_HTTP_REQUEST_TIMEOUT: [
    "408 Request Timeout",
    "The request did not arrive within the time limit. Send it again.",
  ],
};

/** Answers a request that could not be parsed, and closes its connection. */
function answerUnreadable({ code }: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || code === "ECONNRESET") return void socket.destroy();
  // Bytes after the last request of a connection are ignored (RFC 9112, 9.6); its answer is still being sent.
  if (code === "HPE_CLOSED_CONNECTION") return;
  const [status, message] = UNREADABLE[code ?? ""] ?? [
    "400 Bad Request",
    "This is not a valid HTTP request. Send HTTP/1.1.",
  ];
  const body = refusalBody(message);
  const head = `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n`;
  socket.end(head + body, () => socket.destroy());
}

/** Waits for the requests in flight, up to a limit: a client that stops reading must not keep the server running. */
function closeServer(server: Server, shutdownTimeoutMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timeout = setTimeout(() => server.closeAllConnections(), shutdownTimeoutMs);
    // A connection whose answer ends only now, such as that of a stream, is kept alive by its client.
    const sweep = setInterval(() => server.closeIdleConnections(), 20);
    server.close(() => {
      clearTimeout(timeout);
      clearInterval(sweep);
      resolve();
    });
  });
}
