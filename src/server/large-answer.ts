import { clearTimeout, setTimeout } from "node:timers";
import type { InboundRequest } from "../simulator/worlds/inbound-request.ts";
import { type Clocked, commonHeaders, textAnswer } from "./answer.ts";
import { LongWork } from "../base/long-work.ts";
import { withQrImages } from "../simulator/qr-images/qr-images.ts";

/** The length of a piece. It is written within a few milliseconds, with the images of its QR codes. */
const PIECE_CHARACTERS = 16_384;

/** Longer answers are sent in pieces. */
const WHOLE_CHARACTERS_MAX = 65_536;

/**
 * Returns a JSON answer with status 200 of any size. A long answer is written piece by piece as the client reads it, so
 * it does not delay other requests and is never in memory as a whole. A list can be an iterator. Its items are made
 * when they are written.
 */
export async function largeAnswer(
  world: Clocked,
  body: object,
  inbound: InboundRequest | undefined,
): Promise<Response> {
  const work = new LongWork();
  const pieces = piecesOf(body, work);
  const begun: string[] = [];
  for (let length = 0; length <= WHOLE_CHARACTERS_MAX;) {
    if (work.isDue) await work.nextTurn();
    const next = pieces.next();
    if (next.done === true) return textAnswer(world, 200, begun.join(""), undefined, inbound);
    begun.push(next.value);
    length += next.value.length;
  }
  const headers = { "content-type": "application/json", ...commonHeaders(world) };
  inbound?.answered(200, begun.join(""), headers);
  const rest = (function* () {
    while (begun.length > 0) yield withQrImages(begun.shift() ?? "");
    yield* pieces.map(withQrImages);
  })();
  return new Response(streamOf(rest, { work }), { headers });
}

/** The longest wall time that a client may leave a piece unread. Unread pieces stay in memory. */
const UNREAD_MS = 60_000;

interface StreamOptions {
  readonly work?: LongWork;
  /** Called once, when the client has read everything or has stopped reading. */
  readonly ended?: () => void;
}

/**
 * Returns a stream of a text that is made as the client reads it. A client that does not read for a minute is cut off.
 */
export function streamOf(
  pieces: Iterator<string> | AsyncIterator<string>,
  { work = new LongWork(), ended = () => undefined }: StreamOptions = {},
): ReadableStream<Uint8Array> {
  let unread: NodeJS.Timeout | undefined;
  async function end(): Promise<void> {
    clearTimeout(unread);
    ended();
    await pieces.return?.();
  }
  function awaitReader(controller: ReadableStreamDefaultController): void {
    unread = setTimeout(() => {
      controller.error(new Error("the client does not read the answer"));
      void end();
    }, UNREAD_MS).unref();
  }
  return new ReadableStream<Uint8Array>(
    {
      start: awaitReader,
      async pull(controller) {
        clearTimeout(unread);
        try {
          for (;;) {
            if (work.isDue) await work.nextTurn();
            const piece = await pieces.next();
            if (piece.done === true) break;
            if (piece.value === "") continue;
            controller.enqueue(Buffer.from(piece.value));
            return awaitReader(controller);
          }
        } catch (error) {
          await end();
          throw error;
        }
        controller.close();
        await end();
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  );
}

/** Writes an object in pieces, the items of its lists one after another. A piece ends if it is long or took long. */
function* piecesOf(body: object, work: LongWork): Generator<string, undefined> {
  let text = "";
  let separator = "{";
  for (const [key, value] of Object.entries(body) as [string, unknown][]) {
    if (value === undefined) continue;
    text += `${separator}${JSON.stringify(key)}:`;
    separator = ",";
    if (!Array.isArray(value) && !(value instanceof Iterator)) {
      text += JSON.stringify(value);
      continue;
    }
    let before = "[";
    for (const item of value as Iterable<unknown>) {
      text += before + (JSON.stringify(item) ?? "null");
      before = ",";
      if (text.length < PIECE_CHARACTERS && !work.isDue) continue;
      yield text;
      text = "";
    }
    text += before === "[" ? "[]" : "]";
  }
  yield separator === "{" ? "{}" : `${text}}`;
  return undefined;
}
