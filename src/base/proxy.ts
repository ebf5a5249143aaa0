import { CONNECTION_HEADERS } from "./connection-headers.ts";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import type { IncomingHttpHeaders, IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { http } from "./node-http.ts";
import { once } from "node:events";
import { request as httpsRequest, type RequestOptions } from "node:https";

/** The address of the servers of tools. */
export const LOOPBACK = "127.0.0.1";

/** A server on the loopback address that looks at requests before it forwards them. */
export interface Proxy extends AsyncDisposable {
  readonly port: number;
  readonly url: string;
}

/** Opens a proxy that reads the body of a request first. Rejects if the port is taken. */
export async function openProxy({
  port = 0,
  host = LOOPBACK,
  answer,
  onError,
}: {
  /** 0, the default, takes a free port. */
  readonly port?: number;
  /** The address to listen on; default: this machine alone. */
  readonly host?: string;
  /** Answers one request, whose body has been read. */
  readonly answer: (request: IncomingMessage, body: Buffer, response: ServerResponse) => Promise<void>;
  /** Called if `answer` rejects. It has to end the response. */
  readonly onError: (error: Error, response: ServerResponse) => void;
}): Promise<Proxy> {
  return openStreamingProxy({ port, host }, (request, response) => {
    buffer(request)
      .then((body) => answer(request, body, response))
      .catch((error: unknown) => onError(error as Error, response))
      // Node would end the process for it.
      .catch(() => response.destroy());
  });
}

/** Opens a proxy that gets each request as it arrives. Rejects if the port is taken. */
export async function openStreamingProxy(
  { port, host = LOOPBACK }: { readonly port: number; readonly host?: string },
  answer: RequestListener,
): Promise<Proxy> {
  const server = http.createServer((request, response) => {
    try {
      answer(request, response);
    } catch {
      // Node would end the process for it, and with it the way of all other requests.
      response.destroy();
    }
  });
  server.listen(port, host);
  await once(server, "listening");
  const opened = (server.address() as AddressInfo).port;
  return {
    port: opened,
    url: `http://${LOOPBACK}:${opened}`,
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

/** Headers of one connection, and the host header, which names the target. They are not forwarded. */
export const HOP_BY_HOP: ReadonlySet<string> = new Set([...CONNECTION_HEADERS, "host"]);

/** Sends a request to a server: in this process, or over HTTP. `path` begins with a slash. */
export type Fetch = (path: string, init?: RequestInit) => Promise<Response>;

/**
 * Sends a received request to a target, byte for byte, and returns the answer. A target in this process needs no port.
 * A server may ask for the certificate.
 */
export async function forward(
  target: string | Fetch,
  { method = "GET", url = "/", headers }: Pick<IncomingMessage, "method" | "url" | "headers">,
  body: Buffer,
  certificate: Pick<RequestOptions, "cert" | "key" | "ca"> = {},
): Promise<{
  readonly status: number;
  readonly headers: Record<string, string | string[]>;
  readonly bytes: Buffer;
}> {
  const sent = { ...endToEnd(headers), ...(body.length > 0 && { "content-length": String(body.length) }) };
  if (typeof target !== "string") {
    // A request of the platform has no body with these methods, even if a pact sends one.
    const withBody = method === "GET" || method === "HEAD" ? {} : { body: new Uint8Array(body) };
    const response = await target(url, { method, headers: sent, ...withBody });
    const bytes = Buffer.from(await response.arrayBuffer());
    return { status: response.status, headers: Object.fromEntries(response.headers), bytes };
  }
  const send = target.startsWith("https:") ? httpsRequest : http.request;
  const outgoing = send(target + url, { ...certificate, method, headers: sent, agent: false });
  // After the head of the answer, the answer ends with the error as well.
  outgoing.on("error", () => undefined);
  outgoing.end(body);
  const [incoming] = (await once(outgoing, "response")) as [IncomingMessage];
  const bytes = await buffer(incoming);
  return { status: incoming.statusCode ?? 502, headers: endToEnd(incoming.headers), bytes };
}

function endToEnd(headers: IncomingHttpHeaders): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(headers).filter(
      (entry): entry is [string, string | string[]] => entry[1] !== undefined && !HOP_BY_HOP.has(entry[0]),
    ),
  );
}
