import type { World } from "../simulator/worlds/world.ts";
import type { AccessToken } from "../simulator/platform/companies/access-token.ts";
import type { Context, Hono } from "hono";
import type { IncomingMessage } from "node:http";
import type { InboundRequest } from "../simulator/worlds/inbound-request.ts";
import type { RequestHead } from "../simulator/worlds/masking.ts";
import type { Log } from "../base/log.ts";
import type { Operation } from "../simulator/api/operations.ts";
import type { Route } from "../simulator/api/routes.ts";

/** The sender of a request: the world that it is about, and its company. */
export interface Caller {
  /** The world that an id or a token names, otherwise the default world. Undefined if another server has it. */
  readonly world: World | undefined;
  /** The token. Undefined if it is missing, unknown or expired (assumption: auth.header). */
  readonly token: AccessToken | undefined;
  /** The reason why the sent token is unknown. */
  readonly hint?: string | undefined;
  /** True if the request has the header `Authorization`. */
  readonly hasCredentials: boolean;
}

/** An operation of an API, and how it is answered. */
export interface Mounted {
  /** The name of the operation in its catalog. */
  readonly id: string;
  readonly operation: Route & Partial<Pick<Operation, "errorForm" | "idempotencyKey">>;
  readonly answer: Handler<NamedRequest>;
}

/** The operation at the path of a request, with the values of the path's parameters. */
export interface Matched extends Mounted {
  readonly params: Readonly<Record<string, string>>;
}

/**
 * The body of a request. Its connection sends the body once, but servers may answer the request more than once: a world
 * that is lost before its answer is stored answers again, here or at another server. So only this reads the body, and
 * it keeps the bytes until the last answer.
 */
export interface RequestBody {
  /**
   * Returns the bytes. If the body is too large, returns only its beginning, which is too large as well. Rejects if the
   * server has no room for the body, or if the body ended too early. A large body counts until `named` is answered,
   * because a waiting request keeps its body.
   */
  bytes(named?: Partial<NamedRequest>): Promise<ArrayBuffer | Uint8Array>;
}

/** A request as it arrived: the first of the four states in `request-life.ts`. */
export interface ReceivedRequest {
  readonly request: Request;
  readonly body: RequestBody;
  readonly env: RequestEnvironment;
  /** The id of the request in the log and in the answer. */
  readonly id: string;
  /** The decoded path, without the query. */
  readonly path: string;
  /** The headers that the client sent, by name. */
  readonly headers: RequestHead["headers"];
  /** The operation of the platform or of the sandbox at the path. */
  readonly matched: Matched | undefined;
  /** True if another server passed it on. */
  readonly isForwarded?: true;
}

/** A received request whose sender is known. */
export interface NamedRequest extends ReceivedRequest {
  readonly caller: Caller;
  /** The request as the journals of worlds keep it. */
  readonly inbound: InboundRequest;
  readonly end: RequestEnd;
  /** The world whose limits it counts for, empty if it names none. Undefined if it counts for no limit. */
  readonly countedFor?: string;
}

/** An answered request. */
export interface AnsweredRequest {
  readonly named: NamedRequest;
  /** Null if its connection was dropped instead of an answer. */
  readonly status: number | null;
  readonly durationMs: number;
}

/** An answered request as it is logged. */
export interface LoggedRequest extends Omit<AnsweredRequest, "named"> {
  readonly inbound: InboundRequest;
  /** The operation of the platform's API at the path. Undefined if there is none. */
  readonly operation: string | undefined;
  readonly world: World;
}

/** Called with each request that is answered. */
export type LoggedListener = (logged: LoggedRequest) => void;

/** The end of a request: it is answered, or will not be. */
export class RequestEnd {
  #listeners: (() => void)[] | undefined;

  /** Calls the listener once at the end. */
  on(listener: () => void): void {
    (this.#listeners ??= []).push(listener);
  }

  reached(): void {
    const listeners = this.#listeners;
    this.#listeners = undefined;
    if (listeners !== undefined) for (const listener of listeners) listener();
  }
}

/** An answer, or the promise of an answer that needs more than one turn. */
export type Answering = Response | Promise<Response>;

/** Answers the requests that arrive at a port or in process. */
export type RequestHandler = (request: Request, env: RequestEnvironment) => Answering;

/** Answers requests in one of their states. */
export type Handler<State> = (request: State) => Answering;

/** Adds a step before or after the answers of a handler. */
export type Layer<State> = (answer: Handler<State>) => Handler<State>;

/**
 * Returns the answer, and calls `ended` before it leaves. An answer that is ready needs no other turn. `ended` gets no
 * answer if the request failed.
 */
export function whenAnswered(
  answer: () => Answering,
  ended: (response: Response | undefined) => void,
): Answering {
  let answering: Answering | undefined;
  try {
    answering = answer();
    if (answering instanceof Promise) return awaited(answering, ended);
  } finally {
    if (!(answering instanceof Promise)) ended(answering);
  }
  return answering;
}

async function awaited(
  answering: Promise<Response>,
  ended: (response: Response | undefined) => void,
): Promise<Response> {
  let response: Response | undefined;
  try {
    response = await answering;
    return response;
  } finally {
    ended(response);
  }
}

/** The surroundings of a request: the port that it arrived at, and its connection. */
export interface RequestEnvironment {
  /** The log of the port that received the request. Undefined in process. */
  readonly log?: Log;
  /** Names that requests to this port may be sent to, in addition to its own; default: any name. */
  readonly names?: readonly string[];
  /** The URL of the sandbox for clients. Default: the address of the request. */
  readonly origin?: string;
  readonly incoming?: Pick<IncomingMessage, "headers" | "rawHeaders" | "socket">;
  readonly outgoing?: {
    setHeader(name: string, value: string): unknown;
    once(event: "close" | "finish", listener: () => void): unknown;
    off(event: "close", listener: () => void): unknown;
  };
}

/** Returns the request of a handler of Hono. */
export function namedOf(c: Context): NamedRequest {
  return c.env as NamedRequest;
}

/** The types of an app of Hono. The environment of a request is the request, once its sender is known. */
export interface ServerEnv {
  Bindings: NamedRequest;
}

/** Layers that are added to the app from outside. */
export interface AppLayers {
  /** Sees every request, also a request that another server answers. */
  readonly counting?: Layer<ReceivedRequest>;
  /** Sees a request once its sender is known. It may refuse the request. */
  readonly limiting?: Layer<NamedRequest>;
  /** Adds paths. */
  readonly mount?: (app: Hono<ServerEnv>) => void;
}
