/** @import { Act, Field, Schema } from "./page-data.ts" */

/**
 * Makes a field. Its value is stored in the body under its name.
 *
 * @param {string} name
 * @param {string} hint
 * @param {Partial<Field>} [others]
 * @returns {Field}
 */
export function field(name, hint, others) {
  return { path: [name], kind: "text", required: false, choices: [], hint, example: "", ...others };
}

/**
 * Returns the fields of a form for an object. Fields of objects inside it are in the same list, with their whole path.
 *
 * @param {Schema | null} schema
 * @param {readonly string[]} [path]
 * @returns {Field[]}
 */
export function fieldsOf(schema, path = []) {
  const { properties = {}, required = [] } = schema ?? {};
  return Object.entries(properties).flatMap(([name, property]) => {
    const here = [...path, name];
    const inside = fieldsOf(property, here);
    return inside.length > 0
      ? inside
      : [fieldOf(property, here, path.length === 0 && required.includes(name))];
  });
}

/** @param {Schema} schema @param {readonly string[]} path @param {boolean} required @returns {Field} */
function fieldOf({ type = "string", enum: choices, description = "", examples = [] }, path, required) {
  const isNumber = type === "integer" || type === "number";
  return field("", description, {
    path,
    kind: choices !== undefined ? "choice" : isNumber ? "number" : "text",
    required,
    choices: (choices ?? []).map(String),
    example: examples.length > 0 ? String(examples[0]) : "",
  });
}

/**
 * Returns the body that a filled form describes. Empty fields and empty objects are left out. An invalid
 * number is sent unchanged, and the sandbox reports the mistake.
 *
 * @param {readonly Field[]} fields
 * @param {(field: Field) => string} valueOf
 * @returns {Record<string, unknown>}
 */
export function bodyOf(fields, valueOf) {
  /** @type {Record<string, unknown>} */
  const body = {};
  for (const field of fields) {
    // In a text of several lines each blank counts: it may be a body that was signed.
    const text = field.kind === "lines" ? valueOf(field) : valueOf(field).trim();
    if (text !== "")
      put(body, field.path, field.kind === "number" && /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text);
  }
  return body;
}

/** @param {Record<string, unknown>} body @param {readonly string[]} path @param {unknown} value */
function put(body, [name = "", ...rest], value) {
  if (rest.length === 0) body[name] = value;
  else put(/** @type {Record<string, unknown>} */ (body[name] ??= {}), rest, value);
}

/**
 * Returns the acts that the lifecycle tables allow for an object of that collection in that state.
 *
 * @param {readonly Act[]} acts
 * @param {string} collection
 * @param {string} status
 */
export function actsFor(acts, collection, status) {
  return acts.filter(
    (act) => act.collection === collection && (act.from === null || act.from.includes(status)),
  );
}
