import type { HarExchange, HarHeader } from "./har.ts";
import type { ClientRequest, IncomingMessage, ServerResponse } from "node:http";
import { http } from "../base/node-http.ts";
import { request as httpsRequest } from "node:https";
import { defined } from "../simulator/engine/json.ts";
import { KEPT_BYTES_MAX, KeptBody, decoded } from "./kept-body.ts";
import { headerObject } from "../base/header-object.ts";
import { HOP_BY_HOP, openStreamingProxy, type Proxy } from "../base/proxy.ts";
import { measureLateness } from "./lateness.ts";
import type { Wall } from "../base/wall.ts";

interface RecorderOptions {
  /** 0 takes a free port. */
  readonly port: number;
  /** The address that a request is passed on to, by its path and query. */
  readonly targetOf: (path: string) => string;
  /** The recorded address of the exchange. */
  readonly shownUrl: (request: IncomingMessage, target: string, path: string) => string;
  readonly recorded: (exchange: HarExchange) => void;
  /** Called if an exchange cannot be recorded. Traffic still goes through. */
  readonly failed: (error: Error) => void;
  /** Gives the times of the exchanges. */
  readonly wall: Wall;
}

/**
 * Opens a proxy that reports each request with its answer. Bytes go through unchanged in both directions, as they come.
 * If a target cannot be reached, or its answer cannot be passed on, the answer is 502 with a sentence. Rejects with the
 * operating system's error if the port cannot be opened.
 */
export async function openRecorder(options: RecorderOptions): Promise<Proxy> {
  const open = new Set<Promise<void>>();
  const proxy = await openStreamingProxy({ port: options.port }, (request, response) => {
    const recorded = pass(request, response, options)
      .catch(options.failed)
      .finally(() => open.delete(recorded));
    open.add(recorded);
  });
  return {
    ...proxy,
    [Symbol.asyncDispose]: async () => {
      await proxy[Symbol.asyncDispose]();
      await Promise.all(open);
    },
  };
}

/** The end of an exchange: the recorded answer, and the encoding of its body. */
type EndedExchange = Pick<HarExchange, "status" | "responseHeaders"> &
  Partial<HarExchange> & { readonly encoding?: string };

interface Passed {
  readonly path: string;
  readonly target: string;
  readonly bodies: Readonly<Record<"request" | "response", KeptBody>>;
}

/** Passes a request on, and its answer back. Resolves when the exchange is recorded. */
async function pass(
  request: IncomingMessage,
  response: ServerResponse,
  options: RecorderOptions,
): Promise<void> {
  const path = pathOf(request.url ?? "/");
  const target = options.targetOf(path === "*" ? "/*" : path);
  const bodies = { request: new KeptBody(), response: new KeptBody() };
  const record = recordOf(request, { path, target, bodies }, options);
  const ended = Promise.withResolvers<EndedExchange>();
  let outgoing: ClientRequest | undefined;

  function fail(error: NodeJS.ErrnoException): void {
    const message = sentenceOf(target, error);
    if (response.headersSent) {
      response.destroy();
      return ended.resolve({ status: response.statusCode, responseHeaders: [], _error: message });
    }
    // The rest of the caller's request is not needed now.
    request.unpipe();
    request.resume();
    ended.resolve({ ...answerBadGateway(response, message), _error: message });
    outgoing?.destroy();
  }

  request.on("data", (chunk: Buffer) => bodies.request.add(chunk));
  // A client that gives up ends the request to the target, too.
  response.on("close", () => {
    if (response.writableFinished) return;
    outgoing?.destroy();
    ended.resolve({ status: 0, responseHeaders: [], _error: LEFT });
  });
  try {
    outgoing = send(target, path, request);
    outgoing.on("error", (error) => {
      if (!response.writableEnded) fail(error);
    });
    // Node reports no error if the target changes to another protocol.
    outgoing.on("close", () => {
      if (!response.headersSent) fail(new Error("the connection ended without an answer"));
    });
    outgoing.on("response", (incoming) =>
      passBack(incoming, response, { body: bodies.response, fail, ended }),
    );
    request.pipe(outgoing);
  } catch (error) {
    fail(error as Error);
  }
  await record(await ended.promise);
}

const LEFT = "The caller closed the connection before the answer was complete.";

interface Back {
  readonly body: KeptBody;
  readonly fail: (error: NodeJS.ErrnoException) => void;
  readonly ended: PromiseWithResolvers<EndedExchange>;
}

/** Passes an answer back. Fails for an answer that is not valid HTTP, which Node reads but does not write. */
function passBack(incoming: IncomingMessage, response: ServerResponse, { body, fail, ended }: Back): void {
  const { statusCode: status = 502, statusMessage = "", rawHeaders, headers } = incoming;
  incoming.on("error", fail);
  try {
    response.sendDate = false;
    response.writeHead(status, statusMessage, headerObject(forwarded(rawHeaders)));
    // The head is sent at once, so that a stream of the target arrives as a stream.
    response.flushHeaders();
  } catch (error) {
    return fail(error as Error);
  }
  incoming.on("data", (chunk: Buffer) => body.add(chunk));
  incoming.pipe(response);
  response.on("finish", () => {
    const responseHeaders = headersOf(rawHeaders);
    const encoding = headers["content-encoding"];
    ended.resolve({ status, statusText: statusMessage, responseHeaders, ...defined({ encoding }) });
  });
}

/**
 * Returns the path and the query of a request. A client that takes the recorder for an HTTP proxy sends a whole URL.
 * `OPTIONS *` is about the whole server.
 */
function pathOf(url: string): string {
  const [, path = url] = /^[a-z][a-z\d+.-]*:\/\/[^/?]*(.*)$/is.exec(url) ?? [];
  return path.startsWith("/") || path === "*" ? path : `/${path}`;
}

/** Returns a function that records the exchange with its answer. */
function recordOf(
  request: IncomingMessage,
  { path, target, bodies }: Passed,
  { shownUrl, recorded, wall }: RecorderOptions,
): (answer: EndedExchange) => Promise<void> {
  const startedAt = wall.date();
  const began = wall.now();
  const endLateness = measureLateness(wall);
  return async ({ encoding, ...answer }) => {
    const durationMs = wall.now() - began;
    const lateMs = endLateness();
    const { bytes } = bodies.request;
    const body = await decoded(bodies.response, encoding);
    const isCut = bodies.request.isCut || bodies.response.isCut || body.isCut;
    recorded({
      startedAt,
      durationMs,
      method: request.method ?? "GET",
      url: shownUrl(request, target, path),
      requestHeaders: headersOf(request.rawHeaders),
      requestBody: bytes.length === 0 && !("content-length" in request.headers) ? null : bytes,
      responseBody: body.bytes,
      responseBytes: bodies.response.bytes.length,
      ...(isCut && { _error: `A body is longer than ${KEPT_BYTES_MAX} bytes. The rest is not recorded.` }),
      ...(lateMs > 0 && { _lateMs: lateMs }),
      ...answer,
    });
  };
}

/** Answers 502 with a sentence. Returns the answer. */
function answerBadGateway(response: ServerResponse, message: string): EndedExchange {
  const body = JSON.stringify({ error: "BAD_GATEWAY", message });
  const headers = { "content-type": "application/json", "content-length": String(Buffer.byteLength(body)) };
  // A reason that could not be written would still be set.
  response.writeHead(502, "Bad Gateway", headers).end(body);
  const responseHeaders = Object.entries(headers).map(([name, value]) => ({ name, value }));
  const responseBody = Buffer.from(body);
  return { status: 502, responseHeaders, responseBody, responseBytes: responseBody.length };
}

function send(
  target: string,
  path: string,
  { method = "GET", rawHeaders, headers }: IncomingMessage,
): ClientRequest {
  const url = new URL(target);
  const open = url.protocol === "https:" ? httpsRequest : http.request;
  const isChunked = headers["transfer-encoding"] !== undefined;
  const own = ["host", url.host, ...(isChunked ? ["transfer-encoding", "chunked"] : [])];
  // A separate connection for each request: the target may close a kept connection at any moment.
  return open(url, {
    method,
    agent: false,
    // The URL would write some characters of the path in another way.
    path: path === "*" ? path : pathOf(target),
    headers: headerObject([...forwarded(rawHeaders), ...own]),
  });
}

/** Returns the headers as they were written, without the headers of the connection. */
function forwarded(rawHeaders: readonly string[]): string[] {
  const named = new Set(
    headersOf(rawHeaders).flatMap(({ name, value }) =>
      name.toLowerCase() === "connection"
        ? value
            .toLowerCase()
            .split(",")
            .map((one) => one.trim())
        : [],
    ),
  );
  return headersOf(rawHeaders).flatMap(({ name, value }) => {
    const lower = name.toLowerCase();
    return HOP_BY_HOP.has(lower) || named.has(lower) ? [] : [name, value];
  });
}

function headersOf(rawHeaders: readonly string[]): HarHeader[] {
  return rawHeaders.flatMap((name, index) =>
    index % 2 === 0 ? [{ name, value: rawHeaders[index + 1] ?? "" }] : [],
  );
}

function sentenceOf(target: string, { code = "", message }: NodeJS.ErrnoException): string {
  const { origin } = new URL(target);
  if (/^(?:HPE|ERR_HTTP|ERR_INVALID)_/.test(code))
    return `Failed to pass on the answer of ${origin}: it is not valid HTTP (${message}). Correct the server.`;
  return `Failed to reach ${origin}: ${code || message}. Check the address, and that the server runs.`;
}
