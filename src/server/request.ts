import type { Problem } from "../simulator/engine/refusal.ts";
import type { NamedRequest, RequestEnvironment } from "./environment.ts";
import type { RequestHead } from "../simulator/worlds/masking.ts";
import { admitsLargeBody, LARGE_BODY_BYTES, tooManyLargeBodies } from "./limits.ts";
import { HTTPException } from "hono/http-exception";
import { getQueryParam } from "hono/utils/url";
import { excessOf, NESTING_MAX, VALUES_MAX } from "../simulator/engine/json.ts";
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

/** The largest body that is read. It is much larger than any operation needs. */
export const BODY_BYTES_MAX = 1_048_576;

const TOO_DEEP = `The body is nested more than ${NESTING_MAX} levels deep. Send a flatter body.`;

const TOO_MANY = `The body has more than ${VALUES_MAX} fields and items. Send a smaller one.`;

const TOO_LARGE = bodyProblem(`The body is larger than ${BODY_BYTES_MAX} bytes. Send a smaller one.`);

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** A parsed body, or the problem of the whole body. */
export type ParsedBody = { readonly value: unknown } | { readonly problem: Problem };

/** Reads a JSON body. Undefined for an empty body. Never throws: a bad body is a problem of the field `body`. */
export async function readJsonBody(request: Request, named?: NamedRequest): Promise<ParsedBody> {
  const read = await readTextBody(request, named);
  if ("problem" in read) return read;
  if (read.text.trim() === "") return { value: undefined };
  try {
    const value = JSON.parse(read.text) as unknown;
    if (named !== undefined) named.inbound.isJson = true;
    const excess = excessOf(value);
    if (excess === undefined) return { value };
    return { problem: bodyProblem(excess === "levels" ? TOO_DEEP : TOO_MANY) };
  } catch (error) {
    return {
      problem: bodyProblem(`The body is not valid JSON: ${(error as Error).message}. Send a JSON object.`),
    };
  }
}

/** Reads a body as UTF-8 text, up to the limit. */
export async function readTextBody(
  request: Request,
  named?: NamedRequest,
): Promise<{ text: string } | { problem: Problem }> {
  if (Number(request.headers.get("content-length") ?? 0) > BODY_BYTES_MAX) return { problem: TOO_LARGE };
  let bytes: ArrayBuffer | Uint8Array | undefined;
  try {
    bytes = await readBytes(request, named);
  } catch (error) {
    if (error instanceof HTTPException) throw error;
    // The client disconnected within a body, or sent wrong framing. This is not a bug of the sandbox.
    return {
      problem: bodyProblem(
        `The body ended before it was complete: ${(error as Error).message}. Send all of it.`,
      ),
    };
  }
  if (bytes === undefined) return { problem: TOO_LARGE };
  const encoding = request.headers.get("content-encoding") ?? "identity";
  if (bytes.byteLength > 0 && encoding.toLowerCase() !== "identity") {
    return {
      problem: bodyProblem(
        `The body is encoded as ${encoding.slice(0, 60)}. Send it without a content-encoding.`,
      ),
    };
  }
  try {
    const text = utf8.decode(bytes);
    named?.inbound.bodyRead(text);
    return { text };
  } catch {
    return { problem: bodyProblem("The body is not valid UTF-8. Send JSON in UTF-8.") };
  }
}

/**
 * Reads the bytes of a body. Undefined if it exceeds the limit. The rest is then not read. Throws if the server has
 * no room for it. A large body counts until its request is answered, because a waiting request keeps its body.
 */
async function readBytes(
  request: Request,
  named: NamedRequest | undefined,
): Promise<ArrayBuffer | Uint8Array | undefined> {
  // The connection enforces a declared length, so only a chunked body is counted. Reading `body` is slow, and a small
  // body does not need it.
  const declared = request.headers.get("content-length");
  const isSmall = declared !== null && Number(declared) <= LARGE_BODY_BYTES;
  if (isSmall || request.body === null) return request.arrayBuffer();
  if (declared !== null) {
    if (!admitsLargeBody(named)) throw tooManyLargeBodies();
    return request.arrayBuffer();
  }
  const chunks: Uint8Array[] = [];
  let length = 0;
  let isKept = true;
  for await (const chunk of request.body) {
    const isLarge = length > LARGE_BODY_BYTES;
    length += chunk.byteLength;
    if (length > BODY_BYTES_MAX) return undefined;
    if (!isLarge && length > LARGE_BODY_BYTES) isKept = admitsLargeBody(named);
    // A refused body is read to its end, because a client that still sends would not see the answer.
    if (isKept) chunks.push(chunk);
    else chunks.length = 0;
  }
  if (!isKept) throw tooManyLargeBodies();
  return Buffer.concat(chunks);
}

function bodyProblem(description: string): Problem {
  return { field: "body", issue: "INVALID", description };
}
