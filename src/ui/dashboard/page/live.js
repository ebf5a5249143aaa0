// @ts-check

/** @typedef {import("./api.js").Api} Api */
/** @typedef {{ type: string, id: string | undefined }} StreamEvent */

const AGAIN_AFTER_MS = 1000;

/** Events come in bursts, and one look takes in all of a burst. */
const BURST_MS = 120;

/**
 * Listens to what happens in the world, and tells of each burst of it. A stream that ends is opened again where
 * it broke off. It goes through `fetch`, because a request of the browser's own `EventSource` carries no tokens.
 *
 * @param {Api} api
 * @param {{ happened: () => void, signal: AbortSignal }} options
 */
export async function listen(api, { happened, signal }) {
  /** @type {string | undefined} */
  let last;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let waiting;
  while (!signal.aborted) {
    try {
      const body = await api.open("/timeline/stream", { last, signal });
      for await (const { id } of streamEvents(body)) {
        last = id ?? last;
        waiting ??= setTimeout(() => {
          waiting = undefined;
          if (!signal.aborted) happened();
        }, BURST_MS);
      }
    } catch {
      // Whether the sandbox answers at all is told by whoever asks it next.
    }
    await new Promise((resolve) => setTimeout(resolve, AGAIN_AFTER_MS));
  }
}

/**
 * The events of a stream, as server-sent events are written; what only says that the stream is still there is
 * left out.
 *
 * @param {AsyncIterable<Uint8Array>} body
 * @returns {AsyncGenerator<StreamEvent>}
 */
export async function* streamEvents(body) {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of body) {
    const blocks = (rest + decoder.decode(chunk, { stream: true })).split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const event = streamEvent(block);
      if (event !== undefined) yield event;
    }
  }
}

/**
 * @param {string} block
 * @returns {StreamEvent | undefined}
 */
function streamEvent(block) {
  const lines = block.split("\n");
  const fieldOf = (/** @type {string} */ name) =>
    lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
  if (fieldOf("data") === undefined) return undefined;
  return { type: fieldOf("event") ?? "message", id: fieldOf("id") };
}
