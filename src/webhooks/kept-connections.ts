import { Agent, type AgentOptions, type ClientRequest } from "node:http";
import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import { callbackify } from "node:util";
import { clearTimeout, setTimeout } from "node:timers";

/** The longest time that a connection without a request is kept. */
const KEPT_MAX_MS = 10_000;

/** A receiver may close a connection at the end of the time that it names: it is kept for this much less. */
const MARGIN_MS = 1_000;

/** Connections to one receiver that are kept without a request. */
const KEPT_PER_ORIGIN = 32;

/**
 * The connections of Node's HTTP client to receivers. With `keepAlive`, a connection is kept for a later attempt to the
 * same origin if the receiver says for how long (header Keep-Alive). Other receivers, such as a server with a single
 * thread, may wait for the end of each connection. `destroy` closes all connections at once.
 */
export class Connections extends Agent {
  constructor(options: Pick<AgentOptions, "keepAlive">) {
    super({ ...options, maxFreeSockets: KEPT_PER_ORIGIN });
  }

  override getName(options?: object): string {
    return (options as { readonly origin: string }).origin;
  }

  override createConnection(options: object, done: (error: Error | null, line: Duplex) => void): undefined {
    const { dial } = options as { readonly dial: () => Promise<Line> };
    callbackify(dial)(done);
  }

  override keepSocketAlive(line: Duplex): boolean {
    return (line as Line).keep();
  }

  override reuseSocket(line: Duplex, request: ClientRequest): void {
    (line as Line).reuse();
    super.reuseSocket(line, request);
  }
}

/**
 * A connection as Node's HTTP client reads it: with the bytes of the receiver. The sender writes the bytes of the
 * request to `socket` itself. The bytes that the client writes are dropped.
 */
export class Line extends Duplex {
  /** TCP itself or TLS over it. */
  readonly socket: Socket;
  /** The time that the receiver keeps the connection after the present answer. */
  keptMs = 0;
  #isIdle = false;
  #expiry: NodeJS.Timeout | undefined;

  constructor(socket: Socket) {
    super({
      read: () => void socket.resume(),
      write: (_bytes, _encoding, done) => done(),
      destroy: (error, done) => {
        clearTimeout(this.#expiry);
        socket.destroy();
        done(error);
      },
    });
    this.socket = socket;
    this.on("error", () => {});
    socket.on("data", (bytes: Buffer) => this.#receive(bytes));
    socket.on("end", () => (this.#isIdle ? this.destroy() : this.push(null)));
    socket.on("error", (error) => this.destroy(error));
    socket.on("close", () => this.#isIdle && this.destroy());
  }

  /** Closes the connection. The HTTP client calls it after an answer to a connection that is not kept. */
  destroySoon(): void {
    this.destroy();
  }

  /** Notes how long the receiver keeps the connection, by the header Keep-Alive of its answer. */
  allow(keepAlive: string | undefined): void {
    if (keepAlive === undefined) return;
    const seconds = Number(/\btimeout=(\d+)/i.exec(keepAlive)?.[1] ?? 0);
    this.keptMs = Math.min(seconds * 1_000 - MARGIN_MS, KEPT_MAX_MS);
  }

  /** Keeps the connection without a request, as long as the receiver does. Returns false if it does not. */
  keep(): boolean {
    if (this.keptMs <= 0 || this.destroyed) return false;
    this.#isIdle = true;
    this.#expiry = setTimeout(() => this.destroy(), this.keptMs).unref();
    this.socket.resume();
    this.socket.unref();
    return true;
  }

  /** Prepares a kept connection for another request. */
  reuse(): void {
    clearTimeout(this.#expiry);
    this.#isIdle = false;
    this.keptMs = 0;
  }

  /** Keeps the process alive again. */
  ref(): void {
    this.socket.ref();
  }

  /** Passes on bytes in pieces: Node reads all interim answers of one piece in one turn. */
  #receive(bytes: Buffer): void {
    // No request is answered by bytes that come without one.
    if (this.#isIdle) return void this.destroy();
    for (let at = 0; at < bytes.length && !this.destroyed; at += PIECE_BYTES)
      if (!this.push(bytes.subarray(at, at + PIECE_BYTES))) this.socket.pause();
  }
}

const PIECE_BYTES = 4_096;
