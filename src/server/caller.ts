import type { Caller, RequestEnvironment, ServerEnv } from "./environment.ts";
import type { Context, MiddlewareHandler } from "hono";
import type { World } from "../worlds/world.ts";
import { type AccessToken, accessTokens } from "../platform/companies/access-token.ts";
import { asksForToken, renamedTokenRequest } from "./interface/client-credentials.ts";
import { assertDefined } from "../engine/assertion.ts";
import { bearerIn, InboundRequest } from "../worlds/inbound-request.ts";
import type { RequestHead } from "../worlds/masking.ts";
import { DEFAULT_WORLD, type Worlds, worldIdIn } from "../worlds/worlds.ts";
import { headersOf } from "./request.ts";
import { WORLD_HEADER } from "../control/client.js";
import { foundValue } from "../api/found-value.ts";
import { invalidRequest } from "../platform/refusals.ts";
import type { Refusal } from "../engine/refusal.ts";
import { refusalAnswer } from "./answer.ts";
import { isControlPath } from "../api/routes.ts";

/** Returns the caller of a request. */
export function callerOf(c: Context): Caller {
  return assertDefined((c.env as RequestEnvironment).caller, "the caller of a request");
}

/**
 * Finds the world and the company of each request, in this order:
 * 1. the world at the end of the token;
 * 2. the world in the header `x-sandbox-world`. A token of another world then means the same company in this world;
 * 3. the default world.
 */
export function identifyCallers(worlds: Worlds): MiddlewareHandler<ServerEnv> {
  return async function identifyCaller(c, next) {
    const { env, req } = c;
    let headers = env.headers ?? headersOf(req.raw);
    const bearer = bearerIn(headers["authorization"]);
    const named = worldIdIn(bearer ?? "") === undefined ? headers[WORLD_HEADER] : undefined;
    const own = bearer === undefined ? undefined : worlds.ofCredential(bearer);
    const world = named === undefined ? (own ?? worlds.here(DEFAULT_WORLD)) : worlds.get(named);
    if (named !== undefined && world === undefined) return refusalAnswer(worlds, unknownWorld(named));
    const isControl = isControlPath(req.path);
    let id = bearer;
    if (named !== undefined && world !== undefined) {
      if (asksForToken(req.method, req.path)) {
        req.raw = await renamedTokenRequest(req.raw, (clientId) =>
          renamed(clientId, worlds.ofCredential(clientId), world),
        );
        headers = headersOf(req.raw);
      }
      if (bearer !== undefined) id = renamed(bearer, own, world);
      else if (isControl && headers["authorization"] === undefined) id = firstToken(world);
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
            : hintOf(worlds, bearer, world, token),
      hasCredentials: headers["authorization"] !== undefined,
    };
    env.inbound = new InboundRequest(headOf(c, headers), assertDefined(env.requestId, "the id of a request"));
    if (token !== undefined) env.inbound.sentBy(token.companyId);
    return next();
  };
}

/** Explains a header `Authorization` without a Bearer token. Its credentials are not repeated. */
function schemeHint(authorization: string | undefined): string | undefined {
  if (authorization === undefined) return undefined;
  const [, scheme] = /^(Basic|Bearer|Digest|Token)\b/i.exec(authorization) ?? [];
  const found = scheme === undefined ? "a text without the word Bearer" : `the scheme ${scheme}`;
  return `The header Authorization must be "Bearer TOKEN"; found ${found}.`;
}

/** Explains why a token is unknown. In tests it is usually a token from before a reset. */
function hintOf(
  worlds: Worlds,
  bearer: string,
  world: World | undefined,
  token: AccessToken | undefined,
): string {
  if (token !== undefined)
    return "This token has expired. POST /oauth2/v2.0/token gives another token. The tokens of the fixtures never expire.";
  const named = worldIdIn(bearer);
  if (named !== undefined && worlds.get(named) === undefined)
    return `There is no world ${named}: it was dropped, or made before the server started. POST /sandbox/worlds makes another world.`;
  const id = world?.id ?? DEFAULT_WORLD;
  if (world?.hasBegunAgain === true)
    return `The world ${id} has no such token. A reset or a restore removed the tokens that were issued before. POST /oauth2/v2.0/token gives another token.`;
  return `The world ${id} has no such token. GET /sandbox/worlds lists the tokens of its companies.`;
}

function unknownWorld(id: string): Refusal {
  const description = `There is no world ${foundValue(id)}. GET /sandbox/worlds lists them.`;
  return invalidRequest([{ field: WORLD_HEADER, issue: "INVALID", description }]);
}

/** Returns the credential of the same company in another world. */
function renamed(credential: string, from: World | undefined, to: World): string {
  const name = credential.slice(0, credential.length - (from?.credentialSuffix.length ?? 0));
  return name + to.credentialSuffix;
}

/** Returns the token for a request without a token that names its world, in the sandbox's own API. */
function firstToken({ records }: World): string | undefined {
  const [first] = records.all(accessTokens);
  return first?.id;
}

/** Returns the headers in the order of the journal. */
function inOrder(headers: RequestHead["headers"]): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

function headOf({ req, env }: Context<ServerEnv>, headers: RequestHead["headers"]): RequestHead {
  const { method, url } = req;
  const origin = env.origin ?? assertDefined(env.url, "the URL of a request").origin;
  return { method, path: url.slice(url.indexOf("/", "https://".length)), origin, headers };
}
