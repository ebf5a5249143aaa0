import type { ShapeName, Shapes } from "../../simulator/api/generated/shapes.ts";
import type { InboundRequest } from "../../simulator/worlds/inbound-request.ts";
import { type Instant, parseInstant } from "../../simulator/engine/instant.ts";
import type { Outcome } from "../../simulator/engine/simulation.ts";
import { type Problem, Refusal } from "../../simulator/engine/refusal.ts";
import type { Servers } from "../../simulator/worlds/servers.ts";
import type { World } from "../../simulator/worlds/world.ts";
import type { Worlds } from "../../simulator/worlds/worlds.ts";
import { assertDefined } from "../../simulator/engine/assertion.ts";
import { invalidRequest } from "../../simulator/platform/refusals.ts";
import type { HttpOperation } from "../../simulator/platform/operations.ts";

export { pathParameter } from "../../simulator/platform/operations.ts";

/** A request to the sandbox's own API, checked against the shapes of its endpoint. */
export interface Asked<Body, Query> {
  readonly worlds: Worlds;
  /** The world of the token, if the request has one. */
  readonly world?: World | undefined;
  /** The servers of the sandbox, and this one among them. */
  readonly servers: Servers;
  readonly params: Readonly<Record<string, string>>;
  /** The parameters of the query, numbers as numbers. */
  readonly query: Query;
  /** The JSON body. An empty object if the request has no body. */
  readonly body: Body;
  /** The body as text, for an endpoint that takes another format than JSON. */
  readonly text: string;
  /** The request as the journal keeps it, for the commands that it runs. */
  readonly inbound: InboundRequest | undefined;
  readonly url: string;
  readonly headers: Headers;
  /** Aborts when the client leaves before it has the answer. */
  readonly signal?: AbortSignal;
}

/** A request that acts on a world: that of its token, or by default the first one. */
export interface WorldAsked<Body = object, Query = object> extends Asked<Body, Query> {
  readonly world: World;
  /** The company of the token; null without one. */
  readonly companyId: string | null;
  /** Returns the reason why its token is not valid any more. Undefined while the token is valid. */
  readonly endOfToken: () => string | undefined;
}

export type { World };

/** An answer with its own status or headers, or with a text as its body. An iterator is written piece by piece. */
export class Reply {
  readonly body: object | string;
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** Called once, when the client has all of it or has stopped reading. */
  readonly ended: (() => void) | undefined;

  constructor(
    body: object | string | Iterator<string> | AsyncIterator<string>,
    { status, headers = {}, ended }: { status?: number; headers?: Reply["headers"]; ended?: () => void } = {},
  ) {
    this.body = body;
    this.status = status;
    this.headers = headers;
    this.ended = ended;
  }
}

/** The body of the answer, whose lists may be iterators, or a `Reply`. */
type ControlAnswer = object | Promise<object>;

/** The sections of the API, in the order of the reference. */
export const TAGS = {
  Servers: "The servers of the sandbox, and this description.",
  Worlds: "Worlds with their settings, snapshots and forks.",
  Time: "The clock of a world.",
  Outside: "Acts, plans and faults: the behavior of a payer, an institution or the network.",
  State: "The readable state of a world.",
  Webhooks: "Webhooks with their attempts.",
  Requests: "The calls to the platform's API that arrived.",
  History: "The history of a world, in order.",
  Scenarios: "The scenario files of this server, and the recording of a world as a scenario file.",
  Tools: "The endpoints for `sandbank explore` and Pact verifiers.",
} as const;

/** The number of slots. */
export interface FairLimits {
  /** For one world. */
  readonly perWorld: number;
  /** For all worlds together. */
  readonly shared: number;
  /** For each world, also if the shared ones are taken. */
  readonly reserved: number;
}

/** One endpoint as data. The tools of agents follow from it too. */
interface Description<Request extends ShapeName, Query extends ShapeName> extends HttpOperation {
  readonly path: `/sandbox/${string}`;
  readonly tag: keyof typeof TAGS;
  readonly query?: Query;
  readonly request?: Request;
  /** The media type of a body that is a text, an example of it, and the shape of the same in JSON. */
  readonly takes?: { readonly type: string; readonly example: string; readonly json: ShapeName };
  readonly response: ShapeName;
  /** The shape of an answer that a parameter of the query asks for. */
  readonly alternative?: ShapeName;
  /** The media type of an answer that is a text. */
  readonly gives?: string;
  /**
   * The number of answers about a world that may be unfinished at a time, and the refusal of further requests (503).
   */
  readonly limit?: FairLimits & { readonly refusal: string; readonly headers?: Reply["headers"] };
  /** Refusals of this endpoint, in addition to the refusals of every endpoint. */
  readonly errors?: readonly ("NOT_FOUND" | "ILLEGAL_ACT")[];
  /**
   * The tool for agents that this endpoint serves, and its fields of the path, the query and the body. Several
   * endpoints with one name are one tool: the first endpoint that accepts the given fields answers.
   */
  readonly tool?: {
    readonly name: string;
    readonly fields?: readonly string[];
    /** The fields of each entry in the tool's list. An agent gets the other fields by the entry's id. */
    readonly listed?: readonly string[];
  };
}

interface ServerEndpoint<Request extends ShapeName, Query extends ShapeName> extends Description<
  Request,
  Query
> {
  /**
   * The allowed callers: any client, or clients with the admin token. The endpoint is about no world, and any of
   * several servers answers.
   */
  readonly access: "anyone" | "admin";
  /** Returns the problems that the shape does not find: they depend on the catalog, or on the state. */
  problems?(asked: Asked<Shapes[Request], Shapes[Query]>): readonly Problem[];
  answer(asked: Asked<Shapes[Request], Shapes[Query]>): ControlAnswer;
}

interface WorldEndpoint<Request extends ShapeName, Query extends ShapeName> extends Description<
  Request,
  Query
> {
  /**
   * The allowed callers: by default a client with the admin token, for the world of the Bearer token. `company` also
   * allows a client with the token of a company alone.
   */
  readonly access?: "world" | "company";
  /**
   * Whether it shows outcomes (`World.shown`): it first waits a moment for attempts in flight, not with `wait=false`.
   */
  readonly showsOutcomes?: boolean;
  problems?(asked: WorldAsked<Shapes[Request], Shapes[Query]>): readonly Problem[];
  answer(asked: WorldAsked<Shapes[Request], Shapes[Query]>): ControlAnswer;
}

/** An endpoint of the sandbox's own API: the shapes of its body and of its query are the type parameters. */
export type Endpoint<Request extends ShapeName = never, Query extends ShapeName = never> =
  ServerEndpoint<Request, Query> | WorldEndpoint<Request, Query>;

export type AnyEndpoint = Endpoint<ShapeName, ShapeName>;

/** Whether an endpoint is about the world of the request. */
export function isOfWorld(endpoint: AnyEndpoint): endpoint is WorldEndpoint<ShapeName, ShapeName> {
  return endpoint.access !== "anyone" && endpoint.access !== "admin";
}

/** Endpoints by their operation ids. */
export type Endpoints = Readonly<Record<string, AnyEndpoint>>;

/** Refuses with one problem. */
export function refuse(field: string, description: string, issue = "INVALID"): never {
  return refuseAll([{ field, issue, description }]);
}

export function refuseAll(problems: readonly Problem[]): never {
  throw invalidRequest(problems);
}

export function refuseUnknown(description: string): never {
  throw new Refusal("NOT_FOUND", description);
}

/** The value that a command returned; its refusal becomes the answer. */
export function valueOf<T>(outcome: Outcome<T>): T {
  if (!outcome.ok) throw outcome.refusal;
  return outcome.value;
}

/** The instant of a timestamp that the shape of its field has accepted. */
export function instantOf(text: string): Instant {
  return assertDefined(parseInstant(text), `the instant ${text}`);
}
