import { inbound } from "../worlds/inbound.ts";

/** The world's time for the `Date` header of an answer. */
interface Clocked {
  readonly now: number;
}

/**
 * A JSON answer. All headers go in as the response is made: setting one on a finished response costs the
 * server its fast path.
 */
export function jsonAnswer(
  world: Clocked,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const request = inbound.getStore();
  if (request !== undefined) request.answer = body;
  return new Response(JSON.stringify(body), {
    status,
    headers: { "content-type": "application/json", date: httpDate(world.now), ...headers },
  });
}

let lastSecond = Number.NaN;
let lastDate = "";

/** The world's time as HTTP writes dates: to the second, so the last one is mostly right. */
export function httpDate(instant: number): string {
  const second = Math.floor(instant / 1000);
  if (second !== lastSecond) {
    lastSecond = second;
    lastDate = new Date(second * 1000).toUTCString();
  }
  return lastDate;
}
