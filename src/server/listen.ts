import type { AddressInfo, Socket } from "node:net";
import type { RequestHandler } from "./environment.ts";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { http } from "../base/node-http.ts";
import { getRequestListener, RequestError } from "@hono/node-server";
import { clearTimeout, setTimeout } from "node:timers";

interface Listening {
  readonly url: string;
  readonly port: number;
  /** Stops accepting requests, and resolves when the last request in flight is done. */
  readonly close: () => Promise<void>;
}

/** The time limits of one client, so that no client can block a server. */
export interface ListenLimits {
  readonly connectionsMax: number;
  readonly headerBytesMax: number;
  /** The time until the head of a request has arrived. */
  readonly headTimeoutMs: number;
  /** The time until the whole request has arrived. */
  readonly requestTimeoutMs: number;
  /** The time without a byte in either direction. An `advance` over years may need this long to answer. */
  readonly idleTimeoutMs: number;
  /** The time between two requests on one connection. It is longer than in load balancers, which keep 60 to 75 s. */
  readonly keepAliveTimeoutMs: number;
  /** The time for requests in flight when the server is closed. */
  readonly shutdownTimeoutMs: number;
}

/** The limits of a server. */
export const LIMITS: ListenLimits = {
  connectionsMax: 5_000,
  headerBytesMax: 16_384,
  headTimeoutMs: 15_000,
  requestTimeoutMs: 60_000,
  idleTimeoutMs: 900_000,
  keepAliveTimeoutMs: 90_000,
  // Docker kills after 10 seconds, and the worlds are stored after this.
  shutdownTimeoutMs: 3_500,
};

/** Opens a port for requests. Rejects with the operating system's error if it cannot. */
export function listen(
  answer: RequestHandler,
  { port, host }: { readonly port: number; readonly host: string },
  limits: ListenLimits = LIMITS,
): Promise<Listening> {
  const serverOptions = {
    maxHeaderSize: limits.headerBytesMax,
    headersTimeout: limits.headTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    connectionsCheckingInterval: Math.min(limits.headTimeoutMs, 5_000),
    // Node answers a missing Host with an empty body; `hostProblem` is checked below instead.
    requireHostHeader: false,
  };
  const answerRequest = getRequestListener(answer, { hostname: host, errorHandler: answerFailure });
  return new Promise((resolve, reject) => {
    /**
     * The connections without a request so far. Browsers open such connections, and Node closes only connections that
     * had an answer.
     */
    const unused = new Set<Socket>();
    const server = http.createServer(serverOptions, (incoming, outgoing) => {
      unused.delete(incoming.socket);
      const problem = hostProblem(incoming);
      if (problem === undefined) void answerRequest(incoming, outgoing);
      else refuse(outgoing, 400, problem);
    });
    // If this process follows the clock, requests to the sandbox do not count as work of the partner.
    Object.assign(server, { [Symbol.for("sandbank.server")]: true });
    server.maxConnections = limits.connectionsMax;
    server.setTimeout(limits.idleTimeoutMs);
    server.on("connection", (socket: Socket) => {
      unused.add(socket);
      socket.once("close", () => unused.delete(socket));
    });
    server.on("clientError", answerUnreadable);
    server.on("checkExpectation", ({ headers }: IncomingMessage, outgoing: ServerResponse) => {
      const found = headers.expect?.slice(0, 60) ?? "";
      refuse(outgoing, 417, `The header Expect can only be 100-continue; found "${found}". Leave it out.`);
    });
    server.once("error", (error: NodeJS.ErrnoException) => {
      // Without IPv6, every address of the machine is an IPv4 address.
      if (host !== "::" || error.code !== "EAFNOSUPPORT") reject(error);
      else resolve(listen(answer, { port, host: "0.0.0.0" }, limits));
    });
    server.listen(port, host, () => {
      server.removeAllListeners("error");
      const address = server.address() as AddressInfo;
      const shownHost = host.includes(":") ? `[${host}]` : host;
      const close = (): Promise<void> => closeServer(server, unused, limits.shutdownTimeoutMs);
      resolve({ url: `http://${shownHost}:${address.port}`, port: address.port, close });
    });
  });
}

/**
 * Finds the problem of the header Host, which HTTP/1.1 requires (RFC 9112, 3.2). A host such as 999.1.1.1 looks like
 * a name to the listener, but makes no URL.
 */
function hostProblem({ headers: { host }, httpVersion }: IncomingMessage): string | undefined {
  if (host === undefined && httpVersion === "1.1")
    return "The header Host is missing. Send it with the address of this server.";
  if (host === undefined || URL.canParse(`http://${host}`)) return undefined;
  return "The request is not valid: Invalid host header. Check its path and the header Host.";
}

/** Returns the body of a refusal, before the operation of the request is known. */
function refusalBody(message: string): string {
  return JSON.stringify({ error: "INVALID_REQUEST", message, details: [] });
}

/** Refuses a request whose head is wrong, without reading its body, and closes its connection. */
function refuse(outgoing: ServerResponse, status: 400 | 417, message: string): void {
  const body = refusalBody(message);
  const length = Buffer.byteLength(body);
  // The date of an answer is the time of a world, and this request has no world.
  outgoing.sendDate = false;
  outgoing.writeHead(status, {
    "content-type": "application/json",
    "content-length": length,
    connection: "close",
  });
  outgoing.end(body);
}

/** Returns the answer to a request with an invalid URL or Host, or to a request whose answer failed. */
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

/** The problems of a request that could not be parsed, by the error of Node's parser. */
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

/** Waits for the requests in flight, up to a limit. A client that stops reading must not keep the server running. */
function closeServer(server: Server, unused: ReadonlySet<Socket>, shutdownTimeoutMs: number): Promise<void> {
  return new Promise((resolve) => {
    for (const socket of unused) socket.destroy();
    const timeout = setTimeout(() => server.closeAllConnections(), shutdownTimeoutMs);
    // A client keeps a connection alive if its answer, such as a stream, ends only now.
    const sweep = setInterval(() => server.closeIdleConnections(), 20);
    server.close(() => {
      clearTimeout(timeout);
      clearInterval(sweep);
      resolve();
    });
  });
}
