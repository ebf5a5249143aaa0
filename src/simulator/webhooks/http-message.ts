import type { WebhookRequest } from "./attempt.ts";
import { AttemptFailure } from "./attempt-failure.ts";
import { headerObject } from "../../base/header-object.ts";
import type { ClientRequest, IncomingMessage } from "node:http";
import { http } from "../../base/node-http.ts";

/** The headers that the code for writing bytes sets itself. */
const FRAMING: ReadonlySet<string> = new Set([
  "host",
  "connection",
  "content-length",
  "transfer-encoding",
  "trailer",
]);

/** Throws if a header name or value contains a line break, or is not allowed for an attempt. */
export function checkHeaders({ headers }: WebhookRequest): void {
  for (const [name, value] of Object.entries(headers)) {
    http.validateHeaderName(name);
    http.validateHeaderValue(name, value);
    if (FRAMING.has(name.toLowerCase())) throw new Error(`the header ${name} belongs to the connection`);
  }
}

/** The framing of a request: its headers that depend on the connection and on the bytes of the body. */
interface Framing {
  /** Default: close. */
  readonly connection?: "close" | "keep-alive";
  /** The header that frames the body: its name and its value. */
  readonly body: readonly [name: string, value: string];
}

/**
 * Returns the path of a request, and its headers as Node takes them: name, value, name, value. Without an own header it
 * requests an uncompressed answer. The headers have passed `checkHeaders`.
 */
export function headOf(
  { host, pathname, search }: URL,
  given: WebhookRequest["headers"],
  { connection = "close", body }: Framing,
): { path: string; headers: string[] } {
  const headers = ["host", host, "connection", connection];
  let hasEncoding = false;
  for (const [name, value] of Object.entries(given)) {
    headers.push(name, value);
    hasEncoding ||= name.toLowerCase() === "accept-encoding";
  }
  if (!hasEncoding) headers.push("accept-encoding", "identity");
  headers.push(...body);
  return { path: pathname + search, headers };
}

/** The headers of a trace. A tracer in this process may set them. */
const TRACE: ReadonlySet<string> = new Set(["traceparent", "tracestate", "baggage"]);

/**
 * Returns the options of Node's HTTP client for a head, and a check of the request that the client has made of them. The
 * check throws a `changed` failure if a header is missing or different: a signature that got lost here is no fault of the
 * receiver.
 */
export function clientHead({ path, headers }: ReturnType<typeof headOf>) {
  const object = headerObject(headers);
  const mustBeUnchanged = (request: ClientRequest): void => {
    const changed = Object.keys(object).filter(
      (name) => !TRACE.has(name.toLowerCase()) && String(request.getHeader(name)) !== String(object[name]),
    );
    if (changed.length === 0) return;
    request.on("error", () => {}).destroy();
    throw new AttemptFailure(
      "changed",
      `other code in this process changed the request before it was sent (${changed.join(", ")})`,
    );
  };
  return { path, headers: object, mustBeUnchanged };
}

/** Returns the head of a request as bytes. */
export function headBytes(...message: Parameters<typeof headOf>): Buffer {
  const { path, headers } = headOf(...message);
  const fields = headers.map((text, at) => (at % 2 === 0 ? `${text}: ` : `${text}\r\n`));
  return Buffer.from(`POST ${path} HTTP/1.1\r\n${fields.join("")}\r\n`, "latin1");
}

/** The beginning of an answer's body. `truncated` is true if there was more. */
interface AnswerBody {
  readonly body: string;
  readonly truncated: boolean;
}

/** 64 KiB: enough to understand the answer of a receiver, too little to fill a log. */
const RESPONSE_LIMIT_BYTES = 64 * 1024;

/**
 * Reads a body up to a limit and drops the rest with its connection. A body that breaks off, or that the deadline
 * ends, is not an error. It counts as a body that was not read to its end: the status line has decided by then.
 */
export function readBody(stream: IncomingMessage): Promise<AnswerBody> {
  const { promise, resolve } = Promise.withResolvers<AnswerBody>();
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  const end = (truncated: boolean): void => {
    const whole = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
    const bytes = whole.subarray(0, RESPONSE_LIMIT_BYTES);
    // A letter that the cut has split is left out.
    const body = truncated
      ? new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes, { stream: true })
      : bytes.toString("utf8");
    resolve({ body, truncated });
  };
  stream.on("data", (chunk: Buffer) => {
    chunks.push(chunk);
    sizeBytes += chunk.length;
    if (sizeBytes > RESPONSE_LIMIT_BYTES) stream.destroy();
  });
  stream.on("end", () => end(sizeBytes > RESPONSE_LIMIT_BYTES));
  stream.on("close", () => {
    if (!stream.readableEnded) end(true);
  });
  stream.on("error", () => {});
  return promise;
}

/** Returns the headers of an answer, each as one text. A header name cannot change an object's prototype. */
export function headersIn({ rawHeaders }: IncomingMessage): Record<string, string> {
  const values = new Map<string, string>();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!.toLowerCase();
    const value = rawHeaders[at + 1]!;
    const former = values.get(name);
    values.set(name, former === undefined ? value : `${former}, ${value}`);
  }
  return Object.fromEntries(values);
}
