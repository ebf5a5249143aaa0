import { asciiJson, jsonEscape, spacedJson } from "../../engine/json.ts";

/** The changes that a wrong receiver makes to the bytes of a body before it verifies them. */
export type SpellingFamily = "reserialised" | "charset" | "trimmed" | "line-endings";

/** An unusual and valid way to write an event, from the text without blanks that `JSON.stringify` makes of it. */
export interface BodySpelling {
  /** Completes "a correctly signed body with …". */
  readonly is: string;
  /** Receivers that do this to a body find another signature for it. */
  readonly family: SpellingFamily;
  readonly write: (json: string) => string;
}

/** Bodies with the meaning of the event, in bytes that only a receiver of raw bytes verifies. */
export const bodySpellings = {
  decimal: { is: "a number 10.50", family: "reserialised", write: (json) => withField(json, "10.50") },
  escape: {
    is: "letters written as \\u escapes",
    family: "reserialised",
    write: (json) => inStrings(json, (text) => text.replace(/^[A-Za-z]/, jsonEscape)),
  },
  unicode: {
    is: "characters beyond ASCII",
    family: "charset",
    write: (json) => withField(json, '"São Paulo – ação nº 1 🧾 e\u0301"'),
  },
  spaces: {
    is: "blanks and indentation",
    family: "reserialised",
    write: (json) => ` ${JSON.stringify(JSON.parse(json), null, 3)} `,
  },
  newline: { is: "a line break at the end", family: "trimmed", write: (json) => `${json}\n` },
  slash: {
    is: "\\/ for every slash",
    family: "reserialised",
    write: (json) =>
      withField(
        inStrings(json, (text) => text.replaceAll("/", String.raw`\/`)),
        String.raw`"a\/b"`,
      ),
  },
  "big-integer": {
    is: "a number beyond 2^53",
    family: "reserialised",
    write: (json) => withField(json, "9007199254740993"),
  },
  "key-order": {
    is: "keys 2 before 1",
    family: "reserialised",
    write: (json) => withField(json, '{"2":"two","1":"one"}'),
  },
  exponent: { is: "a number 1E2", family: "reserialised", write: (json) => withField(json, "1E2") },
  "spaced-out": {
    is: "a blank after every comma and colon",
    family: "reserialised",
    write: (json) => asciiJson(spacedJson(json)),
  },
  "line-endings": {
    is: "line endings CR LF and tabs",
    family: "line-endings",
    write: (json) => JSON.stringify(JSON.parse(json), null, "\t").replaceAll("\n", "\r\n"),
  },
  "same-key": {
    is: "the same key twice: the last counts",
    family: "reserialised",
    write: (json) => `{"canary":"first",${withField(json, '"last"').slice(1)}`,
  },
} as const satisfies Readonly<Record<string, BodySpelling>>;

export type BodySpellingName = keyof typeof bodySpellings;

/** The object with one more field `canary`, whose value is written unchanged. */
function withField(json: string, value: string): string {
  return `${json.slice(0, -1)},"canary":${value}}`;
}

/** Rewrites the values and keys of a JSON text, their escapes left as they are. */
function inStrings(json: string, rewrite: (text: string) => string): string {
  return json.replaceAll(/"((?:[^"\\]|\\.)*)"/gu, (_, text: string) => `"${rewrite(text)}"`);
}
