import type { Problem } from "../engine/refusal.ts";
import type { InboundRequest } from "../worlds/inbound-request.ts";
import { isNestedTooDeeply, NESTING_MAX } from "../engine/nesting.ts";

/** The largest body that is read: far above what any operation needs. */
export const BODY_BYTES_MAX = 1_048_576;

const TOO_DEEP = `Lists and objects of the body stand more than ${NESTING_MAX} deep in one another. Send a flatter body.`;

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** A body as it was parsed, or what is wrong with it as a whole. */
export type ParsedBody = { readonly value: unknown } | { readonly problem: Problem };

/** Reads a JSON body; an empty one is undefined. Never throws: a bad body is a problem of the field `body`. */
export async function readJsonBody(request: Request, inbound?: InboundRequest): Promise<ParsedBody> {
  const read = await readTextBody(request, inbound);
  if ("problem" in read) return read;
  if (read.text.trim() === "") return { value: undefined };
  try {
    const value = JSON.parse(read.text) as unknown;
    return isNestedTooDeeply(value) ? { problem: bodyProblem(TOO_DEEP) } : { value };
  } catch (error) {
    return {
      problem: bodyProblem(`The body is not valid JSON: ${(error as Error).message}. Send a JSON object.`),
    };
  }
}

/** Reads a body as UTF-8 text, up to the limit. */
export async function readTextBody(
  request: Request,
  inbound?: InboundRequest,
): Promise<{ text: string } | { problem: Problem }> {
  const tooLarge = bodyProblem(`The body is larger than ${BODY_BYTES_MAX} bytes. Send a smaller one.`);
  if (Number(request.headers.get("content-length") ?? 0) > BODY_BYTES_MAX) return { problem: tooLarge };
  let bytes: ArrayBuffer | Uint8Array | undefined;
  try {
    bytes = await readBytes(request);
  } catch (error) {
    // Who hangs up in the middle of a body, or breaks its framing, made a mistake of its own and not one of ours.
    return { problem: bodyProblem(`The body broke off: ${(error as Error).message}. Send it whole.`) };
  }
  if (bytes === undefined) return { problem: tooLarge };
  const encoding = request.headers.get("content-encoding") ?? "identity";
  if (bytes.byteLength > 0 && encoding.toLowerCase() !== "identity") {
    return { problem: bodyProblem(`The body is encoded as ${encoding.slice(0, 60)}. Send it as it is.`) };
  }
  try {
    const text = utf8.decode(bytes);
    inbound?.bodyRead(text);
    return { text };
  } catch {
    return { problem: bodyProblem("The body is not valid UTF-8. Send JSON in UTF-8.") };
  }
}

/** The bytes of a body; undefined where they go on past the limit, and then the rest is not taken in. */
async function readBytes(request: Request): Promise<ArrayBuffer | Uint8Array | undefined> {
  // A length that was told is held to by the connection; only a body in chunks has to be counted.
  if (request.headers.has("content-length") || request.body === null) return request.arrayBuffer();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request.body) {
    length += chunk.byteLength;
    if (length > BODY_BYTES_MAX) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function bodyProblem(description: string): Problem {
  return { field: "body", issue: "INVALID", description };
}
