import { at, listAt, textAt } from "../../engine/json.ts";

/** An entry of a HAR file as far as it is used, whatever program wrote it. */
export interface ReadEntry {
  readonly startedAt: number;
  readonly endedAt: number;
  readonly method: string;
  readonly url: URL;
  /** Names in lower case; of a repeated header the last value. */
  readonly requestHeaders: Readonly<Record<string, string>>;
  readonly requestText: string;
  readonly status: number;
  readonly answerHeaders: Readonly<Record<string, string>>;
  readonly answerText: string;
  readonly isWebhook: boolean;
  readonly world: string;
  readonly isByHand: boolean;
  readonly isInjected: boolean;
  /** What `record` noted of the signature before it redacted the body. */
  readonly signature: { readonly fits: boolean; readonly secret: string | undefined } | undefined;
  readonly error: string | null;
}

/** Reads an entry; undefined for one that lacks what every entry has. */
export function readEntry(value: unknown): ReadEntry | undefined {
  const url = textAt(value, "request.url") ?? "";
  const startedAt = Date.parse(textAt(value, "startedDateTime") ?? "");
  if (!URL.canParse(url) || Number.isNaN(startedAt)) return undefined;
  const requestHeaders = headersIn(listAt(value, "request.headers"));
  const error = textAt(value, "_error") ?? textAt(value, "response._error");
  const method = (textOf(at(value, "request.method")) || "GET").toUpperCase();
  const fits = at(value, "_signature.fits");
  const secret = textAt(value, "_signature.secret");
  return {
    startedAt,
    endedAt: startedAt + Math.max(0, numberOf(at(value, "time"))),
    method,
    url: new URL(owned(url)),
    requestHeaders,
    requestText: requestText(at(value, "request.postData")),
    status: numberOf(at(value, "response.status")),
    answerHeaders: headersIn(listAt(value, "response.headers")),
    answerText: textIn(at(value, "response.content"), "encoding"),
    isWebhook:
      at(value, "_direction") === "webhook" || (method === "POST" && "x-signature-sha256" in requestHeaders),
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
  "x-signature-sha256",
]);

function headersIn(headers: readonly unknown[]): Record<string, string> {
  const named = headers.map((header) => [
    textAt(header, "name")?.toLowerCase() ?? "",
    owned(textOf(at(header, "value"))),
  ]);
  return Object.fromEntries(named.filter(([name = ""]) => HEADERS.has(name))) as Record<string, string>;
}

/** A text of its own: a part of what was read from the file would keep all of that in memory. */
function owned(text: string): string {
  return text.length < 13 ? text : Buffer.from(text).toString();
}

function textOf(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

function numberOf(value: unknown): number {
  return typeof value === "number" ? value : 0;
}

/** Some programs write only the parameters of a form. */
function requestText(postData: unknown): string {
  const params = listAt(postData, "params").map((one) => [textOf(at(one, "name")), textOf(at(one, "value"))]);
  return textIn(postData, "_encoding") || new URLSearchParams(params).toString();
}

/** The text of a body, which may be in base64. */
function textIn(body: unknown, encoding: string): string {
  const text = textAt(body, "text") ?? "";
  return at(body, encoding) === "base64" ? Buffer.from(text, "base64").toString("utf8") : text;
}

/** Longer texts are pictures: their beginning shows what they are. */
const TEXT_LENGTH_MAX = 700;
const KEPT_LENGTH = 64;

/** A JSON text as a value without pictures; undefined for text that is no JSON. */
export function parsedBody(text: string): unknown {
  if (text === "") return undefined;
  try {
    return JSON.parse(owned(text).replace(/^\uFEFF/, ""), (_name, value: unknown) =>
      typeof value === "string" && value.length > TEXT_LENGTH_MAX ? `${value.slice(0, KEPT_LENGTH)}…` : value,
    ) as unknown;
  } catch {
    return undefined;
  }
}

/** Most of a longer body is a picture, of which only the beginning is kept. */
const BODY_CHARACTERS_MAX = 2_000;

/** How many characters are kept of an entry: its address, its headers and a body. */
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
