import type { IncomingMessage } from "node:http";
import { http } from "./node-http.ts";
import { Agent as SecureAgent, request as requestHttps } from "node:https";
import { isLoopback } from "./proxies.ts";
import { Readable } from "node:stream";

// Kept from the time of import: a test may replace them later.
const { Response, Headers } = globalThis;

/** Agents without a proxy. Node's own agents may use a proxy of the environment, which cannot reach this machine. */
const DIRECT = { keepAlive: true, timeout: 5_000 } as const;
const direct = new http.Agent(DIRECT);
const directSecure = new SecureAgent(DIRECT);

/** The statuses of answers without a body. */
const EMPTY: ReadonlySet<number | undefined> = new Set([204, 205, 304]);

/**
 * Sends a request like `fetch`, but follows no redirect. Node's own `fetch` waits for timers of the process. If a
 * test has replaced them with fake timers, it waits forever. With `isUnref`, waiting for an answer does not keep the
 * process alive.
 */
export async function httpFetch(asked: Request, { isUnref = false } = {}): Promise<Response> {
  const body = Buffer.from(await asked.arrayBuffer());
  const answer = await exchange(asked, body, isUnref).catch(
    (error: NodeJS.ErrnoException & { isStale?: boolean }) => {
      // The server may close a connection that was kept open just as it is used again.
      if (error.isStale === true) return exchange(asked, body, isUnref);
      throw new TypeError("fetch failed", { cause: error });
    },
  );
  const headers = new Headers();
  for (let at = 0; at < answer.rawHeaders.length; at += 2)
    headers.append(answer.rawHeaders[at] ?? "", answer.rawHeaders[at + 1] ?? "");
  const { statusCode: status = 0, statusMessage: statusText = "" } = answer;
  const content = EMPTY.has(status) ? null : (Readable.toWeb(answer) as ReadableStream<Uint8Array>);
  return new Response(content, { status, statusText, headers });
}

function exchange(
  { url, method, headers, signal }: Request,
  body: Buffer,
  isUnref: boolean,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const isSecure = url.startsWith("https:");
    const send = isSecure ? requestHttps : http.request;
    const agent = isLoopback(url) ? (isSecure ? directSecure : direct) : undefined;
    const sent = {
      ...Object.fromEntries(headers),
      ...(body.length > 0 && { "content-length": body.length }),
    };
    const request = send(url, { method, headers: sent, signal, agent }, resolve);
    if (isUnref) request.on("socket", (socket) => socket.unref());
    request.on("error", (error: NodeJS.ErrnoException) => {
      const isStale = request.reusedSocket && error.code === "ECONNRESET";
      reject(Object.assign(error, { isStale }));
    });
    request.end(body);
  });
}
