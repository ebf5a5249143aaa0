import type { Handler, ReceivedRequest } from "../environment.ts";
import type { WorldLocation, SharedWorlds } from "./shared-worlds.ts";
import type { LoadedWorld } from "./loaded-worlds.ts";
import {
  FORWARDED_ANSWER,
  type Forwarded,
  type Forwarder,
  NOT_MINE,
  type NotAnswered,
  isForwarded,
} from "./forwarding.ts";
import { isRead } from "../limits.ts";
import { DEFAULT_WORLD, type Worlds } from "../../simulator/worlds/worlds.ts";
import { HTTPException } from "hono/http-exception";
import { CUT_STATUS, dropConnection, unavailable } from "../answer.ts";
import { StorageFailure, WorldLost } from "../storage/storage.ts";
import { Patience } from "./patience.ts";
import { worldOfRequest } from "./request-world.ts";

interface SharedAnswerOptions {
  readonly worlds: Worlds;
  readonly forwarder: Forwarder;
  readonly leaseMs: number;
  /** Answers a request about a world of this server, or about no world. */
  readonly answer: Handler<ReceivedRequest>;
}

/** The result of a request on this server: an answer, or no answer because its world was lost before. */
type AnswerHere = { readonly response: Response } | { readonly isUndone: boolean };

/**
 * Answers a request about any world: here if this server has it, otherwise by the server that has it. An answer
 * leaves only after every change that it may have made or seen is stored.
 *
 * If the server of a request is lost on the way, the request is repeated only if that changes nothing more: it took
 * no effect, only reads, or has an idempotency key that its operation reads.
 */
export class SharedAnswers {
  readonly #shared: SharedWorlds;
  readonly #options: SharedAnswerOptions;

  constructor(shared: SharedWorlds, options: SharedAnswerOptions) {
    this.#shared = shared;
    this.#options = options;
  }

  readonly answer: Handler<ReceivedRequest> = async (given) => {
    const shared = this.#shared;
    if (shared.isStopping) given.env.outgoing?.setHeader("connection", "close");
    try {
      const cameForwarded = isForwarded(given.request, shared.storage.secret);
      const received = withoutCredentials(cameForwarded ? { ...given, isForwarded: true } : given);
      const { request } = received;
      const id = await worldOfRequest(received);
      if (id !== undefined) return await this.#answerIn(id, received);
      // A removed server could not store a new world.
      if (!isRead(request.method)) await shared.membership.ensureLease();
      return await this.#options.answer(received);
    } catch (error) {
      if (error instanceof StorageFailure) return this.#unavailable(error.message);
      if (error instanceof WorldLost)
        return this.#unavailable("The world was lost while the request was answered.");
      if (error instanceof HTTPException) return this.#unavailable(error.message);
      throw error;
    }
  };

  async #answerIn(world: string, given: ReceivedRequest): Promise<Response> {
    const { request } = given;
    const isRepeatable = isRead(request.method) || hasKey(given);
    const patience = new Patience(this.#options.leaseMs);
    while (patience.hasNext()) {
      const { id, location } = await this.#locationOf(world);
      if (location.kind === "here") {
        const outcome = await this.#answerHere(location.loaded, given);
        if ("response" in outcome) return outcome.response;
        if (!outcome.isUndone && !isRepeatable) return this.#uncertain(given);
        continue;
      }
      if (given.isForwarded === true) return notMine();
      const answered = await this.#forward(location, given);
      if ("response" in answered) {
        if (answered.response.status === CUT_STATUS) return dropConnection(given);
        if (answered.note === undefined) return answered.response;
        // This server may have the world itself now.
        await this.#shared.moved(id, { isSilent: false });
        continue;
      }
      if (request.signal.aborted) return this.#uncertain(given);
      await this.#shared.moved(id, { isSilent: true });
      if (!answered.isUnsent && !isRepeatable) return this.#uncertain(given);
    }
    return this.#unavailable("The server that has the world does not answer.");
  }

  /**
   * Finds the location of a world. For a missing world, returns the default world, because the credentials may belong
   * to the default world.
   */
  async #locationOf(id: string): Promise<{ readonly id: string; readonly location: WorldLocation }> {
    const location = await this.#shared.locate(id);
    if (location !== undefined) return { id, location };
    const ofDefault = await this.#shared.locate(DEFAULT_WORLD);
    if (ofDefault === undefined) throw new StorageFailure("There is no default world yet.");
    return { id: DEFAULT_WORLD, location: ofDefault };
  }

  async #answerHere(loaded: LoadedWorld, received: ReceivedRequest): Promise<AnswerHere> {
    const { request } = received;
    const { stored } = loaded;
    const before = stored.sent;
    try {
      // A change that cannot be stored must be undone. The world may be lost while the database is reached.
      if (!isRead(request.method)) await this.#shared.storage.database.reach();
      return await this.#shared.loadedWorlds.use(loaded, async () => {
        if (!isRead(request.method) && loaded.isReadOnly) {
          await this.#shared.reload(loaded.id);
          throw new WorldLost(`The world ${loaded.id} was loaded again.`);
        }
        const response = await this.#options.answer(received);
        await stored.settled();
        return { response };
      });
    } catch (error) {
      // A sent change without an answer may be stored, even if another server has the world by now.
      if (error instanceof WorldLost) return { isUndone: stored.sent <= before };
      // A read that saw a change that could not be stored sees the world without it.
      const isReadOnlyNow =
        this.#shared.loadedWorlds.get(loaded.id)?.isReadOnly === true && !loaded.isReadOnly;
      if (error instanceof StorageFailure && isRead(request.method) && isReadOnlyNow)
        return { isUndone: true };
      throw error;
    }
  }

  async #forward(
    { server, url }: Extract<WorldLocation, { readonly kind: "there" }>,
    received: ReceivedRequest,
  ): Promise<Forwarded | NotAnswered> {
    const body = isRead(received.request.method) ? undefined : new Uint8Array(await received.body.bytes());
    const controller = new AbortController();
    const unwatch = this.#shared.membership.watch(server, controller);
    const unlisten = onDisconnect(received, () => controller.abort());
    const { secret, server: self } = this.#shared.storage;
    try {
      const { signal } = controller;
      const answered = await this.#options.forwarder.send(received, {
        url,
        body,
        server: self,
        secret,
        signal,
      });
      if ("response" in answered) {
        this.#shared.forwarded++;
        if (answered.isStream)
          return { ...answered, response: this.#untilClosing(answered.response, controller, unwatch) };
      }
      unwatch();
      return answered;
    } finally {
      unlisten();
    }
  }

  /** Returns a stream that ends with this server, and with the server that it comes from. */
  #untilClosing(response: Response, controller: AbortController, unwatch: () => void): Response {
    const { signal: closing } = this.#options.worlds.closing;
    const end = (): void => controller.abort();
    closing.addEventListener("abort", end);
    const source = response.body?.getReader();
    const done = (): void => {
      closing.removeEventListener("abort", end);
      unwatch();
    };
    const stream = new ReadableStream<Uint8Array>({
      async pull(out) {
        const read = await source?.read().catch(() => undefined);
        if (read === undefined || read.done) {
          done();
          out.close();
        } else out.enqueue(read.value);
      },
      async cancel() {
        done();
        controller.abort();
        await source?.cancel().catch(() => undefined);
      },
    });
    return new Response(stream, { status: response.status, headers: response.headers });
  }

  #unavailable(message: string): Response {
    return unavailable(this.#options.worlds, message, { "retry-after": "1" });
  }

  #uncertain(received: ReceivedRequest): Response {
    const lost =
      "The server that has the world was lost while it answered, so it is not known whether the request took effect.";
    const advice = hasKey(received)
      ? "Send it again with the same idempotency-key."
      : "Read its result before you send it again: a repetition may take effect twice.";
    return this.#unavailable(`${lost} ${advice}`);
  }
}

/** Returns true if a repetition of the request has no further effect. Only some operations read the key. */
function hasKey({ headers, matched }: ReceivedRequest): boolean {
  return headers["idempotency-key"] !== undefined && matched?.operation.idempotencyKey !== undefined;
}

function notMine(): Response {
  return new Response(null, { status: 421, headers: { [FORWARDED_ANSWER]: NOT_MINE } });
}

/** Calls the listener when the client goes away, until the function it returns is called. */
function onDisconnect(
  { request: { signal }, env: { outgoing } }: ReceivedRequest,
  listener: () => void,
): () => void {
  if (outgoing !== undefined) {
    outgoing.once("close", listener);
    return () => outgoing.off("close", listener);
  }
  signal.addEventListener("abort", listener);
  return () => signal.removeEventListener("abort", listener);
}

/** Returns the request without the credentials of another world if its path names the world that it drops. */
function withoutCredentials(received: ReceivedRequest): ReceivedRequest {
  const { request } = received;
  const { url, method, signal } = request;
  if (method !== "DELETE" || !new URL(url).pathname.startsWith("/sandbox/worlds/")) return received;
  const headers = new Headers(request.headers);
  headers.delete("authorization");
  const { authorization: _, ...others } = received.headers;
  return { ...received, request: new Request(url, { method, headers, signal }), headers: others };
}
