import type { Context, Next } from "hono";
import type { Inbound } from "../worlds/inbound.ts";
import type { World } from "../worlds/world.ts";
import type { Worlds } from "../worlds/worlds.ts";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { bearerToken } from "./caller.ts";
import { inbound } from "../worlds/inbound.ts";

/** Refusals at the door: the platform took no command, and still they belong to the story. */
const AT_THE_DOOR: ReadonlySet<number> = new Set([400, 401, 403]);

const PACT = "/sandbox/pact/";

const CODES: Readonly<Record<number, string>> = {
  400: "INVALID_REQUEST",
  401: "UNAUTHORIZED",
  403: "FORBIDDEN_ERROR",
  404: "NOT_FOUND",
};

/** Lets the worlds know which request they work for, and counts the errors that the interface answers with. */
export function inboundRequests(worlds: Worlds) {
  return async function followRequest(c: Context, next: Next): Promise<void> {
    // What a provider state does is done by the request that asks for the state.
    if (inbound.getStore()?.path.startsWith(PACT)) return next();
    const { url, method, headers } = c.req.raw;
    const { origin, pathname, search } = new URL(url);
    const request: Inbound = { method, path: pathname + search, origin, headers };
    await inbound.run(request, next);
    // Nothing but the status is read: whatever else is, costs the server its fast path. A network error has 0.
    const wasDropped = c.res === RESPONSE_ALREADY_SENT || c.res.status === 0;
    request.status = wasDropped ? null : c.res.status;
    if (request.status !== null && request.status >= 400 && !pathname.startsWith("/sandbox/"))
      noteError(worldOf(worlds, c.req.raw), request, request.status);
  };
}

function noteError(world: World, request: Inbound, status: number): void {
  const { error } = (request.answer ?? {}) as { error?: unknown };
  world.chronicle.coverage.refused(typeof error === "string" ? error : (CODES[status] ?? "INTERNAL_ERROR"));
  if (AT_THE_DOOR.has(status)) world.chronicle.requested(world.now, request);
}

function worldOf(worlds: Worlds, request: Request): World {
  const token = bearerToken(request);
  return (token === undefined ? undefined : worlds.ofCredential(token)) ?? worlds.default;
}
