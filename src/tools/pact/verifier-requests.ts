import type { Answer, RequestEnvironment } from "../../server/listen.ts";
import type { World } from "../../worlds/world.ts";
import { accessTokens, ORDER_SCOPE } from "../../platform/companies/access.ts";
import { companies } from "../../platform/companies/company.ts";
import { bearerIn } from "../../worlds/inbound-request.ts";
import { pathnameOf, readTextBody, WORLD_HEADER } from "../../server/request.ts";
import { foundValue } from "../../api/found-value.ts";
import { invalidRequest } from "../../platform/refusals.ts";
import { DEFAULT_WORLD, type Worlds } from "../../worlds/worlds.ts";
import { refusalAnswer } from "../../server/answer.ts";

/** Wall time after which the request of an interaction is not expected any more. */
const OPEN_MS = 60_000;

/** A world that a verifier has put into a state, until the request of that interaction. */
interface OpenInteraction {
  readonly world: World;
  /** The connection of the state request; undefined in process. */
  readonly connection: object | undefined;
  readonly userAgent: string | null;
  readonly until: number;
}

/** What a state request has in common with the request that follows it. */
interface StateRequest {
  readonly headers: Headers;
  /** The environment of its Hono context. */
  readonly env: unknown;
}

/**
 * Sends the requests of Pact verifiers to the world they mean. A pact has the tokens of the fixtures, which name the
 * default world; the world of a verifier is named by the header `x-sandbox-world`, or else by the token of its last
 * state request. After a state, the next call with a token of the fixtures belongs to the world of that state where
 * it comes over the same connection; or, for verifiers that open a connection for each request, from the same user
 * agent. Where that fits the worlds of two verifiers, the request is refused.
 */
export class VerifierRequests {
  readonly #worlds: Worlds;
  readonly #open = new Map<string, OpenInteraction>();

  constructor(worlds: Worlds) {
    this.#worlds = worlds;
  }

  /** A state of an interaction was set up: its request is the next one of this verifier. */
  expect(world: World, { headers, env }: StateRequest): void {
    for (const [id, { until }] of this.#open) if (until <= Date.now()) this.#open.delete(id);
    this.#open.set(world.id, {
      world,
      connection: connectionOf(env),
      userAgent: headers.get("user-agent"),
      until: Date.now() + OPEN_MS,
    });
  }

  /** The interaction of a world has ended. */
  end(world: World): void {
    this.#open.delete(world.id);
  }

  /** Answers requests in the world that they mean. */
  answering(answer: Answer): Answer {
    return (request, env = {}) => {
      const named = request.headers.get(WORLD_HEADER);
      if (named !== null) return this.#answerIn(named, request, env, answer);
      const asksForToken = isToken(request);
      const isCut = asksForToken && request.headers.get("user-agent")?.startsWith("pact_verifier/");
      const meant = this.#open.size === 0 ? [] : this.#worldsMeant(request, env);
      if (meant.length > 1) return this.#refuse(severalWorlds(meant));
      const [open] = meant;
      // A client may need a token before it makes the call.
      if (!asksForToken) this.#open.delete(open?.id ?? DEFAULT_WORLD);
      if ((open === undefined || open.id === DEFAULT_WORLD) && !isCut) return answer(request, env);
      return this.#answerExpected(open ?? this.#worlds.default, request, env, answer);
    };
  }

  async #answerExpected(
    world: World,
    request: Request,
    env: RequestEnvironment,
    answer: Answer,
  ): Promise<Response> {
    env.outgoing?.setHeader(WORLD_HEADER, world.id);
    return answer(await this.#addressed(request, world, { keepsWorld: true }), env);
  }

  async #answerIn(id: string, request: Request, env: RequestEnvironment, answer: Answer): Promise<Response> {
    const world = this.#worlds.get(id);
    if (world === undefined) {
      return this.#refuse(`There is no world ${foundValue(id)}. GET /sandbox/worlds lists them.`);
    }
    return answer(await this.#addressed(request, world, { keepsWorld: false }), env);
  }

  #refuse(description: string): Response {
    const problem = { field: WORLD_HEADER, issue: "INVALID", description };
    return refusalAnswer(this.#worlds, invalidRequest([problem]));
  }

  /** The worlds that a request with credentials of the default world may mean. */
  #worldsMeant(request: Request, env: RequestEnvironment): World[] {
    const pathname = pathnameOf(request.url);
    const authorization = request.headers.get("authorization");
    if (pathname.startsWith("/sandbox/") || (authorization === null && !isToken(request))) return [];
    const token = bearerIn(authorization);
    if (token !== undefined && this.#worldNamedBy(token) !== undefined) return [];
    const open = [...this.#open.values()].filter(
      ({ world, until }) => until > Date.now() && this.#worlds.get(world.id) === world,
    );
    const connection = connectionOf(env);
    const same = open.filter((one) => connection !== undefined && one.connection === connection);
    const userAgent = request.headers.get("user-agent");
    const meant = same.length > 0 ? same : open.filter((one) => one.userAgent === userAgent);
    return meant.map(({ world }) => world);
  }

  /** The world, other than the default one, whose suffix a token or client id has. */
  #worldNamedBy(credential: string): World | undefined {
    const world = this.#worlds.ofCredential(credential);
    return world?.id === DEFAULT_WORLD ? undefined : world;
  }

  /** The request with its credentials changed to those of a world; `keepsWorld` keeps those of other worlds. */
  async #addressed(
    request: Request,
    world: World,
    { keepsWorld }: { readonly keepsWorld: boolean },
  ): Promise<Request> {
    const renamed = (credential: string): string => {
      const own = this.#worldNamedBy(credential);
      if (own !== undefined && keepsWorld) return credential;
      return (
        credential.slice(0, credential.length - (own?.credentialSuffix.length ?? 0)) + world.credentialSuffix
      );
    };
    const { url, method } = request;
    const headers = new Headers(request.headers);
    const authorization = headers.get("authorization");
    const token = bearerIn(authorization);
    if (token !== undefined) headers.set("authorization", `Bearer ${renamed(token)}`);
    const isControl = pathnameOf(url).startsWith("/sandbox/");
    const [first] = isControl && authorization === null ? world.records.all(accessTokens) : [];
    if (first !== undefined) headers.set("authorization", `Bearer ${first.id}`);
    if (!isToken(request)) {
      const body = request.body === null ? {} : { body: request.body, duplex: "half" };
      return new Request(url, { method, headers, ...body } as RequestInit);
    }
    const read = await readTextBody(request);
    const text = "text" in read ? read.text : "";
    const form = text.startsWith("{") ? uncutForm(text, world) : new URLSearchParams(text);
    const clientId = form.get("client_id");
    if (clientId !== null) form.set("client_id", renamed(clientId));
    const basic = /^Basic +([A-Za-z0-9+/=]+)$/i.exec(authorization ?? "")?.[1];
    if (basic !== undefined) headers.set("authorization", `Basic ${renamedBasic(basic, renamed)}`);
    headers.delete("content-length");
    return new Request(url, { method, headers, body: form.toString() });
  }
}

/**
 * The socket of a request, from its environment in `@hono/node-server`; undefined in process, and where another server
 * passed the request on.
 */
function connectionOf(env: unknown): object | undefined {
  const { incoming, isForwarded } = (env ?? {}) as RequestEnvironment;
  return isForwarded === true ? undefined : incoming?.socket;
}

/** Whether it is a request to the token endpoint, the only one with a form. */
function isToken({ method, headers }: Request): boolean {
  return (
    method === "POST" && /^application\/x-www-form-urlencoded\b/i.test(headers.get("content-type") ?? "")
  );
}

function renamedBasic(basic: string, renamed: (clientId: string) => string): string {
  const [clientId = "", ...secret] = Buffer.from(basic, "base64").toString("utf8").split(":");
  return Buffer.from([renamed(clientId), ...secret].join(":")).toString("base64");
}

function severalWorlds(worlds: readonly World[]): string {
  const ids = worlds.map(({ id }) => id).join(", ");
  return `Verifiers have set up states in the worlds ${ids}, and nothing shows which of them sends this request. Let each verifier send the header ${WORLD_HEADER} with the id of its world.`;
}

/**
 * The form that the proxy of pact-js has sent as JSON, cut off at the length of the form. The last parameter is
 * completed to the value of that name that begins so and that the sandbox knows.
 */
function uncutForm(text: string, { records, credentialSuffix }: World): URLSearchParams {
  const form = new URLSearchParams();
  for (const [, name = "", value = "", end] of text.matchAll(/"(\w+)":"((?:[^"\\]|\\.)*)("|$)/g)) {
    form.append(name, end === '"' ? (JSON.parse(`"${value}"`) as string) : complete(name, value));
  }
  const cutName = /[,{]"(\w*)(?:":?)?$/.exec(text)?.[1];
  const name = KNOWN_LAST.find((one) => !form.has(one) && cutName !== undefined && one.startsWith(cutName));
  if (name !== undefined) form.append(name, complete(name, ""));
  return form;

  function complete(name: string, beginning: string): string {
    const known = Array.from(records.all(companies));
    const clientId = form.get("client_id") ?? "";
    const company = known.find((one) => [clientId, clientId + credentialSuffix].includes(one.clientId));
    const values: Readonly<Record<string, readonly string[]>> = {
      grant_type: ["client_credentials"],
      scope: [`${ORDER_SCOPE}/.default`],
      client_id: known.map((one) => one.clientId),
      client_secret: company === undefined ? [] : [company.clientSecret],
    };
    return values[name]?.find((value) => value.startsWith(beginning)) ?? beginning;
  }
}

/** The parameters that a client may send last. */
const KNOWN_LAST = ["scope", "client_secret"];
