import { CANARY_ENCODINGS } from "../platform/faults/webhook-effects.ts";

type Fields = Readonly<Record<string, unknown>>;

const UNHEARD_OF = "UNHEARD_OF";

/** The event with unannounced fields, next to its own and in its `data` where it has one. */
export function withExtraFields(json: string): string {
  const event = JSON.parse(json) as Fields;
  const extra = { announcedNowhere: { depth: 1, tags: ["new"] }, absentForNow: null };
  const { data } = event;
  return JSON.stringify({ ...event, ...(isFields(data) && { data: { ...data, ...extra } }), ...extra });
}

/** An event of the same family with an unknown name. */
export function withUnknownEvent(json: string): string {
  const event = JSON.parse(json) as Fields;
  const [family = "EVENT"] = String(event["event"]).split(".");
  return JSON.stringify({ ...event, event: `${family}.${UNHEARD_OF}` });
}

/** The event with an unknown status, in its `data` where the status is there. */
export function withUnknownStatus(json: string): string {
  const event = JSON.parse(json) as Fields;
  const { data } = event;
  if (isFields(data)) return JSON.stringify({ ...event, data: { ...data, status: UNHEARD_OF } });
  return JSON.stringify({ ...event, status: UNHEARD_OF });
}

/** The event filled up to a size in bytes; an event that is larger already is unchanged. */
export function filledUp(json: string, bytes: number): string {
  const missing = bytes - Buffer.byteLength(json) - ',"padding":""'.length;
  return missing < 0 ? json : `${json.slice(0, -1)},"padding":"${"x".repeat(missing)}"}`;
}

/** One digit is another one: that of an amount where there is one, otherwise the first of all. */
export function tampered(json: string): string {
  const at = /"(?:value|amount)":"?[0-9]/u.exec(json) ?? /[0-9]/u.exec(json);
  if (at === null) return `${json} `;
  const position = at.index + at[0].length - 1;
  const digit = json[position] === "9" ? "1" : "9";
  return json.slice(0, position) + digit + json.slice(position + 1);
}

/** The same JSON in other bytes. */
export function indented(json: string): string {
  return JSON.stringify(JSON.parse(json), null, 2);
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

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

/** The body in the requested encoding, or in that of this turn, counted from 1. */
export function canary(json: string, encoding: string | null, turn: number): string {
  const chosen = encoding ?? CANARY_ENCODINGS[(turn - 1) % CANARY_ENCODINGS.length];
  return ENCODINGS[chosen as CanaryEncoding](json);
}

/** The object with one more field `canary`, whose value is written unchanged. */
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
