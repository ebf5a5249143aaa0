import type { Context, Next } from "hono";
import type { Inbound } from "../worlds/inbound.ts";
import type { World } from "../worlds/world.ts";
import type { Worlds } from "../worlds/worlds.ts";
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
    const wasDropped = c.res.type === "error" || c.res.headers.has("x-hono-already-sent");
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
