import { ADMIN_TOKEN_HEADER } from "./control/client.js";
import type { NamedRequest } from "./environment.ts";
import { createHash, timingSafeEqual } from "node:crypto";
import { forbidden } from "../simulator/platform/refusals.ts";
import { Refusal } from "../simulator/engine/refusal.ts";
import { isOwnName } from "./inbound-requests.ts";
import { isRead } from "./limits.ts";

/**
 * Refuses requests without the admin token to the sandbox's own API, except for paths that are open to anyone, or to the
 * token of a company. Every wrong token takes the same time.
 */
export function adminGuard(
  adminToken: string,
  open: Readonly<Record<"anyone" | "company", ReadonlySet<string>>>,
): (named: NamedRequest) => Refusal | undefined {
  const expected = digest(adminToken);
  return function guardControl({ request: { headers }, path, caller }) {
    const isAdmin = timingSafeEqual(digest(headers.get(ADMIN_TOKEN_HEADER) ?? ""), expected);
    if (isAdmin || open.anyone.has(path)) return undefined;
    // A request without a token may get the first company of the world that it names.
    const isCompany = headers.get("authorization") !== null && caller.token !== undefined;
    if (isCompany && open.company.has(path)) return undefined;
    const message = `The sandbox's own API requires an admin token. Send it in the header ${ADMIN_TOKEN_HEADER}.`;
    return new Refusal("UNAUTHORIZED", message);
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
export function foreignPageRefusal(
  request: Request,
  names: readonly string[] | undefined,
): Refusal | undefined {
  const sentence = isRead(request.method) ? undefined : foreignPage(request, names);
  return sentence === undefined ? undefined : forbidden(sentence);
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
