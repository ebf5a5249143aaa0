import type { AddressInfo, Socket } from "node:net";
import type { Answer } from "./durable-answers.ts";
import type { Server } from "node:http";
import { serve } from "@hono/node-server";

export interface Listening {
  readonly url: string;
  readonly port: number;
  /** Stops taking requests, finishes those in hand, and resolves when the last is done. */
  readonly close: () => Promise<void>;
}

/** What one client can take of the server, so that it is safe to leave on. */
export interface ConnectionBounds {
  readonly connectionsMax: number;
  readonly headerBytesMax: number;
  /** For the head of a request to arrive. */
  readonly headMs: number;
  /** For the whole of a request to arrive. */
  readonly requestMs: number;
  /** Without a byte either way: an `advance` over years may take a while to answer. */
  readonly silenceMs: number;
  /** Between two requests on one connection. */
  readonly keepAliveMs: number;
  /** For the requests in hand when the server is closed. */
  readonly farewellMs: number;
}

const BOUNDS: ConnectionBounds = {
  connectionsMax: 5_000,
  headerBytesMax: 16_384,
  headMs: 15_000,
  requestMs: 60_000,
  silenceMs: 900_000,
  keepAliveMs: 30_000,
  farewellMs: 10_000,
};

interface Place {
  readonly port: number;
  readonly host: string;
}

/** Opens a port where requests are answered. Rejects with the operating system's error where it cannot. */
export function listen(
  answer: Answer,
  { port, host }: Place,
  bounds: ConnectionBounds = BOUNDS,
): Promise<Listening> {
  const serverOptions = {
    maxHeaderSize: bounds.headerBytesMax,
    headersTimeout: bounds.headMs,
    requestTimeout: bounds.requestMs,
    keepAliveTimeout: bounds.keepAliveMs,
    connectionsCheckingInterval: Math.min(bounds.headMs, 5_000),
  };
  return new Promise((resolve, reject) => {
    const server = serve({ fetch: answer, port, hostname: host, serverOptions }, (address: AddressInfo) => {
      server.off("error", reject);
      const shownHost = host.includes(":") ? `[${host}]` : host;
      const close = (): Promise<void> => closeServer(server, bounds.farewellMs);
      resolve({ url: `http://${shownHost}:${address.port}`, port: address.port, close });
    }) as Server;
    server.maxConnections = bounds.connectionsMax;
    server.setTimeout(bounds.silenceMs);
    server.on("clientError", answerUnread);
    server.once("error", reject);
  });
}

/** What is wrong with a request that never became one, by the error of Node's parser. */
const UNREAD: Readonly<Record<string, readonly [status: string, message: string]>> = {
  HPE_HEADER_OVERFLOW: [
    "431 Request Header Fields Too Large",
    "The headers are too large. Send fewer, or shorter ones.",
  ],
  ERR_HTTP_REQUEST_TIMEOUT: ["408 Request Timeout", "The request did not arrive in time. Send it anew."],
};

/** Answers a request that could not be read, and drops its connection. */
function answerUnread({ code }: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || code === "ECONNRESET") return void socket.destroy();
  const [status, message] = UNREAD[code ?? ""] ?? [
    "400 Bad Request",
    "This is not HTTP as the server reads it.",
  ];
  const body = JSON.stringify({ error: "INVALID_REQUEST", message, details: [] });
  const head = `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n`;
  socket.end(head + body, () => socket.destroy());
}

/** Waits for the requests in hand, but not for ever: a client that never reads on must not keep the server up. */
function closeServer(server: Server, farewellMs: number): Promise<void> {
  return new Promise((resolve) => {
    const farewell = setTimeout(() => server.closeAllConnections(), farewellMs);
    server.close(() => {
      clearTimeout(farewell);
      resolve();
    });
    server.closeIdleConnections();
  });
}
