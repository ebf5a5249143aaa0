import type { HarBody, HarEntry, HarHeader } from "./har.ts";
import {
  cardDigits,
  confidentialAs,
  inPlaceOf,
  type Replace,
  withCardNumbers,
  withValues,
} from "../simulator/platform/confidential.ts";
import { isRecord } from "../simulator/engine/json.ts";
import { drawQrCode } from "../simulator/qr-images/qr-images.ts";
import { StandIns } from "./stand-ins.ts";

/** A way to replace a value: a method of the stand-ins, or one of the special ways in `#field`. */
type Replacement = Exclude<keyof StandIns, "sentence"> | "name" | "ip" | "picture";

const FIELDS: Readonly<Record<string, Replacement>> = {
  name: "name",
  fullName: "name",
  holderName: "name",
  beneficiary: "name",
  holderDocument: "document",
  document: "document",
  email: "email",
  phone: "phone",
  pixKey: "pixKey",
  birthDate: "date",
  ip: "ip",
  accountNumber: "text",
  account: "text",
  clabe: "text",
  street: "name",
  complement: "name",
  postalCode: "text",
  qrcodeData: "brCode",
  qrcodeImageBase64: "picture",
  imageBase64: "picture",
};

/** The name of an unknown receiver (assumption: payout.unknown-receiver). It is not personal data. */
const UNKNOWN_RECEIVER = "UNKNOWN";

/** A link with a token in its query. */
const TOKEN_LINK = /^https?:\/\/\S*token=/i;

/** Replaces confidential values in the entries of a session. */
export class Redactor {
  readonly #standIns: StandIns;
  /** Replaces a value with a confidential name. */
  readonly #confidential: Replace;

  /** `key` determines the stand-ins. All entries of a session need the same key. */
  constructor(key: Uint8Array) {
    const standIns = new StandIns(key);
    this.#standIns = standIns;
    this.#confidential = (value, as) => {
      if (as !== "card") return standIns.text(value);
      const digits = cardDigits(value);
      return digits === undefined ? value : inPlaceOf(value, standIns.card(digits));
    };
  }

  /** Returns the stand-in for a token or a secret. */
  secret(value: string): string {
    return this.#standIns.text(value);
  }

  /** Returns the entry without tokens, secrets, card numbers and personal data. */
  entry(entry: HarEntry): HarEntry {
    const { request, response, _signature: signature } = entry;
    const { postData } = request;
    const { content } = response;
    const sent = postData && this.#body(postData);
    return {
      ...entry,
      request: {
        ...request,
        url: this.#url(request.url),
        headers: this.#headers(request.headers),
        queryString: request.queryString.map((one) => this.#parameter(one)),
        ...(postData && sent && { postData: { ...postData, ...sent } }),
      },
      response: {
        ...response,
        headers: this.#headers(response.headers),
        content: { ...content, ...this.#body(content) },
      },
      ...(signature?.secret !== undefined && {
        _signature: { ...signature, secret: this.secret(signature.secret) },
      }),
    };
  }

  #headers(headers: readonly HarHeader[]): HarHeader[] {
    return headers.map(({ name, value }) => ({ name, value: this.#header(name.toLowerCase(), value) }));
  }

  #header(name: string, value: string): string {
    const as = confidentialAs(name);
    if (as === undefined) return value;
    if (name !== "authorization" && name !== "proxy-authorization") return this.#confidential(value, as);
    const [, scheme = "", credentials = ""] = /^(\S+ +)?(.*)$/s.exec(value) ?? [];
    if (!/^basic /i.test(scheme)) return scheme + this.secret(credentials);
    const [client = "", ...password] = Buffer.from(credentials, "base64").toString("utf8").split(":");
    return scheme + Buffer.from(`${client}:${this.secret(password.join(":"))}`).toString("base64");
  }

  #url(url: string): string {
    const at = url.indexOf("?");
    if (at < 0) return url;
    const query = Array.from(new URLSearchParams(url.slice(at + 1)), ([name, value]) => {
      const replaced = this.#parameter({ name, value });
      return `${encodeURIComponent(name)}=${encodeURIComponent(replaced.value)}`;
    });
    return `${url.slice(0, at)}?${query.join("&")}`;
  }

  #parameter({ name, value }: HarHeader): HarHeader {
    const as = confidentialAs(name);
    return {
      name,
      value: as === undefined ? String(this.#field(name, value, {})) : this.#confidential(value, as),
    };
  }

  /** Returns the redacted text of a body. A body that cannot be parsed is left out, because it may contain secrets. */
  #body(body: HarBody & { encoding?: "base64"; _encoding?: "base64" }): Pick<HarBody, "text"> {
    const { text: given, mimeType } = body;
    if (given === undefined || given === "") return {};
    if (body.encoding === "base64" || body._encoding === "base64") return { text: "" };
    if (mimeType.includes("x-www-form-urlencoded") || /^[\w.]+=[^{"]*$/.test(given))
      return { text: this.#url(`?${given}`).slice(1) };
    const text = withValues(given, this.#confidential);
    try {
      const parsed: unknown = JSON.parse(text.replace(/^\uFEFF/, ""));
      const replaced = JSON.stringify(this.#value(parsed));
      return { text: replaced === JSON.stringify(parsed) ? text : replaced };
    } catch {
      const isJson = mimeType.includes("json") || /^\s*[[{]/.test(text);
      if (isJson) return { text: "" };
      return {
        text: this.#standIns.sentence(withCardNumbers(text, (number) => this.#standIns.card(number))),
      };
    }
  }

  #value(value: unknown): unknown {
    if (typeof value === "string") return this.#standIns.sentence(value);
    if (Array.isArray(value)) return value.map((item) => this.#value(item));
    if (!isRecord(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, field]) => [name, this.#field(name, field, value)]),
    );
  }

  #field(name: string, value: unknown, parent: Readonly<Record<string, unknown>>): unknown {
    if (typeof value !== "string") {
      const isNumber = typeof value === "number" && (name === "number" || FIELDS[name] === "document");
      return isNumber ? Number(this.#standIns.text(String(value))) : this.#value(value);
    }
    if (value === "") return value;
    const standIns = this.#standIns;
    const replacement = replacementOf(name, parent);
    if (replacement === undefined)
      return TOKEN_LINK.test(value) ? this.#url(value) : standIns.sentence(value);
    if (replacement === "name") return value === UNKNOWN_RECEIVER ? value : standIns.text(value);
    if (replacement === "ip") return `192.0.2.${standIns.text("000").slice(-2)}`;
    if (replacement === "picture")
      return picture(value, parent["qrcodeData"], (text) => standIns.brCode(text));
    return standIns[replacement](value);
  }
}

function replacementOf(name: string, parent: Readonly<Record<string, unknown>>): Replacement | undefined {
  // The name of a bank is in every list of banks.
  if (name === "name" && ("ispb" in parent || "slug" in parent)) return undefined;
  if (name === "number") {
    if ("securityCode" in parent || "holderName" in parent || "expiration" in parent) return "card";
    return "type" in parent ? "document" : "text";
  }
  // {type: PHONE, value: …} and {type: PHONE, key: …} are PIX keys.
  if ((name === "key" || name === "value") && "type" in parent) return "pixKey";
  return FIELDS[name];
}

/** The text that replaces a picture in the journal of a sandbox. */
const LEFT_OUT = /^\((?:\d+ characters|image)\)$/;

/** Returns a QR code with the redacted payload. Of any other picture only the first characters stay. */
function picture(value: string, payload: unknown, replaced: (payload: string) => string): string {
  const [, prefix = "", data = ""] = /^(data:[^,]*,)?(.*)$/s.exec(value) ?? [];
  if (!data.startsWith("iVBORw0KGgo") && !LEFT_OUT.test(data)) return prefix + data.slice(0, 16);
  try {
    return (
      prefix + drawQrCode(typeof payload === "string" ? replaced(payload) : "redacted").toString("base64")
    );
  } catch {
    // The payload is too long for a QR code.
    return prefix + data.slice(0, 16);
  }
}
