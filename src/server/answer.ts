import type { InboundRequest } from "../worlds/inbound-request.ts";

/** The world's time for the `Date` header of an answer. */
interface Clocked {
  readonly now: number;
}

/**
 * A JSON answer to `inbound`, which keeps it for the journal. All headers go in as the response is made: setting one on a finished response costs the
 * server its fast path.
 */
export function jsonAnswer(
  world: Clocked,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
  inbound?: InboundRequest,
): Response {
  const text = JSON.stringify(body);
  inbound?.answered(status, body, text);
  return new Response(text, {
    status,
    headers: { "content-type": "application/json", ...commonHeaders(world, inbound), ...headers },
  });
}

/** The header by which an answer names the request that it belongs to. */
export const REQUEST_ID = "x-request-id";

/** What every answer carries: the world's time and, on a port, the id of the request. */
export function commonHeaders({ now }: Clocked, inbound?: InboundRequest): Record<string, string> {
  const date = httpDate(now);
  if (inbound?.id === undefined) return { date };
  inbound.isAnswerNamed = true;
  return { date, [REQUEST_ID]: inbound.id };
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
