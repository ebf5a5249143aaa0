import type { RequestEnvironment } from "./environment.ts";
import type { RequestHead } from "../simulator/worlds/masking.ts";
import { getQueryParam } from "hono/utils/url";
import { REQUEST_ID_HEADER } from "./control/client.js";

/** The form of an id that a client may choose. It must be safe in a log. */
const CLIENT_REQUEST_ID = /^[\w.:/+=-]{1,64}$/;

const STARTED = Date.now().toString(36);
let requestCount = 0;

/** Returns the id that the client chose for a request, otherwise a new id. */
export function requestIdOf(headers: RequestHead["headers"]): string {
  const chosen = headers[REQUEST_ID_HEADER];
  return chosen !== undefined && CLIENT_REQUEST_ID.test(chosen) ? chosen : `${STARTED}-${++requestCount}`;
}

/** The header of a passed-on request: the id of the other server, and a proof that it knows the common secret. */
export const FORWARDED = "x-sandbank-forwarded";

/**
 * Returns the headers that the client sent, in the order of their names. The header that servers use for each other
 * is left out. Node's parsed headers are used only if no header occurs twice: it drops or joins some repeated
 * headers.
 */
export function headersOf(
  request: Request,
  incoming?: RequestEnvironment["incoming"],
): RequestHead["headers"] {
  const read = incoming?.headers ?? {};
  const names = Object.keys(read);
  const isWhole = 2 * names.length === incoming?.rawHeaders.length && read["set-cookie"] === undefined;
  if (!isWhole) return Object.fromEntries(Array.from(request.headers).filter(([name]) => name !== FORWARDED));
  const headers: Record<string, string> = {};
  for (const name of names.toSorted()) if (name !== FORWARDED) headers[name] = String(read[name]);
  return headers;
}

/** Returns the parameters of the query. If one is repeated, its first value counts. */
export function firstQuery({ url }: Request): Record<string, string> {
  return getQueryParam(url) as Record<string, string>;
}

/**
 * Returns true if a client sent a header more than once. Its values are then joined with commas. A request in this process
 * shows only the joined value.
 */
export function isRepeated(
  name: string,
  value: string | undefined,
  { incoming }: Pick<RequestEnvironment, "incoming">,
): boolean {
  if (value?.includes(",") !== true) return false;
  if (incoming === undefined) return value.includes(", ");
  return incoming.rawHeaders.filter((one, at) => at % 2 === 0 && one.toLowerCase() === name).length > 1;
}

/** The header with the plans for the objects that a call makes. The platform itself ignores it. */
export const PLAN_HEADER = "x-sandbox-plan";
