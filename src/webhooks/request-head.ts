import { validateHeaderName, validateHeaderValue } from "node:http";

import type { WebhookRequest } from "./attempt.ts";

/** Headers that belong to the framing of a request: whoever writes the bytes decides them. */
const FRAMING: ReadonlySet<string> = new Set(["host", "connection", "content-length", "transfer-encoding"]);

/** The request's own headers, and a word that the answer is wanted uncompressed unless they have one. */
export function headersToSend({ headers }: WebhookRequest): Record<string, string> {
  const names = Object.keys(headers).map((name) => name.toLowerCase());
  return names.includes("accept-encoding") ? { ...headers } : { ...headers, "accept-encoding": "identity" };
}

/** Throws on a name or value that would break out of its line or has no place in HTTP. */
export function checkHeaders(request: WebhookRequest): void {
  for (const [name, value] of Object.entries(headersToSend(request))) {
    validateHeaderName(name);
    validateHeaderValue(name, value);
  }
}

/**
 * The head of a request as bytes, spelled as an ordinary attempt is, so that a receiver cannot tell a faulty one
 * by its looks. The headers have passed `checkHeaders`.
 */
export function headOf(request: WebhookRequest, framing: Readonly<Record<string, string>>): Buffer {
  const url = new URL(request.url);
  const own = Object.entries(headersToSend(request)).filter(([name]) => !FRAMING.has(name.toLowerCase()));
  const fields = [["host", url.host], ["connection", "close"], ...own, ...Object.entries(framing)];
  const lines = fields.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  return Buffer.from(`POST ${url.pathname}${url.search} HTTP/1.1\r\n${lines}\r\n`, "latin1");
}
