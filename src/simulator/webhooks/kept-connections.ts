import type { ClientRequest } from "node:http";
import { http } from "../../base/node-http.ts";
import type { Socket } from "node:net";

/** The longest time that a connection without a request is kept. */
const KEPT_MAX_MS = 10_000;

/** The time before the end that a receiver names: later, a request could meet this end. */
const MARGIN_MS = 1_000;

/** Connections to one receiver that are kept without a request. */
const KEPT_PER_ORIGIN = 32;

/** The options of a request: its origin, and how to open a connection to it. */
export interface ConnectionOptions {
  readonly origin: string;
  readonly dial: () => Promise<Socket>;
}

/** A request. The types of Node leave out that it may get an error in place of a connection. */
type FailingRequest = ClientRequest & { onSocket(socket: null, error: Error): void };

interface Connection {
  readonly socket: Socket;
  readonly origin: string;
  /** The time that it stays open after its last answer. 0 if the receiver names none. */
  keptMs: number;
  /** True while it has no request. */
  isFree: boolean;
}

/**
 * The connections of Node's HTTP client to receivers. With `keepAlive`, a connection is kept for a later attempt to the
 * same origin, up to a second before the end of the time that the receiver names (header Keep-Alive). Without this
 * header it is not kept: receivers such as a server with a single thread may wait for its end. `destroy` closes all
 * connections at once.
 *
 * Node's agent also serves proxies, queues and time-outs of requests. That is a seventh of the processor time of an
 * attempt, so this agent gives requests their connections itself.
 */
export class Connections extends http.Agent {
  readonly #open = new Set<Socket>();
  readonly #free = new Map<string, Connection[]>();

  /** Gives a request its connection. Node's HTTP client calls it. */
  addRequest(request: FailingRequest, { origin, dial }: ConnectionOptions): void {
    const free = this.#free.get(origin) ?? [];
    for (let kept = free.pop(); kept !== undefined; kept = free.pop())
      if (!kept.socket.destroyed) return this.#give(request, kept);
    dial().then(
      (socket) => this.#start(request, { socket, origin, keptMs: 0, isFree: false }),
      (error: Error) => request.onSocket(null, error),
    );
  }

  override destroy(): void {
    for (const socket of this.#open) socket.destroy();
  }

  #start(request: ClientRequest, connection: Connection): void {
    const { socket } = connection;
    this.#open.add(socket);
    this.#give(request, connection);
    const closeIfFree = (): void => {
      if (connection.isFree) socket.destroy();
    };
    // Bytes without a request and the end of the receiver close a kept connection at once.
    socket.on("data", closeIfFree).on("end", closeIfFree).on("timeout", closeIfFree);
    socket.on("free", () => this.#keep(connection)).on("close", () => this.#forget(connection));
  }

  #give(request: ClientRequest, connection: Connection): void {
    const { socket } = connection;
    request.reusedSocket = connection.isFree;
    if (connection.isFree) socket.ref().setTimeout(0);
    connection.isFree = false;
    connection.keptMs = 0;
    if (request.shouldKeepAlive)
      request.once("response", ({ headers }) => {
        connection.keptMs = keptMsOf(headers["keep-alive"]);
        if (connection.keptMs === 0) request.shouldKeepAlive = false;
      });
    request.onSocket(socket);
  }

  /** Keeps a connection after the answer to its request, or closes it. A request without an answer closes it. */
  #keep(connection: Connection): void {
    const { socket, origin, keptMs } = connection;
    const free = this.#free.get(origin) ?? [];
    if (keptMs === 0 || !socket.writable || free.length >= KEPT_PER_ORIGIN) return void socket.destroy();
    connection.isFree = true;
    socket.unref().setTimeout(keptMs);
    this.#free.set(origin, free);
    free.push(connection);
  }

  #forget(connection: Connection): void {
    const { socket, origin } = connection;
    this.#open.delete(socket);
    const others = this.#free.get(origin)?.filter((one) => one !== connection) ?? [];
    if (others.length === 0) this.#free.delete(origin);
    else this.#free.set(origin, others);
  }
}

function keptMsOf(header: string | readonly string[] | undefined): number {
  const seconds = Number(/^timeout=(\d+)/.exec(String(header))?.[1] ?? 0);
  return Math.min(Math.max(seconds * 1_000 - MARGIN_MS, 0), KEPT_MAX_MS);
}
