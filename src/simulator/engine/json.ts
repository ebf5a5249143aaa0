/** A JSON object. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a value is an object with fields: neither null nor an array. */
export function isRecord(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns a field of a JSON value by its dotted path. Undefined if it is missing. */
export function at(value: unknown, path: string): unknown {
  let found = value;
  for (const name of path.split(".")) {
    if (Array.isArray(found) && /^\d+$/.test(name)) found = found[Number(name)];
    else if (isRecord(found) && Object.hasOwn(found, name)) found = found[name];
    else return undefined;
  }
  return found;
}

/** Returns a text field. Undefined if it is missing or has another type. */
export function textAt(value: unknown, path: string): string | undefined {
  const found = at(value, path);
  return typeof found === "string" ? found : undefined;
}

/** Returns a list field. Empty if it is missing or has another type. */
export function listAt(value: unknown, path: string): readonly unknown[] {
  const found = path === "" ? value : at(value, path);
  return Array.isArray(found) ? found : [];
}

/** JSON with the keys of every object in order, so that equal values have the same text. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    isRecord(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : part,
  );
}

/** Replaces each part of a value by the equal part of a former one, so that both take the memory of one. */
export function shared<T>(value: T, former: unknown): T {
  if (value === former) return former as T;
  if (typeof value !== "object" || value === null || typeof former !== "object" || former === null)
    return value;
  const fields = value as Record<string, unknown>;
  const others = former as Record<string, unknown>;
  const names = Object.keys(fields);
  const otherNames = Object.keys(others);
  let isEqual = names.length === otherNames.length && Array.isArray(value) === Array.isArray(former);
  for (const [index, name] of names.entries()) {
    const other = Object.hasOwn(others, name) ? others[name] : undefined;
    fields[name] = shared(fields[name], other);
    isEqual &&= name === otherNames[index] && fields[name] === other;
  }
  return isEqual ? (former as T) : value;
}

/** JSON with a blank after each comma and colon, as Python writes it. */
export function spacedJson(json: string): string {
  return json.replaceAll(/"(?:[^"\\]|\\.)*"|[,:]/g, (token) => (token.length === 1 ? `${token} ` : token));
}

/** Escapes all characters of a JSON text outside ASCII. */
export function asciiJson(json: string): string {
  return json.replaceAll(/[\u0080-\uffff]/g, jsonEscape);
}

/** A UTF-16 unit as JSON may write it within a string: `\u00e9`. */
export function jsonEscape(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** A body as JSON if it is JSON, otherwise the text; undefined for an empty one. */
export function parsed(text: string): unknown {
  if (text === "") return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** Returns true if a text is JSON. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Returns the fields that have a value, for receivers that accept a missing field, but not undefined. */
export function defined<Fields extends object>(
  fields: Fields,
): { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Fields;
}

/** The maximum depth of lists and objects in a request. Some thousand levels would exceed the stack. */
export const NESTING_MAX = 100;

/**
 * The greatest number of fields and items in a request: far more than any needs. Each may take some work to check.
 */
export const VALUES_MAX = 10_000;

/**
 * Returns the limit that a value exceeds: levels, or fields and items in all. Undefined if it is within the limits.
 */
export function excessOf(whole: unknown): "levels" | "values" | undefined {
  const unread = isStructure(whole) ? [{ inner: whole, level: 0 }] : [];
  let count = 0;
  for (let next = unread.pop(); next !== undefined; next = unread.pop()) {
    const { inner, level } = next;
    if (level >= NESTING_MAX) return "levels";
    const values = Object.values(inner);
    count += values.length;
    if (count > VALUES_MAX) return "values";
    for (const value of values) if (isStructure(value)) unread.push({ inner: value, level: level + 1 });
  }
  return undefined;
}

/** Whether it is a list or an object. */
function isStructure(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
