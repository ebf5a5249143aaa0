import type { AccessToken } from "../platform/companies/access.ts";
import type { World } from "../worlds/world.ts";
import type { Worlds } from "../worlds/worlds.ts";
import { accessTokens } from "../platform/companies/access.ts";

/** Who a request comes from: the world and the company its token stands for. */
export interface Caller {
  readonly world: World;
  readonly token: AccessToken;
}

/** The token of an `Authorization: Bearer` header; undefined where there is none. */
export function bearerToken(request: Request): string | undefined {
  return bearerIn(request.headers.get("authorization"));
}

/** The token that an `Authorization` header carries. */
export function bearerIn(header: string | null): string | undefined {
  return header === null ? undefined : /^Bearer +(\S+) *$/i.exec(header)?.[1];
}

/** The caller of a request; undefined where the token is missing, unknown or expired (assumption: auth.header). */
export function callerOf(worlds: Worlds, request: Request): Caller | undefined {
  const text = bearerToken(request);
  if (text === undefined) return undefined;
  const world = worlds.ofCredential(text);
  const token = world?.simulation.records.get(accessTokens, text);
  if (world === undefined || token === undefined) return undefined;
  const expiry = world.tokenExpiry(text);
  return expiry !== undefined && expiry <= world.wallNow ? undefined : { world, token };
}
