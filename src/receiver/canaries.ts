import type { JsonObject } from "./webhook-event.ts";
import { asciiOnly, spaced } from "./body-forms.ts";

/** What goes wrong with the bytes of a body on their way to a verification. */
export type CanaryFamily = "reserialised" | "charset" | "trimmed" | "line-endings";

/** One unusual and valid spelling of an event. */
export interface Canary {
  readonly name: string;
  readonly family: CanaryFamily;
  readonly write: (body: JsonObject) => string;
}

const dense = (body: unknown): string => JSON.stringify(body);
const withDescription = (body: JsonObject, description: string): JsonObject => ({ ...body, description });

/** Eight spellings that survive only where the raw bytes are verified. */
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
      asciiOnly(dense(withDescription(body, "café 10/10"))).replaceAll("10/10", String.raw`10\/10`),
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

/** The cause that explains a set of failures, and the mend. */
export function explainCanaries(failed: readonly Canary[]): {
  readonly cause: string;
  readonly mend: string;
} {
  const families = new Set(failed.map(({ family }) => family));
  const only = (family: CanaryFamily): boolean => families.size === 1 && families.has(family);
  const mend = "Compute the HMAC over the raw bytes as they came, before any parser or decoder has them.";
  if (only("charset"))
    return {
      cause: "The body was decoded in another charset than UTF-8 before the signature was checked.",
      mend: "Compute the HMAC over the raw bytes; where text is needed, decode it as UTF-8.",
    };
  if (only("trimmed"))
    return { cause: "Blanks at the end of the body were cut off before the signature was checked.", mend };
  if (only("line-endings"))
    return { cause: "The line endings of the body were rewritten before the signature was checked.", mend };
  return { cause: "The body was parsed and serialised again before the signature was checked.", mend };
}
