/** Whether a value is an object with fields: neither null nor an array. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** JSON with the keys of every object in order, so that equal values have the same text. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    isRecord(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : part,
  );
}

/** JSON with a blank after each comma and colon, as Python writes it. */
export function spacedJson(json: string): string {
  return json.replaceAll(/"(?:[^"\\]|\\.)*"|[,:]/g, (token) => (token.length === 1 ? `${token} ` : token));
}

/** JSON in which everything that is not ASCII is escaped. */
export function asciiJson(json: string): string {
  return json.replaceAll(/[\u0080-\uffff]/g, jsonEscape);
}

/** A UTF-16 unit as JSON may write it within a string: `\u00e9`. */
export function jsonEscape(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** A body as JSON where it is JSON, otherwise the text; undefined for an empty one. */
export function parsed(text: string): unknown {
  if (text === "") return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
