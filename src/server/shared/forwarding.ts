import type { Dispatcher } from "undici";
import { Agent } from "undici";
import { createHmac, timingSafeEqual } from "node:crypto";
import { Readable } from "node:stream";

/** The header of a request that another server passed on: who did, and a proof that it knows the common secret. */
export const FORWARDED = "x-sandbank-forwarded";

/** The header of an answer for the server that passed on the request, which never leaves the servers. */
export const FORWARDED_ANSWER = "x-sandbank-answer";

/** The server has not the world: nothing was done, and the request is for another one. */
export const NOT_MINE = "not-mine";

/** Headers of one connection, which the next one must not get. */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "expect",
]);

/** Longer answers are sent as they come. */
const WHOLE_BYTES_MAX = 262_144;

interface Forwarding {
  /** The address of the other server. */
  readonly url: string;
  readonly body: Uint8Array | undefined;
  readonly requestId: string | undefined;
  /** The address that the request came from. */
  readonly client: string | undefined;
  readonly server: string;
  readonly secret: string;
  readonly signal: AbortSignal;
}

/** A request that was not answered. */
export class NotAnswered extends Error {
  override readonly name = "NotAnswered";
  /** Whether it certainly never arrived. */
  readonly isUnsent: boolean;

  constructor(cause: Error) {
    super(cause.message, { cause });
    const { code } = cause as NodeJS.ErrnoException;
    this.isUnsent = code === "ECONNREFUSED" || code === "UND_ERR_CONNECT_TIMEOUT" || code === "ENOTFOUND";
  }
}

/** Passes requests on to other servers over kept connections. */
export class Forwarder {
  readonly #agent = new Agent({ connect: { timeout: 2_000 }, headersTimeout: 0, bodyTimeout: 0 });

  /** Sends a request as it came, and returns the answer as it is; rejects with `NotAnswered`. */
  async send({ method, url, headers: given }: Request, forwarding: Forwarding): Promise<Response> {
    const { origin } = new URL(url);
    const headers: Record<string, string> = {};
    for (const [name, value] of given) if (!HOP_BY_HOP.has(name)) headers[name] = value;
    delete headers["content-length"];
    const { client, body, requestId, server, secret, signal } = forwarding;
    // The address that the client asked: pages and links are made of it.
    headers["host"] = given.get("host") ?? new URL(url).host;
    headers["x-forwarded-for"] = [given.get("x-forwarded-for"), client].filter(Boolean).join(", ");
    if (headers["x-forwarded-for"] === "") delete headers["x-forwarded-for"];
    if (requestId !== undefined) headers["x-request-id"] = requestId;
    headers[FORWARDED] = `${server} ${proofOf(secret, { server, method, url })}`;
    let answered: Dispatcher.ResponseData;
    try {
      answered = await this.#agent.request({
        origin: forwarding.url,
        path: url.slice(origin.length),
        method,
        headers,
        body: body ?? null,
        signal,
      });
    } catch (error) {
      throw new NotAnswered(error as Error);
    }
    return responseOf(answered);
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }
}

/** Whether a request was passed on by a server of the same sandbox. A wrong proof is no proof. */
export function isForwarded({ method, url, headers }: Request, secret: string): boolean {
  const [server = "", proof = ""] = (headers.get(FORWARDED) ?? "").split(" ");
  if (proof === "") return false;
  const expected = Buffer.from(proofOf(secret, { server, method, url }));
  const found = Buffer.from(proof);
  return found.length === expected.length && timingSafeEqual(found, expected);
}

function proofOf(
  secret: string,
  { server, method, url }: { readonly server: string; readonly method: string; readonly url: string },
): string {
  return createHmac("sha256", secret).update(`${server} ${method} ${url}`).digest("base64url");
}

async function responseOf({ statusCode, headers, body }: Dispatcher.ResponseData): Promise<Response> {
  const kept: [string, string][] = [];
  for (const [name, value = ""] of Object.entries(headers)) {
    if (HOP_BY_HOP.has(name) || name === "x-request-id") continue;
    for (const one of Array.isArray(value) ? value : [value]) kept.push([name, one]);
  }
  const init = { status: statusCode, headers: kept };
  if (statusCode === 204 || statusCode === 304) {
    await body.dump();
    return new Response(null, init);
  }
  const length = Number(headers["content-length"] ?? Infinity);
  if (length <= WHOLE_BYTES_MAX) {
    try {
      return new Response(await body.arrayBuffer(), init);
    } catch (error) {
      throw new NotAnswered(error as Error);
    }
  }
  return new Response(Readable.toWeb(body) as ReadableStream, init);
}
