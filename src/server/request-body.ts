import type { Problem } from "../simulator/engine/refusal.ts";
import type { NamedRequest, ReceivedRequest, RequestBody } from "./environment.ts";
import { admitsLargeBody, LARGE_BODY_BYTES, tooManyLargeBodies } from "./limits.ts";
import { HTTPException } from "hono/http-exception";
import { excessOf, NESTING_MAX, VALUES_MAX } from "../simulator/engine/json.ts";

/** The largest body that is read. It is much larger than any operation needs. */
const BODY_BYTES_MAX = 1_048_576;

type Bytes = ArrayBuffer | Uint8Array;

/** A body that is read at its first use. */
export class LazyBody implements RequestBody {
  readonly #request: Request;
  #reading: Promise<Bytes> | undefined;

  constructor(request: Request) {
    this.#request = request;
  }

  bytes(named?: Partial<NamedRequest>): Promise<Bytes> {
    if (this.#reading !== undefined) return this.#readBefore(this.#reading, named);
    this.#reading = readBytes(this.#request, named);
    return this.#reading;
  }

  async #readBefore(reading: Promise<Bytes>, named: Partial<NamedRequest> | undefined): Promise<Bytes> {
    const bytes = await reading;
    if (bytes.byteLength > LARGE_BODY_BYTES && !admitsLargeBody(named)) throw tooManyLargeBodies();
    return bytes;
  }
}

/** A request with its body. Its sender may not be known yet. */
export type WithBody = Pick<ReceivedRequest, "request" | "body"> & Partial<NamedRequest>;

const TOO_DEEP = `The body is nested more than ${NESTING_MAX} levels deep. Send a flatter body.`;

const TOO_MANY = `The body has more than ${VALUES_MAX} fields and items. Send a smaller one.`;

const TOO_LARGE = bodyProblem(`The body is larger than ${BODY_BYTES_MAX} bytes. Send a smaller one.`);

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** A parsed body, or the problem of the whole body. */
export type ParsedBody = { readonly value: unknown } | { readonly problem: Problem };

/** Reads a JSON body. Undefined for an empty body. Never throws: a bad body is a problem of the field `body`. */
export async function readJsonBody(received: WithBody): Promise<ParsedBody> {
  const read = await readTextBody(received);
  if ("problem" in read) return read;
  if (read.text.trim() === "") return { value: undefined };
  try {
    const value = JSON.parse(read.text) as unknown;
    if (received.inbound !== undefined) received.inbound.isJson = true;
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
export async function readTextBody(received: WithBody): Promise<{ text: string } | { problem: Problem }> {
  const { headers } = received.request;
  if (Number(headers.get("content-length") ?? 0) > BODY_BYTES_MAX) return { problem: TOO_LARGE };
  let bytes: Bytes;
  try {
    bytes = await received.body.bytes(received);
  } catch (error) {
    if (error instanceof HTTPException) throw error;
    // The client disconnected within a body, or sent wrong framing. This is not a bug of the sandbox.
    return {
      problem: bodyProblem(
        `The body ended before it was complete: ${(error as Error).message}. Send all of it.`,
      ),
    };
  }
  if (bytes.byteLength > BODY_BYTES_MAX) return { problem: TOO_LARGE };
  const encoding = headers.get("content-encoding") ?? "identity";
  if (bytes.byteLength > 0 && encoding.toLowerCase() !== "identity") {
    return {
      problem: bodyProblem(
        `The body is encoded as ${encoding.slice(0, 60)}. Send it without a content-encoding.`,
      ),
    };
  }
  try {
    const text = utf8.decode(bytes);
    received.inbound?.bodyRead(text);
    return { text };
  } catch {
    return { problem: bodyProblem("The body is not valid UTF-8. Send JSON in UTF-8.") };
  }
}

/** Reads the bytes of a body. It stops as soon as the body is too large. */
async function readBytes(request: Request, named: Partial<NamedRequest> | undefined): Promise<Bytes> {
  // The connection enforces a declared length, so only a chunked body is counted. Reading `body` is slow, and a small
  // body does not need it.
  const declared = Number(request.headers.get("content-length") ?? Infinity);
  if (declared <= LARGE_BODY_BYTES || request.body === null) return request.arrayBuffer();
  if (declared <= BODY_BYTES_MAX) {
    if (!admitsLargeBody(named)) throw tooManyLargeBodies();
    return request.arrayBuffer();
  }
  const chunks: Uint8Array[] = [];
  let length = 0;
  let isKept = true;
  for await (const chunk of request.body) {
    const isLarge = length > LARGE_BODY_BYTES;
    length += chunk.byteLength;
    if (!isLarge && length > LARGE_BODY_BYTES) isKept = admitsLargeBody(named);
    // A refused body is read to its end, because a client that still sends would not see the answer.
    if (isKept) chunks.push(chunk);
    else chunks.length = 0;
    if (length > BODY_BYTES_MAX) break;
  }
  if (!isKept) throw tooManyLargeBodies();
  return Buffer.concat(chunks);
}

function bodyProblem(description: string): Problem {
  return { field: "body", issue: "INVALID", description };
}
