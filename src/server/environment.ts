import type { World } from "../worlds/world.ts";
import type { AccessToken } from "../platform/companies/access-token.ts";
import type { Hono, MiddlewareHandler } from "hono";
import type { IncomingMessage } from "node:http";
import type { InboundRequest } from "../worlds/inbound-request.ts";
import type { RequestHead } from "../worlds/masking.ts";
import type { Log } from "../process/log.ts";

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

/** Answers a request. */
export type RequestHandler = (request: Request, env?: RequestEnvironment) => Response | Promise<Response>;

/** The data of a request: its environment and the findings of the middleware. It is `c.env` of Hono. */
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
  /** True if another server passed it on. */
  isForwarded?: true;
  /** True for a request inside another request, which counts already. */
  readonly isNested?: true;
  /** The id of the request in the log and in the answer. */
  requestId?: string;
  url?: URL;
  /** The headers that the client sent, by name. */
  headers?: RequestHead["headers"];
  /** The sender. */
  caller?: Caller;
  /** The request as the journals of worlds keep it. */
  inbound?: InboundRequest;
}

/** The types of an app of Hono whose requests have that environment. */
export interface ServerEnv {
  Bindings: RequestEnvironment;
}

/** Layers that are added to the app from outside. */
export interface AppLayers {
  /** Sees every request, also a request that another server answers. */
  readonly counting?: MiddlewareHandler<ServerEnv>;
  /** Sees a request once its sender is known. It may refuse the request. */
  readonly limiting?: MiddlewareHandler<ServerEnv>;
  /** Adds paths. */
  readonly mount?: (app: Hono<ServerEnv>) => void;
}
