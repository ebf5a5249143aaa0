import type { ShapeName, Shapes } from "../api/generated/shapes.ts";
import type { InboundRequest } from "../worlds/inbound-request.ts";
import { type Instant, parseInstant } from "../engine/instant.ts";
import type { Outcome } from "../engine/simulation.ts";
import { type Problem, Refusal } from "../engine/refusal.ts";
import type { Servers } from "../worlds/servers.ts";
import type { World } from "../worlds/world.ts";
import type { Worlds } from "../worlds/worlds.ts";
import { assertDefined } from "../engine/assertion.ts";
import { invalidRequest } from "../platform/refusals.ts";

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
  /** The JSON body; an empty object if none was sent. */
  readonly body: Body;
  /** The body as text, for an endpoint that takes one with a format of its own. */
  readonly text: string;
  /** The request as the journal keeps it, for the commands that it runs. */
  readonly inbound: InboundRequest | undefined;
  readonly url: string;
  readonly headers: Headers;
  /** Aborts when the client leaves before it has the answer. */
  readonly signal?: AbortSignal;
  /** The environment of the request: its connection, for example. */
  readonly env: unknown;
}

/** A request that acts on a world: that of its token, or by default the first one. */
export interface WorldAsked<Body = object, Query = object> extends Asked<Body, Query> {
  readonly world: World;
  /** The company of the token; null without one. */
  readonly companyId: string | null;
}

export type { World };

/** An answer with a status or headers of its own, or whose body is a text, written piece by piece if it is an iterator. */
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
export type ControlAnswer = object | Promise<object>;

/** The sections of the API, in the order of the reference. */
export const TAGS = {
  Servers: "The servers of the sandbox, and this description.",
  Worlds: "Worlds with their settings, snapshots and forks.",
  Time: "The clock of a world.",
  Outside: "Acts, plans and faults: what a payer, an institution or the network does.",
  State: "What can be read of a world.",
  Webhooks: "Webhooks with their attempts.",
  Requests: "The calls of the interface that came in.",
  History: "What happened, and in which order.",
  Scenarios: "Scenario files: those that can be run here, and the recording of a world as one.",
  Tools: "What `sandbank explore` and Pact verifiers use.",
} as const;

/** How many slots there are. */
export interface FairLimits {
  /** For one world. */
  readonly perWorld: number;
  /** For all worlds together. */
  readonly shared: number;
  /** For each world, also if the shared ones are taken. */
  readonly reserved: number;
}

/** One endpoint as data: what the route, its checks, OpenAPI, the client's types, the tools of agents and docs/sandbox-api.md follow from. */
interface Description<Request extends ShapeName, Query extends ShapeName> {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** With its parameters in braces. One with a `*` at its end takes slashes too: `{name*}`. */
  readonly path: `/sandbox/${string}`;
  readonly tag: keyof typeof TAGS;
  /** What it does, in a few words. */
  readonly summary: string;
  /** What else is to be known. */
  readonly description?: string;
  /** The parameters of the path: what each is, and an example. */
  readonly parameters?: Readonly<Record<string, readonly [description: string, example: string]>>;
  readonly query?: Query;
  readonly request?: Request;
  /** The media type of a body that is a text, an example of it, and the shape of the same in JSON. */
  readonly takes?: { readonly type: string; readonly example: string; readonly json: ShapeName };
  readonly response: ShapeName;
  /** The shape of an answer that a parameter of the query asks for. */
  readonly alternative?: ShapeName;
  /** The media type of an answer that is a text. */
  readonly gives?: string;
  readonly successStatus?: 201;
  /** How many answers about a world may be unfinished at a time, and what the next one is refused with (503). */
  readonly limit?: FairLimits & { readonly refusal: string; readonly headers?: Reply["headers"] };
  /** Refusals besides those that every endpoint has. */
  readonly errors?: readonly ("NOT_FOUND" | "ILLEGAL_ACT")[];
  /**
   * The tool for agents that this endpoint serves, and the fields of the path, the query and the body that it takes.
   * Several of one name are one tool: the first endpoint that takes what is given answers.
   */
  readonly tool?: { readonly name: string; readonly fields?: readonly string[] };
}

interface ServerEndpoint<Request extends ShapeName, Query extends ShapeName> extends Description<
  Request,
  Query
> {
  /** Who may ask: any client, or one with the admin token. It is about no world, and any of several servers answers. */
  readonly access: "anyone" | "admin";
  /** What is wrong besides the shape: it depends on the catalog, or on the state. */
  problems?(asked: Asked<Shapes[Request], Shapes[Query]>): readonly Problem[];
  answer(asked: Asked<Shapes[Request], Shapes[Query]>): ControlAnswer;
}

interface WorldEndpoint<Request extends ShapeName, Query extends ShapeName> extends Description<
  Request,
  Query
> {
  /** Who may ask, by default: a client with the admin token, for the world of the Bearer token. */
  readonly access?: "world";
  /** Whether it shows outcomes (`shownWorld`): it first waits a moment for attempts in flight, not with `wait=false`. */
  readonly showsOutcomes?: boolean;
  problems?(asked: WorldAsked<Shapes[Request], Shapes[Query]>): readonly Problem[];
  answer(asked: WorldAsked<Shapes[Request], Shapes[Query]>): ControlAnswer;
}

/** An endpoint of the sandbox's own API: the shapes of its body and of its query are the type parameters. */
export type Endpoint<Request extends ShapeName = never, Query extends ShapeName = never> =
  ServerEndpoint<Request, Query> | WorldEndpoint<Request, Query>;

/** Any endpoint. */
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
