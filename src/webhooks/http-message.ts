import type { WebhookRequest } from "./attempt.ts";
import { validateHeaderName, validateHeaderValue } from "node:http";

/** Headers that belong to the framing of a request: the code that writes the bytes decides them. */
const FRAMING: ReadonlySet<string> = new Set(["host", "connection", "content-length", "transfer-encoding"]);

/** The request's own headers, with a request for an uncompressed answer unless they have one. */
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
 * The head of a request as bytes, spelled like that of an ordinary attempt over a fresh connection, so that a receiver
 * cannot recognise a faulty one. The headers have passed `checkHeaders`.
 */
export function headOf(request: WebhookRequest, framing: Readonly<Record<string, string>>): Buffer {
  const url = new URL(request.url);
  const own = Object.entries(headersToSend(request)).filter(([name]) => !FRAMING.has(name.toLowerCase()));
  const fields = [["host", url.host], ["connection", "close"], ...own, ...Object.entries(framing)];
  const lines = fields.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  return Buffer.from(`POST ${url.pathname}${url.search} HTTP/1.1\r\n${lines}\r\n`, "latin1");
}

/** The beginning of an answer's body, and whether there was more. */
interface AnswerBody {
  readonly body: string;
  readonly truncated: boolean;
}

/** 64 KiB: enough to understand the answer of a receiver, too little to fill a log. */
const RESPONSE_LIMIT_BYTES = 64 * 1024;

/**
 * Reads a body up to a limit and drops the rest with its connection. A body that breaks off, or that the
 * deadline ends, is one that was not read to its end, not an error: the status line has decided by then.
 */
export async function readBody(
  stream: AsyncIterable<Uint8Array>,
  limitBytes: number = RESPONSE_LIMIT_BYTES,
): Promise<AnswerBody> {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  let broken = false;
  try {
    for await (const chunk of stream) {
      chunks.push(chunk);
      sizeBytes += chunk.length;
      if (sizeBytes > limitBytes) break;
    }
  } catch {
    broken = true;
  }
  const truncated = broken || sizeBytes > limitBytes;
  const bytes = Buffer.concat(chunks).subarray(0, limitBytes);
  if (!truncated) return { body: bytes.toString("utf8"), truncated };
  // A letter that the cut has split is left out.
  return { body: new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes, { stream: true }), truncated };
}

/** An answer's headers as one text each. Nothing the receiver names can reach an object's prototype. */
export function flatHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> {
  const entries = Object.entries(headers).filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : String(value)]),
  );
}
