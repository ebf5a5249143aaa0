import { Buffer } from "node:buffer";

// HTTP Archive 1.2: a recorded session as one JSON document. Names that begin with an underscore are ours; other
// programs ignore them.

export interface HarHeader {
  readonly name: string;
  readonly value: string;
}

/** A body: text, or base64 if the bytes are not UTF-8. */
export interface HarBody {
  readonly mimeType: string;
  readonly text?: string;
}

/** One request with its answer. */
export interface HarEntry {
  readonly startedDateTime: string;
  /** The milliseconds until the end of the answer. */
  readonly time: number;
  readonly request: {
    readonly method: string;
    readonly url: string;
    readonly httpVersion: string;
    readonly cookies: readonly [];
    readonly headers: readonly HarHeader[];
    readonly queryString: readonly HarHeader[];
    readonly postData?: HarBody & { readonly _encoding?: "base64" };
    readonly headersSize: -1;
    readonly bodySize: number;
  };
  readonly response: {
    /** The status, or 0 if no answer came. */
    readonly status: number;
    readonly statusText: string;
    readonly httpVersion: string;
    readonly cookies: readonly [];
    readonly headers: readonly HarHeader[];
    readonly content: HarBody & { readonly size: number; readonly encoding?: "base64" };
    readonly redirectURL: string;
    readonly headersSize: -1;
    readonly bodySize: number;
  };
  readonly cache: Readonly<Record<string, never>>;
  readonly timings: { readonly send: 0; readonly wait: number; readonly receive: 0 };
  /** A webhook, which the platform sent to the partner. */
  readonly _direction?: "webhook";
  /** The world of a sandbox. Entries of different worlds are independent. */
  readonly _world?: string;
  /** True if an act caused the webhook. Its delay says nothing about the platform. */
  readonly _byHand?: true;
  /** The faults of a sandbox that changed this exchange. The platform itself would not behave so. */
  readonly _injected?: readonly string[];
  /** Whether the signature fits the body before redaction, and the secret that it fits. */
  readonly _signature?: { readonly fits: boolean; readonly secret?: string };
  /** The reason for a missing or incomplete answer. */
  readonly _error?: string;
  /** `time` may be too long by so many milliseconds, because the recording process was busy. */
  readonly _lateMs?: number;
}

type HarNotes = Pick<
  HarEntry,
  "_direction" | "_world" | "_byHand" | "_injected" | "_signature" | "_error" | "_lateMs"
>;

/** One HTTP request and its answer, as its observer saw them. */
export interface HarExchange extends HarNotes {
  /** The start, in milliseconds since 1970. */
  readonly startedAt: number;
  readonly durationMs: number;
  readonly method: string;
  readonly url: string;
  readonly requestHeaders: readonly HarHeader[];
  /** Null if the request has no body. */
  readonly requestBody: Uint8Array | null;
  readonly status: number;
  readonly statusText?: string;
  readonly responseHeaders: readonly HarHeader[];
  /** The decoded body, without its Content-Encoding. */
  readonly responseBody: Uint8Array;
  /** The number of bytes on the wire; default: the length of the body. */
  readonly responseBytes?: number;
}

/** Returns the HAR entry of an exchange. */
export function harEntry(exchange: HarExchange): HarEntry {
  const { startedAt, durationMs, method, url, requestHeaders, requestBody, status } = exchange;
  const { responseHeaders, responseBody, statusText = "", responseBytes = responseBody.length } = exchange;
  const time = Math.round(durationMs * 1000) / 1000;
  const content = textOf(responseBody);
  return {
    startedDateTime: new Date(startedAt).toISOString(),
    time,
    request: {
      method,
      url,
      httpVersion: "HTTP/1.1",
      cookies: [],
      headers: requestHeaders,
      queryString: queryOf(url),
      ...(requestBody !== null && { postData: postData(requestHeaders, requestBody) }),
      headersSize: -1,
      bodySize: requestBody?.length ?? 0,
    },
    response: {
      status,
      statusText,
      httpVersion: "HTTP/1.1",
      cookies: [],
      headers: responseHeaders,
      content: {
        size: responseBody.length,
        mimeType: headerOf(responseHeaders, "content-type") ?? "",
        ...(content === undefined
          ? { text: Buffer.from(responseBody).toString("base64"), encoding: "base64" as const }
          : { text: content }),
      },
      redirectURL: headerOf(responseHeaders, "location") ?? "",
      headersSize: -1,
      bodySize: responseBytes,
    },
    cache: {},
    timings: { send: 0, wait: time, receive: 0 },
    ...notesOf(exchange),
  };
}

const NOTES = ["_direction", "_world", "_byHand", "_injected", "_signature", "_error", "_lateMs"] as const;

function notesOf(exchange: HarExchange): HarNotes {
  return Object.fromEntries(
    NOTES.flatMap((name) => (exchange[name] === undefined ? [] : [[name, exchange[name]]])),
  );
}

function postData(
  headers: readonly HarHeader[],
  body: Uint8Array,
): Required<HarEntry["request"]>["postData"] {
  const mimeType = headerOf(headers, "content-type") ?? "";
  const text = textOf(body);
  if (text !== undefined) return { mimeType, text };
  return { mimeType, text: Buffer.from(body).toString("base64"), _encoding: "base64" };
}

/** Returns the text of UTF-8 bytes. Undefined for other bytes. */
function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Returns the value of a header. `name` is in lower case; the case of the headers does not matter. */
export function headerOf(headers: readonly HarHeader[], name: string): string | undefined {
  return headers.find((header) => header.name.toLowerCase() === name)?.value;
}

function queryOf(url: string): HarHeader[] {
  if (!URL.canParse(url)) return [];
  return Array.from(new URL(url).searchParams, ([name, value]) => ({ name, value }));
}

/** Returns the text of a HAR file before its entries and after them. */
export function harEnvelope(creator: { readonly version: string; readonly comment?: string }): {
  readonly head: string;
  readonly tail: string;
} {
  const { version, comment } = creator;
  const log = {
    version: "1.2",
    creator: { name: "sandbank", version, ...(comment && { comment }) },
    entries: [],
  };
  const text = JSON.stringify({ log });
  const split = text.length - "]}}".length;
  return { head: `${text.slice(0, split)}\n`, tail: `${text.slice(split)}\n` };
}
