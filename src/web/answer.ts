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

/** The world's time as HTTP writes dates. */
export function httpDate(instant: number): string {
  return new Date(instant).toUTCString();
}
