/** A way to write the same JSON. */
export interface BodyForm {
  /** Said of a body: "it comes …". */
  readonly told: string;
  readonly write: (text: string) => string;
}

/** How the serialisers of other languages write what they have read. */
export const BODY_FORMS: readonly BodyForm[] = [
  { told: "with a blank after every comma and colon, as Python writes", write: spaced },
  {
    told: "with its fields in alphabetical order",
    write: (text) => JSON.stringify(sorted(JSON.parse(text))),
  },
  {
    told: "with blanks and alphabetical order",
    write: (text) => spaced(JSON.stringify(sorted(JSON.parse(text)))),
  },
  { told: "indented by two blanks", write: (text) => JSON.stringify(JSON.parse(text), null, 2) },
];

/** A blank after each colon and comma outside strings, and ASCII alone. */
export function spaced(text: string): string {
  return asciiOnly(text).replaceAll(/"(?:[^"\\]|\\.)*"|[,:]/g, (token) =>
    token.length === 1 ? `${token} ` : token,
  );
}

export function asciiOnly(text: string): string {
  return text.replaceAll(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]));
}
