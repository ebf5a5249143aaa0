import type { Context } from "hono";
import type { Refusal } from "../engine/refusal.ts";
import type { RequestEnvironment, ServerEnv } from "./environment.ts";
import type { World } from "../worlds/world.ts";
import { asksForToken } from "./interface/client-credentials.ts";
import { companies } from "../platform/companies/company.ts";
import { DEFAULT_WORLD, type Worlds } from "../worlds/worlds.ts";
import { invalidRequest } from "../platform/refusals.ts";
import { ORDER_SCOPE } from "../platform/companies/access.ts";
import { WORLD_HEADER } from "../control/client.js";

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
 * Knows which worlds the requests of Pact verifiers mean. A pact has the tokens of the fixtures, which name the default
 * world; the world of a verifier is named by the header `x-sandbox-world`, otherwise by the token of its last state
 * request. After a state, the next call with a token of the fixtures belongs to the world of that state if it comes
 * over the same connection; or, for verifiers that open a connection for each request, from the same user agent. Where
 * that fits the worlds of two verifiers, the request is refused.
 */
export class VerifierRequests {
  readonly #worlds: Worlds;
  readonly open = new Map<string, OpenInteraction>();
  readonly formOf = formOf;

  constructor(worlds: Worlds) {
    this.#worlds = worlds;
  }

  /** A state of an interaction was set up: its request is the next one of this verifier. */
  expect(world: World, { headers, env }: StateRequest): void {
    for (const [id, { until }] of this.open) if (until <= Date.now()) this.open.delete(id);
    this.open.set(world.id, {
      world,
      connection: connectionOf(env),
      userAgent: headers.get("user-agent"),
      until: Date.now() + OPEN_MS,
    });
  }

  /** The interaction of a world has ended. */
  end(world: World): void {
    this.open.delete(world.id);
  }

  /**
   * The world that a request means, other than that of its token, and with which an interaction ends; a refusal if it
   * may be several.
   */
  worldOf({ req, env }: Context<ServerEnv>, ofToken: World | undefined): World | Refusal | undefined {
    const isForToken = asksForToken(req.method, req.path);
    const hasCredentials = isForToken || req.header("authorization") !== undefined;
    const isOfDefault = ofToken === undefined || ofToken.id === DEFAULT_WORLD;
    const isCall = hasCredentials && isOfDefault && !req.path.startsWith("/sandbox/");
    const meant = isCall ? this.#worldsMeant(req.header("user-agent") ?? null, env) : [];
    if (meant.length > 1) {
      const description = severalWorlds(meant);
      return invalidRequest([{ field: WORLD_HEADER, issue: "INVALID", description }]);
    }
    const [world] = meant;
    // A client may need a token before it makes the call.
    if (!isForToken) this.open.delete(world?.id ?? DEFAULT_WORLD);
    return world?.id === DEFAULT_WORLD ? undefined : world;
  }

  #worldsMeant(userAgent: string | null, env: RequestEnvironment): World[] {
    const open = [...this.open.values()].filter(
      ({ world, until }) => until > Date.now() && this.#worlds.get(world.id) === world,
    );
    const connection = connectionOf(env);
    const same = open.filter((one) => connection !== undefined && one.connection === connection);
    const meant = same.length > 0 ? same : open.filter((one) => one.userAgent === userAgent);
    return meant.map(({ world }) => world);
  }
}

/**
 * The socket of a request, from its environment in `@hono/node-server`; undefined in process, and if another server
 * passed the request on.
 */
function connectionOf(env: unknown): object | undefined {
  const { incoming, isForwarded } = (env ?? {}) as RequestEnvironment;
  return isForwarded === true ? undefined : incoming?.socket;
}

function severalWorlds(worlds: readonly World[]): string {
  const ids = worlds.map(({ id }) => id).join(", ");
  return `Verifiers have set up states in the worlds ${ids}, and nothing shows which of them sends this request. Let each verifier send the header ${WORLD_HEADER} with the id of its world.`;
}

/** The form of a token request, also as the proxy of pact-js has sent it: as JSON, cut off at the length of the form. */
function formOf(text: string, world: World): URLSearchParams {
  return text.startsWith("{") ? uncutForm(text, world) : new URLSearchParams(text);
}

/** The last parameter is completed to the value of that name that begins so and that the sandbox knows. */
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
