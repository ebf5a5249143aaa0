import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { buffer } from "node:stream/consumers";
import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";

export interface Forwarded {
  readonly status: number;
  readonly headers: Record<string, string | string[]>;
  readonly bytes: Buffer;
}

/** Headers that belong to one connection and are not handed on. */
const HOP_BY_HOP: ReadonlySet<string> = new Set(["connection", "keep-alive", "transfer-encoding", "host"]);

/** Sends a request that came in on to a target, every byte as it is, and gives the answer. */
export async function forward(
  target: string,
  { method = "GET", url = "/", headers }: Pick<IncomingMessage, "method" | "url" | "headers">,
  body: Buffer,
): Promise<Forwarded> {
  const send = target.startsWith("https:") ? httpsRequest : httpRequest;
  const outgoing = send(target + url, {
    method,
    headers: { ...endToEnd(headers), ...(body.length > 0 && { "content-length": String(body.length) }) },
    agent: false,
  });
  outgoing.end(body);
  const [incoming] = (await once(outgoing, "response")) as [IncomingMessage];
  const bytes = await buffer(incoming);
  return { status: incoming.statusCode ?? 502, headers: endToEnd(incoming.headers), bytes };
}

function endToEnd(headers: IncomingHttpHeaders): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(headers).filter(
      (entry): entry is [string, string | string[]] => entry[1] !== undefined && !HOP_BY_HOP.has(entry[0]),
    ),
  );
}
