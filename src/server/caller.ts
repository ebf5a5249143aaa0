import type { Caller, RequestEnvironment, ServerEnv } from "./environment.ts";
import type { Context, MiddlewareHandler } from "hono";
import type { VerifierRequests } from "./verifier-requests.ts";
import type { World } from "../worlds/world.ts";
import { type AccessToken, accessTokens } from "../platform/companies/access.ts";
import { asksForToken, renamedTokenRequest } from "./interface/client-credentials.ts";
import { assertDefined } from "../engine/assertion.ts";
import { bearerIn, InboundRequest } from "../worlds/inbound-request.ts";
import type { RequestHead } from "../worlds/masking.ts";
import { DEFAULT_WORLD, type Worlds, worldIdIn } from "../worlds/worlds.ts";
import { headersOf } from "./request.ts";
import { WORLD_HEADER } from "../control/client.js";
import { foundValue } from "../api/found-value.ts";
import { invalidRequest } from "../platform/refusals.ts";
import { Refusal } from "../engine/refusal.ts";
import { refusalAnswer } from "./answer.ts";

/** The caller of a request. */
export function callerOf(c: Context): Caller {
  return assertDefined((c.env as RequestEnvironment).caller, "the caller of a request");
}

/**
 * Finds the world and the company of each request, for everything that comes after. If the header `x-sandbox-world`
 * or a Pact verifier names another world than the token, the token is that of the same company there; but one that
 * names its own world by its end decides over the header.
 */
export function identifyCallers(worlds: Worlds, verifiers: VerifierRequests): MiddlewareHandler<ServerEnv> {
  return async function identifyCaller(c, next) {
    const { env, req } = c;
    let headers = env.headers ?? headersOf(req.raw);
    const bearer = bearerIn(headers["authorization"]);
    const named = worldIdIn(bearer ?? "") === undefined ? headers[WORLD_HEADER] : undefined;
    const own = bearer === undefined ? undefined : worlds.ofCredential(bearer);
    let meant: World | Refusal | undefined;
    if (named !== undefined) meant = worlds.get(named) ?? unknownWorld(named);
    else if (verifiers.open.size > 0) meant = verifiers.worldOf(c, own);
    if (meant instanceof Refusal) return refusalAnswer(worlds, meant);
    const isVerifier = named === undefined && headers["user-agent"]?.startsWith("pact_verifier/") === true;
    if ((isVerifier || meant !== undefined) && asksForToken(req.method, req.path)) {
      meant ??= worlds.default;
      req.raw = await tokenRequestIn(meant, req.raw);
      headers = headersOf(req.raw);
    }
    if (meant !== undefined && named === undefined) env.outgoing?.setHeader(WORLD_HEADER, meant.id);
    const world = meant ?? own ?? worlds.here(DEFAULT_WORLD);
    const isControl = req.path.startsWith("/sandbox/");
    let id = bearer;
    if (meant !== undefined) {
      if (bearer !== undefined) id = renamed(bearer, own, meant);
      else if (isControl && headers["authorization"] === undefined) id = firstToken(meant);
      if (id !== undefined) headers = inOrder({ ...headers, authorization: `Bearer ${id}` });
    }
    const token = id === undefined ? undefined : world?.simulation.records.get(accessTokens, id);
    const isExpired =
      token !== undefined && (world?.isExpired(token.id) === true || (token.isDead === true && !isControl));
    env.caller = {
      world,
      token: isExpired ? undefined : token,
      hint:
        bearer === undefined
          ? schemeHint(headers["authorization"])
          : token !== undefined && !isExpired
            ? undefined
            : hintOf(bearer, world, token),
      hasCredentials: headers["authorization"] !== undefined,
    };
    env.inbound = new InboundRequest(headOf(c, headers), assertDefined(env.requestId, "the id of a request"));
    if (token !== undefined) env.inbound.sentBy(token.companyId);
    return next();
  };

  /** Why a token is none: in a test it is mostly one from before. */
  function hintOf(bearer: string, world: World | undefined, token: AccessToken | undefined): string {
    if (token !== undefined)
      return "This token has expired. POST /oauth2/v2.0/token gives another one; those of the fixtures never expire.";
    const named = worldIdIn(bearer);
    if (named !== undefined && worlds.get(named) === undefined)
      return `There is no world ${named}: it was dropped, or made before the server started. POST /sandbox/worlds makes another one.`;
    const id = world?.id ?? DEFAULT_WORLD;
    if (world?.hasBegunAgain === true)
      return `The world ${id} has no such token. It was reset or restored, and tokens that were issued since its start are gone then. POST /oauth2/v2.0/token gives another one.`;
    return `The world ${id} has no such token. GET /sandbox/worlds lists those of its companies.`;
  }

  /** A token request with the client of the same company in a world; that of another world stays if no header names one. */
  function tokenRequestIn(world: World, request: Request): Promise<Request> {
    const keepsWorld = !request.headers.has(WORLD_HEADER);
    return renamedTokenRequest(request, {
      formOf: (text) => verifiers.formOf(text, world),
      renamed: (clientId) => {
        const own = worlds.ofCredential(clientId);
        return keepsWorld && !isDefault(own) ? clientId : renamed(clientId, own, world);
      },
    });
  }
}

/** Explains a header `Authorization` without a Bearer token. Its credentials are not repeated. */
function schemeHint(authorization: string | undefined): string | undefined {
  if (authorization === undefined) return undefined;
  const [, scheme] = /^(Basic|Bearer|Digest|Token)\b/i.exec(authorization) ?? [];
  const found = scheme === undefined ? "a text without the word Bearer" : `the scheme ${scheme}`;
  return `The header Authorization must be "Bearer TOKEN"; found ${found}.`;
}

function isDefault(world: World | undefined): boolean {
  return world === undefined || world.id === DEFAULT_WORLD;
}

function unknownWorld(id: string): Refusal {
  const description = `There is no world ${foundValue(id)}. GET /sandbox/worlds lists them.`;
  return invalidRequest([{ field: WORLD_HEADER, issue: "INVALID", description }]);
}

/** A credential of one world as that of the same company in another one. */
function renamed(credential: string, from: World | undefined, to: World): string {
  const name = credential.slice(0, credential.length - (from?.credentialSuffix.length ?? 0));
  return name + to.credentialSuffix;
}

/** The token with which a request without one acts on a world that it names, by the sandbox's own API. */
function firstToken({ records }: World): string | undefined {
  const [first] = records.all(accessTokens);
  return first?.id;
}

/** Headers in the order in which the journal has them. */
function inOrder(headers: RequestHead["headers"]): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

function headOf({ req, env }: Context<ServerEnv>, headers: RequestHead["headers"]): RequestHead {
  const { method, url } = req;
  const origin = env.origin ?? assertDefined(env.url, "the URL of a request").origin;
  return { method, path: url.slice(url.indexOf("/", "https://".length)), origin, headers };
}
