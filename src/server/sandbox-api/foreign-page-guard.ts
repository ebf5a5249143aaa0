import type { MiddlewareHandler } from "hono";
import type { Worlds } from "../../worlds/worlds.ts";
import { forbidden } from "../../platform/refusals.ts";
import { refusalAnswer } from "../refusal-answer.ts";

/** Methods with which a page may ask for something without changing anything. */
const HARMLESS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/** What a browser says of a request that its own page, or the person in front of it, has sent. */
const OWN_SITE: ReadonlySet<string> = new Set(["same-origin", "none"]);

/**
 * Names that no stranger can point at this machine: addresses, names without a dot, and the endings that are kept
 * for networks of one's own. Any other name may be one that was made to lead here (DNS rebinding).
 */
const OWN_NAME = /^(\[[\da-f:.]+\]|\d+(\.\d+){3}|[^.]+|.+\.(localhost|local|internal|test|home\.arpa))$/i;

/**
 * Refuses a change that a web page of another origin asks for: a browser sends it along with whatever access to
 * this machine it has. What is no browser, such as curl, says nothing of an origin and is let in. Behind an admin
 * token, which no strange page knows, the sandbox may have any name.
 */
export function foreignPageGuard(
  worlds: Worlds,
  { anyName }: { readonly anyName: boolean },
): MiddlewareHandler {
  return async function guardAgainstPages(c, next) {
    if (HARMLESS.has(c.req.method)) return next();
    const sentence = foreignPage(c.req.raw, anyName);
    return sentence === undefined ? next() : refusalAnswer(worlds.default, forbidden(sentence));
  };
}

/** Why a request is not to be trusted; undefined where it is. */
function foreignPage({ url, headers }: Request, anyName: boolean): string | undefined {
  const origin = headers.get("origin");
  const site = headers.get("sec-fetch-site");
  const { host, hostname } = new URL(url);
  const isSiteForeign = site !== null && !OWN_SITE.has(site);
  // A page that hides where it comes from has the origin null; then only the browser's own word counts.
  const isOriginForeign =
    origin !== null &&
    (origin === "null" ? site === null : !URL.canParse(origin) || new URL(origin).host !== host);
  if (isSiteForeign || isOriginForeign) {
    const from =
      origin === null || origin === "null" ? "another origin" : `the origin ${origin.slice(0, 200)}`;
    return `A web page of ${from} may change nothing here. Use the dashboard of this server, or a program that is no browser.`;
  }
  if (origin === null || anyName || OWN_NAME.test(hostname)) return undefined;
  return `A web page may change nothing under the name ${hostname.slice(0, 200)}, which anyone could have pointed here. Open the sandbox by its address or as localhost, or guard it with --admin-token.`;
}
