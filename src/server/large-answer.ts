import type { Clocked } from "./answer.ts";
import type { InboundRequest } from "../worlds/inbound-request.ts";
import { commonHeaders, jsonAnswer } from "./answer.ts";
import { withQrImages } from "../webhooks/qr-images.ts";
import { setImmediate as yieldToEventLoop } from "node:timers/promises";

/** A text of this length is written within a few milliseconds. */
const PIECE_CHARACTERS = 65_536;

/** Longer answers are sent in pieces. */
const WHOLE_CHARACTERS_MAX = 262_144;

/**
 * A JSON answer with status 200 of any size. A long one is written piece by piece as the client takes it, so that it
 * does not delay other requests and is never in memory as a whole.
 */
export async function largeAnswer(
  world: Clocked,
  body: object,
  inbound: InboundRequest | undefined,
): Promise<Response> {
  const pieces = piecesOf(body);
  const begun: string[] = [];
  for (let length = 0; length <= WHOLE_CHARACTERS_MAX;) {
    const next = pieces.next();
    if (next.done === true) return jsonAnswer(world, 200, body, {}, inbound);
    begun.push(next.value);
    length += next.value.length;
    await yieldToEventLoop();
  }
  const headers = { "content-type": "application/json", ...commonHeaders(world) };
  inbound?.answered(200, begun.join(""), headers);
  const encoder = new TextEncoder();
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      await yieldToEventLoop();
      const piece = begun.shift() ?? pieces.next().value;
      if (piece === undefined) controller.close();
      else controller.enqueue(encoder.encode(withQrImages(piece)));
    },
  });
  return new Response(stream, { headers });
}

/** The text of an object, the items of its lists one after another. */
function* piecesOf(body: object): Generator<string, undefined> {
  let text = "";
  let separator = "{";
  for (const [key, value] of Object.entries(body) as [string, unknown][]) {
    if (value === undefined) continue;
    text += `${separator}${JSON.stringify(key)}:`;
    separator = ",";
    if (!Array.isArray(value)) {
      text += JSON.stringify(value);
      continue;
    }
    let before = "[";
    for (const item of value) {
      text += before + (JSON.stringify(item) ?? "null");
      before = ",";
      if (text.length < PIECE_CHARACTERS) continue;
      yield text;
      text = "";
    }
    text += before === "[" ? "[]" : "]";
  }
  yield separator === "{" ? "{}" : `${text}}`;
  return undefined;
}
