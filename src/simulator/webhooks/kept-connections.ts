import type { AgentOptions, ClientRequest } from "node:http";
import { http } from "../../base/node-http.ts";
import type { Duplex } from "node:stream";
import { callbackify } from "node:util";

/** The longest time that a connection without a request is kept. */
const KEPT_MAX_MS = 10_000;

/** Connections to one receiver that are kept without a request. */
const KEPT_PER_ORIGIN = 32;

/**
 * The connections of Node's HTTP client to receivers. With `keepAlive`, a connection is kept for a later attempt to the
 * same origin, up to a second before the end of the time that the receiver names (header Keep-Alive). `destroy` closes
 * all connections at once.
 */
export class Connections extends http.Agent {
  /** True for a connection that is kept without a request, false while it has a request again. */
  readonly #isFree = new WeakMap<Duplex, boolean>();

  constructor(options: Pick<AgentOptions, "keepAlive">) {
    super({ ...options, maxFreeSockets: KEPT_PER_ORIGIN, timeout: KEPT_MAX_MS });
  }

  override getName(options?: object): string {
    return (options as { readonly origin: string }).origin;
  }

  override createConnection(options: object, done: (error: Error | null, socket: Duplex) => void): undefined {
    const { dial } = options as { readonly dial: () => Promise<Duplex> };
    callbackify(dial)(done);
  }

  /** Keeps a connection without a request. Bytes without a request and the end of the receiver close it at once. */
  override keepSocketAlive(socket: Duplex): boolean {
    // The types of Node say void.
    const isKept = super.keepSocketAlive(socket) as unknown as boolean;
    if (!isKept) return false;
    if (!this.#isFree.has(socket)) {
      const closeIfFree = (): void => {
        if (this.#isFree.get(socket) === true) socket.destroy();
      };
      // A listener for each time without a request would stop and start the reading each time.
      socket.on("data", closeIfFree).on("end", closeIfFree);
    }
    this.#isFree.set(socket, true);
    return true;
  }

  override reuseSocket(socket: Duplex, request: ClientRequest): void {
    this.#isFree.set(socket, false);
    super.reuseSocket(socket, request);
  }
}
