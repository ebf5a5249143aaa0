// @ts-check

/**
 * One field of a form, made from a schema.
 *
 * @typedef {object} Field
 * @property {readonly string[]} path where its value goes in the body
 * @property {"text" | "number" | "choice"} kind
 * @property {boolean} required whether the body is refused without it
 * @property {readonly string[]} choices
 * @property {string} hint
 * @property {string} example
 */

/**
 * @typedef {object} Schema
 * @property {string | readonly string[]} [type]
 * @property {Record<string, Schema>} [properties]
 * @property {readonly string[]} [required]
 * @property {readonly unknown[]} [enum]
 * @property {readonly unknown[]} [examples]
 * @property {string} [description]
 */

/**
 * The fields of a form for an object. Fields of objects inside it are in the same list, with their whole path.
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

/**
 * @param {Schema} schema
 * @param {readonly string[]} path
 * @param {boolean} required
 * @returns {Field}
 */
function fieldOf({ type = "string", enum: choices, description = "", examples = [] }, path, required) {
  const number = type === "integer" || type === "number";
  return {
    path,
    kind: choices !== undefined ? "choice" : number ? "number" : "text",
    required,
    choices: (choices ?? []).map(String),
    hint: description,
    example: examples.length > 0 ? String(examples[0]) : "",
  };
}

/**
 * The body that a filled form describes. Empty fields are left out, and so are objects that would be empty. A number
 * that is not one is sent unchanged, and the sandbox reports what is wrong with it.
 *
 * @param {readonly Field[]} fields
 * @param {(field: Field) => string} valueOf
 * @returns {Record<string, unknown>}
 */
export function bodyOf(fields, valueOf) {
  /** @type {Record<string, unknown>} */
  const body = {};
  for (const field of fields) {
    const text = valueOf(field).trim();
    if (text !== "")
      put(body, field.path, field.kind === "number" && /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text);
  }
  return body;
}

/**
 * @param {Record<string, unknown>} body
 * @param {readonly string[]} path
 * @param {unknown} value
 */
function put(body, [name = "", ...rest], value) {
  if (rest.length === 0) body[name] = value;
  else put(/** @type {Record<string, unknown>} */ (body[name] ??= {}), rest, value);
}

/**
 * The acts that the lifecycle tables allow for an object of that collection in that state.
 *
 * @template {{ collection: string, from: readonly string[] | null }} Act
 * @param {readonly Act[]} acts
 * @param {string} collection
 * @param {string} status
 */
export function actsFor(acts, collection, status) {
  return acts.filter(
    (act) => act.collection === collection && (act.from === null || act.from.includes(status)),
  );
}
