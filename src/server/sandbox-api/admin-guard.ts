import type { MiddlewareHandler } from "hono";
import type { Worlds } from "../../worlds/worlds.ts";
import { createHash, timingSafeEqual } from "node:crypto";
import { Refusal } from "../../engine/refusal.ts";
import { refusalAnswer } from "../refusal-answer.ts";

/** The header that carries the admin token; `Authorization` names a company and its world. */
export const ADMIN_TOKEN_HEADER = "x-admin-token";

/** What tells only that the server is up; a health check has no token. */
const OPEN_PATH = "/sandbox/health";

/** Lets nobody at the sandbox's own API who does not bring the admin token; takes the same time for all others. */
export function adminGuard(worlds: Worlds, adminToken: string): MiddlewareHandler {
  const wanted = digest(adminToken);
  return async function guardControl(c, next) {
    const isAdmin = timingSafeEqual(digest(c.req.header(ADMIN_TOKEN_HEADER) ?? ""), wanted);
    if (isAdmin || c.req.path === OPEN_PATH) return next();
    const message = `The sandbox's own API is guarded here: send the admin token in the header ${ADMIN_TOKEN_HEADER}.`;
    return refusalAnswer(worlds.default, new Refusal("UNAUTHORIZED", message));
  };
}

/** Digests have one length, whatever was sent. */
function digest(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
