import { type Caller, type NamedRequest, type ReceivedRequest, RequestEnd } from "./environment.ts";
import type { World } from "../simulator/worlds/world.ts";
import { type AccessToken, accessTokens } from "../simulator/platform/companies/access-token.ts";
import { asksForToken, renamedTokenRequest } from "./interface/client-credentials.ts";
import { bearerIn, InboundRequest } from "../simulator/worlds/inbound-request.ts";
import type { RequestHead } from "../simulator/worlds/masking.ts";
import { DEFAULT_WORLD, type Worlds, worldIdIn } from "../simulator/worlds/worlds.ts";
import { headersOf } from "./request.ts";
import { LazyBody } from "./request-body.ts";
import { WORLD_HEADER } from "./control/client.js";
import { foundValue } from "../simulator/api/found-value.ts";
import { invalidRequest, unauthorized } from "../simulator/platform/refusals.ts";
import type { Refusal } from "../simulator/engine/refusal.ts";
import { refusalAnswer } from "./answer.ts";
import { isControlPath } from "../simulator/api/routes.ts";

/**
 * Finds the world and the company of a request, in this order:
 * 1. the world at the end of the token;
 * 2. the world in the header `x-sandbox-world`. A token of another world then means the same company in this world;
 * 3. the default world.
 */
export function nameRequest(
  worlds: Worlds,
  received: ReceivedRequest,
): NamedRequest | Response | Promise<NamedRequest> {
  const { request, path, headers } = received;
  const bearer = bearerIn(headers["authorization"]);
  const own = bearer === undefined ? undefined : worlds.ofCredential(bearer);
  const named = worldIdIn(bearer ?? "") === undefined ? headers[WORLD_HEADER] : undefined;
  if (named === undefined) {
    const world = own ?? worlds.here(DEFAULT_WORLD);
    return namedRequest(worlds, received, { headers, bearer, world, id: bearer });
  }
  const world = worlds.get(named);
  if (world === undefined) return refusalAnswer(worlds, unknownWorld(named));
  const nameIn = (asked: ReceivedRequest, sent: RequestHead["headers"]): NamedRequest => {
    const isAnonymous = isControlPath(path) && sent["authorization"] === undefined;
    const first = isAnonymous ? firstToken(world) : undefined;
    const id = bearer === undefined ? first : renamed(bearer, own, world);
    const shown = id === undefined ? sent : inOrder({ ...sent, authorization: `Bearer ${id}` });
    return namedRequest(worlds, asked, { headers: shown, bearer, world, id });
  };
  if (!asksForToken(request.method, path)) return nameIn(received, headers);
  const renaming = (id: string): string => renamed(id, worlds.ofCredential(id), world);
  return renamedTokenRequest(received, renaming).then((asked) =>
    nameIn({ ...received, request: asked, body: new LazyBody(asked) }, headersOf(asked)),
  );
}

const EXPIRED =
  "This token has expired. POST /oauth2/v2.0/token gives another token. The tokens of the fixtures never expire.";

/** The sender of a request: the token `bearer` that it sent, and the id of that token in the world. */
interface Sender {
  readonly headers: RequestHead["headers"];
  readonly bearer: string | undefined;
  readonly world: World | undefined;
  readonly id: string | undefined;
}

/**
 * Returns the refusal of a token that a reset or a restore has removed since the request arrived. Undefined if the
 * token is still there.
 */
export function removedToken(world: World, { id }: AccessToken): Refusal | undefined {
  return world.simulation.records.get(accessTokens, id) === undefined
    ? unauthorized(unknownToken(world))
    : undefined;
}

/** Returns the reason why a token is not valid any more since its request. Undefined while it is valid. */
export function endOfToken({ world, token }: Caller): string | undefined {
  if (world === undefined || token === undefined) return undefined;
  return removedToken(world, token)?.hint ?? (world.isExpired(token.id) ? EXPIRED : undefined);
}

/** Returns a request with its sender, and with the form that the journal keeps. */
function namedRequest(
  worlds: Worlds,
  received: ReceivedRequest,
  { headers, bearer, world, id }: Sender,
): NamedRequest {
  const token = id === undefined ? undefined : world?.simulation.records.get(accessTokens, id);
  const isDead = token?.isDead === true && !isControlPath(received.path);
  const isValid = token !== undefined && world?.isExpired(token.id) === false && !isDead;
  const unknown = (): string | undefined =>
    bearer === undefined ? schemeHint(headers["authorization"]) : hintOf(worlds, bearer, world, token);
  const caller = {
    world,
    token: isValid ? token : undefined,
    hint: isValid ? undefined : unknown(),
    hasCredentials: headers["authorization"] !== undefined,
  };
  const inbound = new InboundRequest(headOf(received, headers), received.id);
  if (token !== undefined) inbound.sentBy(token.companyId);
  return { ...received, headers, caller, inbound, end: new RequestEnd() };
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
  if (token !== undefined) return EXPIRED;
  const named = worldIdIn(bearer);
  if (named !== undefined && worlds.get(named) === undefined)
    return `There is no world ${named}: it was dropped, or made before the server started. POST /sandbox/worlds makes another world.`;
  return unknownToken(world);
}

/** Explains that a world does not have a token. */
function unknownToken(world: World | undefined): string {
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

function headOf(
  { request: { method, url }, env: { origin } }: ReceivedRequest,
  headers: RequestHead["headers"],
): RequestHead {
  const start = url.indexOf("/", "https://".length);
  return { method, path: url.slice(start), origin: origin ?? url.slice(0, start), headers };
}
