import { CONNECTION_HEADERS } from "../../base/connection-headers.ts";
import type { ReceivedRequest } from "../environment.ts";
import { Agent, type Dispatcher } from "undici";
import { headerObject } from "../../base/header-object.ts";
import { createHmac, timingSafeEqual } from "node:crypto";
import { FORWARDED } from "../request.ts";
import { REQUEST_ID_HEADER } from "../control/client.js";
import { Readable } from "node:stream";

/** The header of an answer for the server that passed on the request, which never leaves the servers. */
export const FORWARDED_ANSWER = "x-sandbank-answer";

/** The server does not own the world. It did nothing, and the request belongs to another server. */
export const NOT_MINE = "not-mine";

/** Headers of one connection, which must not reach the next connection, and headers that are set again. */
const NOT_PASSED_ON: ReadonlySet<string> = new Set([
  ...CONNECTION_HEADERS,
  "expect",
  "content-length",
  "x-forwarded-for",
  REQUEST_ID_HEADER,
  FORWARDED,
]);

/** The maximum size of an answer that is read as a whole. Longer answers are streamed. */
const WHOLE_BYTES_MAX = 262_144;

interface Forwarding {
  /** The address of the other server. */
  readonly url: string;
  readonly body: Uint8Array | undefined;
  readonly server: string;
  readonly secret: string;
  readonly signal: AbortSignal;
}

/** The answer of another server. */
export interface Forwarded {
  /** The message of one server to the other in this answer. Undefined if the answer is only for the client. */
  readonly note: string | undefined;
  readonly isStream: boolean;
  readonly response: Response;
}

/** A request that was not answered. */
export interface NotAnswered {
  /** True if it certainly never arrived. */
  readonly isUnsent: boolean;
}

/** The codes of connections that were never made. */
const UNSENT: ReadonlySet<string | undefined> = new Set([
  "ECONNREFUSED",
  "UND_ERR_CONNECT_TIMEOUT",
  "ENOTFOUND",
]);

/** Passes requests on to other servers over kept connections. */
export class Forwarder {
  readonly #agent = new Agent({ connect: { timeout: 2_000 }, headersTimeout: 0, bodyTimeout: 0 });

  /** Sends a request as it came, and returns the answer as it is. */
  async send(
    received: ReceivedRequest,
    { url, body, server, secret, signal }: Forwarding,
  ): Promise<Forwarded | NotAnswered> {
    const { request } = received;
    const { method } = request;
    const proof = `${server} ${proofOf(secret, { server, method, url: request.url })}`;
    const headers = headerObject([...headersOf(received), FORWARDED, proof]);
    try {
      const path = request.url.slice(request.url.indexOf("/", "https://".length));
      const answered = await this.#agent.request({
        origin: url,
        path,
        method,
        headers,
        body: body ?? null,
        signal,
      });
      return await forwarded(answered);
    } catch (error) {
      return { isUnsent: UNSENT.has((error as NodeJS.ErrnoException).code) };
    }
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }
}

/** Returns true if a server of the same sandbox passed the request on. A wrong proof does not count. */
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

/** Returns the names and values of the headers to pass on, in turn. The host is the host that the client asked. */
function headersOf({ id, request, env: { incoming } }: ReceivedRequest): string[] {
  const { headers, url } = request;
  const all = incoming?.rawHeaders ?? [...headers].flat();
  const passed: string[] = [];
  let hasHost = false;
  for (let at = 0; at < all.length; at += 2) {
    const name = all[at]!.toLowerCase();
    if (NOT_PASSED_ON.has(name)) continue;
    hasHost ||= name === "host";
    passed.push(name, all[at + 1]!);
  }
  if (!hasHost) passed.push("host", new URL(url).host);
  const from = [headers.get("x-forwarded-for"), incoming?.socket.remoteAddress].filter(Boolean).join(", ");
  if (from !== "") passed.push("x-forwarded-for", from);
  passed.push(REQUEST_ID_HEADER, id);
  return passed;
}

async function forwarded({ statusCode: status, headers, body }: Dispatcher.ResponseData): Promise<Forwarded> {
  const kept: Record<string, string> = {};
  for (const [name, value = ""] of Object.entries(headers))
    if (!NOT_PASSED_ON.has(name) || name === "content-length")
      kept[name] = typeof value === "string" ? value : value.join(", ");
  const init = { status, headers: kept };
  const response = await responseOf(body, init);
  const isStream = kept["content-type"]?.startsWith("text/event-stream") === true;
  return { note: kept[FORWARDED_ANSWER], isStream, response };
}

/** Headers are plain, and a body is bytes, wherever that can be: so the answer is sent on the server's fast path. */
async function responseOf(
  body: Dispatcher.ResponseData["body"],
  init: { readonly status: number; readonly headers: Readonly<Record<string, string>> },
): Promise<Response> {
  if (init.status === 204 || init.status === 304) {
    await body.dump();
    return new Response(null, init);
  }
  if (Number(init.headers["content-length"] ?? Infinity) > WHOLE_BYTES_MAX)
    return new Response(Readable.toWeb(body) as ReadableStream, init);
  return new Response(new Uint8Array(await body.arrayBuffer()), init);
}
