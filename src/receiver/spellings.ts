import type { JsonObject } from "./event-source.ts";
import { asciiJson, canonicalJson, spacedJson } from "../engine/json.ts";

/** What a wrong receiver does to the bytes of a body before it verifies them. */
type CanaryFamily = "reserialised" | "charset" | "trimmed" | "line-endings";

/** One unusual and valid spelling of an event. */
export interface Canary {
  readonly name: string;
  readonly family: CanaryFamily;
  readonly write: (body: JsonObject) => string;
}

const dense = (body: unknown): string => JSON.stringify(body);
const withDescription = (body: JsonObject, description: string): JsonObject => ({ ...body, description });

/** Eight spellings that are accepted only where the raw bytes are verified. */
export const CANARIES: readonly Canary[] = [
  {
    name: "numbers written 10.50, 1E2 and past 2^53",
    family: "reserialised",
    write: (body) =>
      `${dense(body).slice(0, -1)},"canary":{"amount":10.50,"power":1E2,"big":12345678901234567890}}`,
  },
  {
    name: "escapes: \\u00e9 and \\/",
    family: "reserialised",
    write: (body) =>
      asciiJson(dense(withDescription(body, "café 10/10"))).replaceAll("10/10", String.raw`10\/10`),
  },
  {
    name: "raw accents and an emoji",
    family: "charset",
    write: (body) => dense(withDescription(body, "Açaí à vista, é já 🎉")),
  },
  {
    name: "a blank after every comma and colon",
    family: "reserialised",
    write: (body) => spaced(dense(body)),
  },
  { name: "a newline at the end", family: "trimmed", write: (body) => `${dense(body)}\n` },
  {
    name: "fields named 2 and 1 in this order",
    family: "reserialised",
    write: (body) => `${dense(body).slice(0, -1)},"canary":{"2":"second","1":"first"}}`,
  },
  {
    name: "line endings CR LF and tabs",
    family: "line-endings",
    write: (body) => JSON.stringify(body, null, "\t").replaceAll("\n", "\r\n"),
  },
  {
    name: "the same field twice, of which the last counts",
    family: "reserialised",
    write: (body) => `{"type":"FIRST",${dense({ type: "", ...body }).slice(1)}`,
  },
];

/** The cause that explains a set of failures, and the fix. */
export function explainCanaries(failures: readonly Canary[]): {
  readonly cause: string;
  readonly fix: string;
} {
  const families = new Set(failures.map(({ family }) => family));
  const [family] = families.size === 1 ? families : (["reserialised"] as const);
  const causes: Readonly<Record<CanaryFamily, string>> = {
    reserialised: "The body was parsed and serialised again",
    charset: "The body was decoded in a charset other than UTF-8",
    trimmed: "White space at the end of the body was removed",
    "line-endings": "The line endings of the body were changed",
  };
  const fix =
    family === "charset"
      ? "Compute the HMAC over the raw bytes; where text is needed, decode it as UTF-8."
      : "Compute the HMAC over the raw bytes as received, before any parser or decoder reads them.";
  return { cause: `${causes[family!]} before the signature was checked.`, fix };
}

/** A way to write the same JSON. */
interface BodyForm {
  /** Completes "accepted only when it is written …". */
  readonly name: string;
  readonly write: (text: string) => string;
}

/** How the serialisers of other languages write what they have parsed. */
export const BODY_FORMS: readonly BodyForm[] = [
  { name: "with a space after every comma and colon, as Python writes", write: spaced },
  {
    name: "with its fields in alphabetical order",
    write: (text) => canonicalJson(JSON.parse(text)),
  },
  {
    name: "with spaces and in alphabetical order",
    write: (text) => spaced(canonicalJson(JSON.parse(text))),
  },
  { name: "indented by two spaces", write: (text) => JSON.stringify(JSON.parse(text), null, 2) },
];

/** A space after each colon and comma outside strings, and ASCII alone. */
export function spaced(text: string): string {
  return asciiJson(spacedJson(text));
}
