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
  const text = JSON.stringify(body);
  inbound.getStore()?.answered(body, text);
  return new Response(text, {
    status,
    headers: { "content-type": "application/json", ...commonHeaders(world), ...headers },
  });
}

/** The header by which an answer names the request that it belongs to. */
export const REQUEST_ID = "x-request-id";

/** What every answer carries: the world's time and, on a port, the id of the request. */
export function commonHeaders({ now }: Clocked): Record<string, string> {
  const date = httpDate(now);
  const id = inbound.getStore()?.requestId;
  return id === undefined ? { date } : { date, [REQUEST_ID]: id };
}

let lastSecond = Number.NaN;
let lastDate = "";

/** The world's time as HTTP writes dates: to the second, so the last one is mostly right. */
function httpDate(instant: number): string {
  const second = Math.floor(instant / 1000);
  if (second !== lastSecond) {
    lastSecond = second;
    lastDate = new Date(second * 1000).toUTCString();
  }
  return lastDate;
}
