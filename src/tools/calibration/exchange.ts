import { isRecord } from "../../engine/json.ts";

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
  if (!isRecord(value)) return undefined;
  const { request, response, startedDateTime } = value;
  if (!isRecord(request) || typeof request["url"] !== "string" || !URL.canParse(request["url"]))
    return undefined;
  const startedAt = typeof startedDateTime === "string" ? Date.parse(startedDateTime) : NaN;
  if (Number.isNaN(startedAt)) return undefined;
  const answer = isRecord(response) ? response : {};
  const requestHeaders = headersIn(request["headers"]);
  const answerHeaders = headersIn(answer["headers"]);
  const error = value["_error"] ?? answer["_error"];
  const time = typeof value["time"] === "number" && value["time"] > 0 ? value["time"] : 0;
  const injected = value["_injected"];
  const method = (textOf(request["method"]) || "GET").toUpperCase();
  return {
    startedAt,
    endedAt: startedAt + time,
    method,
    url: new URL(owned(request["url"])),
    requestHeaders,
    requestText: requestText(request["postData"]),
    status: typeof answer["status"] === "number" ? answer["status"] : 0,
    answerHeaders,
    answerText: contentText(answer["content"]),
    isWebhook:
      value["_direction"] === "webhook" || (method === "POST" && "x-signature-sha256" in requestHeaders),
    world: owned(textOf(value["_world"])),
    isByHand: value["_byHand"] === true,
    isInjected: Array.isArray(injected) && injected.length > 0,
    signature: signatureNote(value["_signature"]),
    error: typeof error === "string" ? owned(error) : null,
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

function headersIn(value: unknown): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const header of Array.isArray(value) ? (value as unknown[]) : []) {
    if (!isRecord(header) || typeof header["name"] !== "string") continue;
    const name = header["name"].toLowerCase();
    if (HEADERS.has(name)) headers[name] = owned(textOf(header["value"]));
  }
  return headers;
}

/** A text of its own: a part of what was read from the file would keep all of that in memory. */
function owned(text: string): string {
  return text.length < 13 ? text : Buffer.from(text).toString();
}

function textOf(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

/** Some programs write only the parameters of a form. */
function requestText(postData: unknown): string {
  if (!isRecord(postData)) return "";
  const { text, params, _encoding: encoding } = postData;
  if (typeof text === "string" && text !== "")
    return encoding === "base64" ? Buffer.from(text, "base64").toString("utf8") : text;
  const pairs = (Array.isArray(params) ? (params as unknown[]) : [])
    .filter(isRecord)
    .map(({ name, value }): [string, string] => [textOf(name), textOf(value)]);
  return new URLSearchParams(pairs).toString();
}

function contentText(content: unknown): string {
  if (!isRecord(content) || typeof content["text"] !== "string") return "";
  const { text, encoding } = content;
  return encoding === "base64" ? Buffer.from(text, "base64").toString("utf8") : text;
}

function signatureNote(note: unknown): ReadEntry["signature"] {
  if (!isRecord(note) || typeof note["fits"] !== "boolean") return undefined;
  return {
    fits: note["fits"],
    secret: typeof note["secret"] === "string" ? owned(note["secret"]) : undefined,
  };
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
