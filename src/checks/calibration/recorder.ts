import type { HarExchange, HarHeader } from "../../traffic/har.ts";
import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from "node:zlib";
import {
  type ClientRequest,
  type IncomingMessage,
  type ServerResponse,
  request as httpRequest,
} from "node:http";
import { request as httpsRequest } from "node:https";
import { HOP_BY_HOP, openStreamingProxy, type Proxy } from "../../base/proxy.ts";
import type { Wall } from "../../base/wall.ts";

/** The limit of the stored part of a body. All of it is passed on. */
const KEPT_BYTES_MAX = 16 * 1024 * 1024;

interface RecorderOptions {
  /** 0 takes a free port. */
  readonly port: number;
  /** The address that a request is passed on to, by its path and query. */
  readonly targetOf: (path: string) => string;
  /** The recorded address of the exchange. */
  readonly shownUrl: (request: IncomingMessage, target: string) => string;
  readonly recorded: (exchange: HarExchange) => void;
  /** Gives the times of the exchanges. */
  readonly wall: Wall;
}

/**
 * Opens a proxy that reports each request with its answer. Bytes go through unchanged in both directions, as they come.
 * If a target cannot be reached, the answer is 502 with a sentence. Rejects with the operating system's error if the
 * port cannot be opened.
 */
export function openRecorder(options: RecorderOptions): Promise<Proxy> {
  return openStreamingProxy(options.port, (request, response) => pass(request, response, options));
}

/** The end of an exchange: the recorded answer. */
type EndedExchange = Pick<HarExchange, "status" | "responseHeaders"> & Partial<HarExchange>;

function pass(request: IncomingMessage, response: ServerResponse, options: RecorderOptions): void {
  const target = options.targetOf(request.url ?? "/");
  const bodies = { request: new KeptBody(), response: new KeptBody() };
  const end = endOf(request, { target, bodies }, options);
  const outgoing = send(target, request);

  function fail(error: NodeJS.ErrnoException): void {
    const message = sentenceOf(target, error);
    if (response.headersSent) {
      response.destroy();
      return end({ status: response.statusCode, responseHeaders: [], _error: message });
    }
    // The rest of the caller's request is not needed now.
    request.unpipe(outgoing);
    request.resume();
    end({ ...answerBadGateway(response, message), _error: message });
  }

  request.on("data", (chunk: Buffer) => bodies.request.add(chunk));
  request.pipe(outgoing);
  // A client that gives up ends the request to the target, too.
  response.on("close", () => {
    if (response.writableFinished) return;
    outgoing.destroy();
    end({
      status: 0,
      responseHeaders: [],
      _error: "The caller closed the connection before the answer was complete.",
    });
  });
  outgoing.on("error", fail);
  outgoing.on("response", (incoming) => {
    const status = incoming.statusCode ?? 502;
    response.sendDate = false;
    response.writeHead(status, incoming.statusMessage, forwarded(incoming.rawHeaders));
    // The head is sent at once, so that a stream of the target arrives as a stream.
    response.flushHeaders();
    incoming.on("data", (chunk: Buffer) => bodies.response.add(chunk));
    incoming.on("error", fail);
    incoming.pipe(response);
    response.on("finish", () => {
      const responseHeaders = headersOf(incoming.rawHeaders);
      const { bytes } = bodies.response;
      end({
        status,
        statusText: incoming.statusMessage ?? "",
        responseHeaders,
        responseBody: decoded(bytes, incoming.headers["content-encoding"]),
        responseBytes: bytes.length,
      });
    });
  });
}

/** Returns a function that records the exchange. Only its first call counts, for any kind of end. */
function endOf(
  request: IncomingMessage,
  { target, bodies }: { readonly target: string; readonly bodies: Record<"request" | "response", KeptBody> },
  { shownUrl, recorded, wall }: RecorderOptions,
): (answer: EndedExchange) => void {
  const startedAt = wall.date();
  const began = wall.now();
  let isOver = false;
  return (answer) => {
    if (isOver) return;
    isOver = true;
    const url = shownUrl(request, target);
    const { bytes } = bodies.request;
    const cut = bodies.request.isCut || bodies.response.isCut;
    recorded({
      startedAt,
      durationMs: wall.now() - began,
      method: request.method ?? "GET",
      url,
      requestHeaders: headersOf(request.rawHeaders),
      requestBody: bytes.length === 0 && !("content-length" in request.headers) ? null : bytes,
      responseBody: new Uint8Array(),
      ...(cut && { _error: `A body is longer than ${KEPT_BYTES_MAX} bytes. The rest is not recorded.` }),
      ...answer,
    });
  };
}

/** Answers 502 with a sentence. Returns the answer. */
function answerBadGateway(response: ServerResponse, message: string): EndedExchange {
  const body = JSON.stringify({ error: "BAD_GATEWAY", message });
  const headers = { "content-type": "application/json", "content-length": String(Buffer.byteLength(body)) };
  response.writeHead(502, headers).end(body);
  const responseHeaders = Object.entries(headers).map(([name, value]) => ({ name, value }));
  return { status: 502, responseHeaders, responseBody: Buffer.from(body) };
}

function send(target: string, { method = "GET", rawHeaders, headers }: IncomingMessage): ClientRequest {
  const url = new URL(target);
  const open = url.protocol === "https:" ? httpsRequest : httpRequest;
  const isChunked = headers["transfer-encoding"] !== undefined;
  const own = ["host", url.host, ...(isChunked ? ["transfer-encoding", "chunked"] : [])];
  // A separate connection for each request: the target may close a kept connection at any moment.
  return open(url, { method, agent: false, headers: [...forwarded(rawHeaders), ...own] });
}

/** Returns the headers as they were written, without the headers of the connection. */
function forwarded(rawHeaders: readonly string[]): string[] {
  const named = new Set(
    headersOf(rawHeaders).flatMap(({ name, value }) =>
      name.toLowerCase() === "connection" ? value.toLowerCase().split(/\s*,\s*/) : [],
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

function sentenceOf(target: string, { code, message }: NodeJS.ErrnoException): string {
  const { origin } = new URL(target);
  return `Failed to reach ${origin}: ${code ?? message}. Check the address, and that the server runs.`;
}

/** The beginning of a body while it goes through. */
class KeptBody {
  readonly #chunks: Buffer[] = [];
  #length = 0;
  isCut = false;

  add(chunk: Buffer): void {
    if (this.#length + chunk.length > KEPT_BYTES_MAX) this.isCut = true;
    else {
      this.#chunks.push(chunk);
      this.#length += chunk.length;
    }
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#chunks);
  }
}

const DECODERS: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  gzip: gunzipSync,
  "x-gzip": gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
  zstd: zstdDecompressSync,
};

/** Returns a body without its encoding. Returns it unchanged if the encoding is unknown or broken. */
function decoded(bytes: Buffer, encoding: string | undefined): Buffer {
  const decode = DECODERS[encoding?.trim().toLowerCase() ?? ""];
  if (decode === undefined || bytes.length === 0) return bytes;
  try {
    return decode(bytes);
  } catch {
    return bytes;
  }
}
