import type { BodySpelling, SpellingFamily } from "../../simulator/platform/faults/body-spellings.ts";
import { asciiJson, canonicalJson, spacedJson } from "../../simulator/engine/json.ts";

/** Returns the cause that explains a set of failures, and the fix. */
export function explainCanaries(failures: readonly BodySpelling[]): {
  readonly cause: string;
  readonly fix: string;
} {
  const families = new Set(failures.map(({ family }) => family));
  const [family] = families.size === 1 ? families : (["reserialised"] as const);
  const causes: Readonly<Record<SpellingFamily, string>> = {
    reserialised: "The body was parsed and serialised again",
    charset: "The body was decoded in a charset other than UTF-8",
    trimmed: "White space at the end of the body was removed",
    "line-endings": "The line endings of the body were changed",
  };
  const fix =
    family === "charset"
      ? "Compute the HMAC over the raw bytes. If you need text, decode it as UTF-8."
      : "Compute the HMAC over the raw bytes as received, before any parser or decoder reads them.";
  return { cause: `${causes[family!]} before the signature was checked.`, fix };
}

/**
 * The ways that serialisers of other languages write a parsed text. The name follows the words "accepted only if it is
 * written".
 */
export const BODY_FORMS: readonly { readonly name: string; readonly write: (text: string) => string }[] = [
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

/** Writes a space after each colon and comma outside strings, and uses only ASCII. */
export function spaced(text: string): string {
  return asciiJson(spacedJson(text));
}
