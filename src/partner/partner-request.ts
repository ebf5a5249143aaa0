import type { Agent } from "undici";
import { parsed } from "../simulator/engine/json.ts";
import { abortedAfter, type Wall } from "../base/wall.ts";

export interface Answer {
  /** The status. Null if no answer came. */
  readonly status: number | null;
  readonly headers: { readonly [name: string]: string };
  /** The parsed body if it is JSON, otherwise its text. Undefined without a body. */
  readonly body: unknown;
}

/**
 * A separate connection for each request. The other side may close a pooled connection at the moment of its reuse. Then
 * the request would fail although neither side made a mistake.
 */
let singleUse: Agent | undefined;

/**
 * Sends a request to the partner's system, as a test client: to any address, and without following redirects. It never
 * rejects: without an answer, the body is the reason.
 */
export async function sendRequest({
  timeoutMs,
  wall,
  url,
  method,
  ...request
}: {
  readonly method: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The time until the whole answer is there. */
  readonly timeoutMs: number;
  readonly wall: Wall;
}): Promise<Answer> {
  // Few scenarios send separate requests, and the module takes as long to load as the rest of a run.
  const { Agent, request: send } = await import("undici");
  const dispatcher = (singleUse ??= new Agent({ pipelining: 0 }));
  const exchange = async (signal: AbortSignal): Promise<Answer> => {
    try {
      const sent = { ...request, method: method as "GET", dispatcher, signal };
      const { statusCode, headers, body } = await send(url, sent);
      const flat = Object.entries(headers).map(([name, value]) => [name, [value].flat().join(", ")]);
      return { status: statusCode, headers: Object.fromEntries(flat), body: parsed(await textOf(body)) };
    } catch (error) {
      const reason = signal.aborted ? `none came within ${timeoutMs} ms` : reasonOf(error);
      return { status: null, headers: {}, body: reason };
    }
  };
  return abortedAfter(exchange, { ms: timeoutMs, wall });
}

/** The limit of the body of an answer. A longer body would take the memory of this process. */
const BODY_BYTES_MAX = 16 * 1024 * 1024;

/** Returns a body as text. Throws if it is too long. */
async function textOf(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > BODY_BYTES_MAX)
      throw new Error(`the body of the answer is longer than ${BODY_BYTES_MAX} bytes`);
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}

/** Returns the reason of an error. A host with several addresses fails with one error for each of them. */
function reasonOf(error: unknown): string {
  const [first = error] = error instanceof AggregateError ? error.errors : [];
  return first instanceof Error ? first.message : String(first);
}
