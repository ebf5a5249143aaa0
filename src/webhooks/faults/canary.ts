import { CANARY_ENCODINGS } from "../../platform/faults/webhook-effects.ts";

type CanaryEncoding = (typeof CANARY_ENCODINGS)[number];

/** Each writes the same event so that parsing and writing it again gives other bytes. */
const ENCODINGS: Readonly<Record<CanaryEncoding, (json: string) => string>> = {
  decimal: (json) => withField(json, "10.50"),
  escape: (json) => inStrings(json, (text) => text.replace(/^[A-Za-z]/, unicodeEscape)),
  unicode: (json) => withField(json, '"São Paulo – ação nº 1 🧾 e\u0301"'),
  spaces: (json) => ` ${JSON.stringify(JSON.parse(json), null, 3)} `,
  newline: (json) => `${json}\n`,
  slash: (json) =>
    withField(
      inStrings(json, (text) => text.replaceAll("/", String.raw`\/`)),
      String.raw`"a\/b"`,
    ),
  "big-integer": (json) => withField(json, "9007199254740993"),
  "key-order": (json) => withField(json, '{"2":"two","1":"one"}'),
};

/** The body in the encoding asked for, or in that of this turn, counted from 1. */
export function canary(json: string, encoding: string | null, turn: number): string {
  const chosen = encoding ?? CANARY_ENCODINGS[(turn - 1) % CANARY_ENCODINGS.length];
  return ENCODINGS[chosen as CanaryEncoding](json);
}

/** The object with one more field `canary`, whose value is written as it stands. */
function withField(json: string, value: string): string {
  return `${json.slice(0, -1)},"canary":${value}}`;
}

/** Rewrites the values and keys of a JSON text, their escapes left as they are. */
function inStrings(json: string, rewrite: (text: string) => string): string {
  return json.replaceAll(/"((?:[^"\\]|\\.)*)"/gu, (_, text: string) => `"${rewrite(text)}"`);
}

function unicodeEscape(letter: string): string {
  return `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
