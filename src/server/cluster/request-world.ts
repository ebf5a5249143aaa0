import type { WithBody } from "../request-body.ts";
import { WORLD_HEADER } from "../control/client.js";
import { bearerIn } from "../../simulator/worlds/inbound-request.ts";
import { asksForToken, clientIdOf } from "../interface/client-credentials.ts";
import { DEFAULT_WORLD, worldIdIn } from "../../simulator/worlds/worlds.ts";

/** Paths that are about the servers, or that never change. Any server answers them. */
const SERVER_PATHS =
  /^\/(metrics|pay\/style\.css|docs\/.+|dashboard\/.*|sandbox\/(health|ready|servers|worlds|scenarios(\/.*)?))?$/;

/** The reference and its samples name objects of a world. */
const REFERENCE = /^\/docs\/?(samples\/.+)?$/;

/**
 * Returns the id of the world that a request is about. That world may not exist. Undefined if the request is about no
 * world. A request that names no world is about the default world.
 */
export async function worldOfRequest(received: WithBody): Promise<string | undefined> {
  const { headers, method, url } = received.request;
  const token = bearerIn(headers.get("authorization") ?? undefined);
  const named = worldIdIn(token ?? "") ?? headers.get(WORLD_HEADER);
  if (named !== null) return named;
  const { pathname, searchParams } = new URL(url);
  const dropped = method === "DELETE" ? /^\/sandbox\/worlds\/([^/]+)$/.exec(pathname)?.[1] : undefined;
  if (dropped !== undefined) return decoded(dropped);
  if (REFERENCE.test(pathname)) return searchParams.get("world") ?? DEFAULT_WORLD;
  const page = /^\/pay\/([^/]+)\/[^/]+/.exec(pathname)?.[1];
  if (page === "subscriptions") return searchParams.get("world") ?? DEFAULT_WORLD;
  if (page !== undefined) return page;
  if (token === undefined && asksForToken(method, pathname))
    return worldIdIn(await clientIdOf(received)) ?? DEFAULT_WORLD;
  return headers.has("authorization") || !SERVER_PATHS.test(pathname) ? DEFAULT_WORLD : undefined;
}

/** Decodes a part of a path like the routes do. An invalid encoding stays unchanged. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
