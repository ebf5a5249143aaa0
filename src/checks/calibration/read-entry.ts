import { at, listAt, textAt, isJson } from "../../simulator/engine/json.ts";
import { isUtf8 } from "node:buffer";
import { writtenPrecision } from "./observers/traffic.ts";
import { SIGNATURE_FIELD } from "../../simulator/api/signature.ts";

/** The used parts of a HAR entry from any program. */
export interface ReadEntry {
  /** Its earliest possible beginning, and its latest possible end. */
  readonly startedAt: number;
  readonly endedAt: number;
  /** The real times may be later than the written times by this much. */
  readonly precisionMs: number;
  /** The time from `startedAt` to `endedAt` may be too long by this, because the recorder was busy. */
  readonly lateMs: number;
  readonly method: string;
  readonly url: URL;
  /** The headers by names in lower case. A repeated header has its last value. */
  readonly requestHeaders: Readonly<Record<string, string>>;
  /** Undefined if the file does not have the whole body. */
  readonly requestText: string | undefined;
  readonly status: number;
  readonly answerHeaders: Readonly<Record<string, string>>;
  /** Undefined if the file does not have the whole body. */
  readonly answerText: string | undefined;
  /** True if the file has headers of the request, and of the answer. */
  readonly hasRequestHeaders: boolean;
  readonly hasAnswerHeaders: boolean;
  readonly isWebhook: boolean;
  readonly world: string;
  readonly isByHand: boolean;
  readonly isInjected: boolean;
  /** The result of `record` for the signature, noted before it redacted the body. */
  readonly signature: { readonly fits: boolean; readonly secret: string | undefined } | undefined;
  readonly error: string | null;
}

/** Reads an entry. Undefined if a field is missing that every entry has. */
export function readEntry(value: unknown): ReadEntry | undefined {
  const url = textAt(value, "request.url") ?? "";
  const started = textAt(value, "startedDateTime") ?? "";
  const startedAt = Date.parse(started);
  const precisionMs = writtenPrecision(started);
  if (!URL.canParse(url) || Number.isNaN(startedAt)) return undefined;
  const requestHeaders = headersIn(listAt(value, "request.headers"));
  const error = textAt(value, "_error") ?? textAt(value, "response._error");
  const method = (textOf(at(value, "request.method")) || "GET").toUpperCase();
  const status = numberOf(at(value, "response.status"));
  const fits = at(value, "_signature.fits");
  const secret = textAt(value, "_signature.secret");
  return {
    startedAt,
    endedAt: startedAt + precisionMs + Math.max(0, numberOf(at(value, "time"))),
    precisionMs,
    lateMs: Math.max(0, numberOf(at(value, "_lateMs"))),
    method,
    url: new URL(owned(url)),
    requestHeaders,
    requestText: requestText(at(value, "request"), error !== undefined),
    status,
    answerHeaders: headersIn(listAt(value, "response.headers")),
    answerText: hasNoBody(method, status)
      ? ""
      : wholeText(at(value, "response.content"), {
          sizes: [at(value, "response.content.size"), at(value, "response.bodySize")],
          isBroken: error !== undefined,
        }),
    hasRequestHeaders: listAt(value, "request.headers").length > 0,
    hasAnswerHeaders: listAt(value, "response.headers").length > 0,
    isWebhook:
      at(value, "_direction") === "webhook" || (method === "POST" && SIGNATURE_FIELD in requestHeaders),
    world: owned(textOf(at(value, "_world"))),
    isByHand: at(value, "_byHand") === true,
    isInjected: listAt(value, "_injected").length > 0,
    signature:
      typeof fits === "boolean" ? { fits, secret: secret === undefined ? secret : owned(secret) } : undefined,
    error: error === undefined ? null : owned(error),
  };
}

/** The headers that say something about an exchange. */
const HEADERS: ReadonlySet<string> = new Set([
  "authorization",
  "content-type",
  "date",
  "idempotency-key",
  "idempotency-replayed",
  "www-authenticate",
  SIGNATURE_FIELD,
]);

function headersIn(headers: readonly unknown[]): Record<string, string> {
  const named = headers.map((header) => [
    textAt(header, "name")?.toLowerCase() ?? "",
    owned(textOf(at(header, "value"))),
  ]);
  return Object.fromEntries(named.filter(([name = ""]) => HEADERS.has(name))) as Record<string, string>;
}

/** Copies a text. Otherwise a part of the file's text would keep the whole text in memory. */
function owned(text: string): string {
  return text.length < 13 ? text : Buffer.from(text).toString();
}

function textOf(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

function numberOf(value: unknown): number {
  return typeof value === "number" ? value : 0;
}

/** Reads the body of a request. Some programs write only the parameters of a form. */
function requestText(request: unknown, isBroken: boolean): string | undefined {
  const postData = at(request, "postData");
  const params = listAt(postData, "params").map((one) => [textOf(at(one, "name")), textOf(at(one, "value"))]);
  const text = wholeText(postData, { sizes: [at(request, "bodySize")], isBroken });
  return text || params.length === 0 ? text : new URLSearchParams(params).toString();
}

/** Returns true if an answer of this status, or to this method, never has a body (RFC 9110, 6.4.1). */
function hasNoBody(method: string, status: number): boolean {
  return method === "HEAD" || status < 200 || status === 204 || status === 304;
}

/**
 * Reads the text of a body. Undefined if the file does not have the whole text:
 * 1. The text is empty, and no size says that the body is empty.
 * 2. The JSON breaks off, and more bytes were counted or the exchange failed.
 */
function wholeText(
  body: unknown,
  { sizes, isBroken }: { readonly sizes: readonly unknown[]; readonly isBroken: boolean },
): string | undefined {
  const text = decodedText(body);
  if (text === "") return sizes.includes(0) ? "" : undefined;
  const isShort = isBroken || sizes.some((size) => numberOf(size) > Buffer.byteLength(text));
  return isShort && /^\s*[{[]/.test(text) && !isJson(text) ? undefined : text;
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/;

/** Returns the text of a body, which may be in base64. Some browsers mark plain text as base64. */
function decodedText(body: unknown): string {
  const text = textAt(body, "text") ?? "";
  if (at(body, "encoding") !== "base64" && at(body, "_encoding") !== "base64") return text;
  const written = text.replaceAll(/\s+/g, "");
  const bytes = Buffer.from(written, "base64");
  return BASE64.test(written) && isUtf8(bytes) ? bytes.toString("utf8") : text;
}

/** Longer texts are pictures. Their beginning shows the kind of picture. */
const TEXT_LENGTH_MAX = 700;
const KEPT_LENGTH = 64;

/** Parses a JSON text to a value without pictures. Undefined for other text. */
export function parsedBody(text: string | undefined): unknown {
  if (text === undefined || text === "") return undefined;
  try {
    return JSON.parse(owned(text).replace(/^\uFEFF/, ""), (_name, value: unknown) =>
      typeof value === "string" && value.length > TEXT_LENGTH_MAX ? `${value.slice(0, KEPT_LENGTH)}…` : value,
    ) as unknown;
  } catch {
    return undefined;
  }
}

/** Most of a longer body is a picture. Only its beginning is kept. */
const BODY_CHARACTERS_MAX = 2_000;

/** Returns the number of characters that are kept of an entry: its address, its headers and a body. */
export function sizeOf(
  { url, requestHeaders, answerHeaders }: ReadEntry,
  text: string,
  parsed: unknown,
): number {
  const isShort = text.length <= BODY_CHARACTERS_MAX || parsed === undefined;
  const body = isShort ? Math.min(text.length, BODY_CHARACTERS_MAX) : JSON.stringify(parsed).length;
  const headers = [...Object.values(requestHeaders), ...Object.values(answerHeaders)];
  return headers.reduce((sum, value) => sum + value.length, url.href.length + body);
}
