import type { MiddlewareHandler } from "hono";
import { ADMIN_TOKEN_HEADER } from "./control/client.js";
import { callerOf } from "./caller.ts";
import type { ServerEnv } from "./environment.ts";
import type { Worlds } from "../simulator/worlds/worlds.ts";
import { createHash, timingSafeEqual } from "node:crypto";
import { forbidden } from "../simulator/platform/refusals.ts";
import { Refusal } from "../simulator/engine/refusal.ts";
import { isOwnName } from "./inbound-requests.ts";
import { isRead } from "./limits.ts";
import { refusalAnswer } from "./answer.ts";

/**
 * Requires the admin token for the sandbox's own API, except for paths that are open to anyone, or to the token of a
 * company. Every wrong token takes the same time.
 */
export function adminGuard(
  worlds: Worlds,
  adminToken: string,
  open: Readonly<Record<"anyone" | "company", ReadonlySet<string>>>,
): MiddlewareHandler {
  const expected = digest(adminToken);
  return async function guardControl(c, next) {
    const isAdmin = timingSafeEqual(digest(c.req.header(ADMIN_TOKEN_HEADER) ?? ""), expected);
    if (isAdmin || open.anyone.has(c.req.path)) return next();
    // A request without a token may get the first company of the world that it names.
    const isCompany = c.req.header("authorization") !== undefined && callerOf(c).token !== undefined;
    if (isCompany && open.company.has(c.req.path)) return next();
    const message = `The sandbox's own API requires an admin token. Send it in the header ${ADMIN_TOKEN_HEADER}.`;
    return refusalAnswer(worlds, new Refusal("UNAUTHORIZED", message));
  };
}

/** Returns a digest. All digests have the same length, so the length of the sent token does not matter. */
function digest(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

/** The browser's marks for a request from the server's own page, or from the user. */
const OWN_SITE: ReadonlySet<string> = new Set(["same-origin", "none"]);

/**
 * Refuses a change that a web page of another origin requests: the browser of a user with access to this machine
 * would send it. Programs other than browsers, such as curl, send no origin and are admitted.
 */
export function foreignPageGuard(worlds: Worlds): MiddlewareHandler<ServerEnv> {
  return async function guardAgainstPages(c, next) {
    if (isRead(c.req.method)) return next();
    const sentence = foreignPage(c.req.raw, c.env.names);
    return sentence === undefined ? next() : refusalAnswer(worlds, forbidden(sentence));
  };
}

/** Returns true if a browser sends a request for a page of another origin, even on the same site. */
export function isFromForeignPage(request: Request): boolean {
  const site = request.headers.get("sec-fetch-site");
  if (site !== null) return !OWN_SITE.has(site);
  return request.headers.get("origin") === "null" || namesForeignOrigin(request);
}

/** Returns true if the request names another origin. A page without an origin sends `null`. */
function namesForeignOrigin({ url, headers }: Request): boolean {
  const origin = headers.get("origin");
  return origin !== null && origin !== "null" && URL.parse(origin)?.host !== new URL(url).host;
}

/** Returns the reason why a request is not trusted. Undefined if it is trusted. */
function foreignPage(request: Request, names: readonly string[] | undefined): string | undefined {
  const origin = request.headers.get("origin");
  const { hostname } = new URL(request.url);
  if (isFromForeignPage(request) || namesForeignOrigin(request)) {
    const from =
      origin === null || origin === "null" ? "another origin" : `the origin ${origin.slice(0, 200)}`;
    return `A web page of ${from} must not change anything here. Use the dashboard of this server, or a program that is not a browser.`;
  }
  if (origin === null || isOwnName(hostname, names)) return undefined;
  return `A web page must not change anything under the name ${hostname.slice(0, 200)}, because anyone could point that name here. Open the sandbox by its address or as localhost. Or start it with --allowed-hosts ${hostname.slice(0, 200)}, or with --admin-token.`;
}
