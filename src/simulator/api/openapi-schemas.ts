import type { ShapeName } from "./generated/shapes.ts";
import { definition, definitions, referencedName, type Schema } from "./schemas.ts";

/** A part of an OpenAPI document. */
export interface Json {
  readonly [key: string]: unknown;
}

/** Returns `made`, with all shapes that it and the other parts of the document refer to, directly or indirectly. */
export function componentSchemas(parts: readonly Json[], made: Json): Json {
  const names = new Set(referencesIn([...parts, made]).filter((name) => !Object.hasOwn(made, name)));
  const schemas = new Map<string, Json>();
  for (const name of names) {
    const schema = componentSchema(name);
    schemas.set(name, schema);
    for (const other of referencesIn(schema)) names.add(other);
  }
  const shapes = [...definitions().values()].filter(({ name }) => names.has(name));
  return { ...Object.fromEntries(shapes.map(({ name }) => [name, schemas.get(name)])), ...made };
}

function referencesIn(part: unknown): string[] {
  const found = JSON.stringify(part).matchAll(/"#\/components\/schemas\/(\w+)"/g);
  return Array.from(found, ([, name = ""]) => name);
}

/** Returns a reference to the shape with this name in the document. */
export function reference(shape: ShapeName): Json {
  return { $ref: `#/components/schemas/${shape}` };
}

/**
 * Returns the definition with this name in the form of the document. Generators of clients lose the properties next
 * to `allOf`, so inherited properties are written out. Several conditions go to a place that generators do not search
 * for types.
 */
export function componentSchema(name: string): Json {
  const { allOf: conditions = [], ...schema } = withInherited(definition(name).schema);
  const [condition, ...others] = conditions.map((part) => flattened(part, true));
  const whole = flattened(schema);
  if (condition === undefined) return whole;
  if (others.length === 0) return { ...whole, ...condition };
  const [about = ""] = Object.keys((condition["if"] as Schema | undefined)?.properties ?? {});
  return { ...whole, dependentSchemas: { [about]: { allOf: [condition, ...others] } } };
}

/** Returns the schema with the properties of its parents in `allOf`. Only the conditions stay in `allOf`. */
function withInherited(schema: Schema): Schema {
  const { allOf = [], ...own } = schema;
  const parents = allOf.flatMap(({ $ref }) =>
    $ref === undefined ? [] : [withInherited(definition(referencedName($ref)).schema)],
  );
  const conditions = [...parents.map((parent) => parent.allOf ?? []), allOf]
    .flat()
    .filter(({ $ref }) => $ref === undefined);
  const parts = [...parents, own];
  const properties = Object.assign({}, ...parts.map((part) => part.properties)) as Record<string, Schema>;
  const required = [...new Set(parts.flatMap((part) => part.required ?? []))];
  return {
    ...own,
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(required.length > 0 && { required }),
    ...(conditions.length > 0 && { allOf: conditions }),
  };
}

const conditionKeywords = new Set(["if", "then", "else"]);
const alternativeKeywords = new Set(["allOf", "anyOf", "oneOf"]);

/** Returns the schema with references into the document in place of references between files. */
export function flattened(schema: Schema, inCondition = false): Json {
  const entries = Object.entries(schema).map(([key, value]: [string, unknown]) => {
    if (key === "$ref") return [key, `#/components/schemas/${referencedName(String(value))}`];
    // The clock reads every timestamp of RFC 3339.
    if (key === "format" && value === "instant") return [key, "date-time"];
    if (key === "properties")
      return [key, mapValues(value as Json, (property) => flattened(property, inCondition))];
    if (alternativeKeywords.has(key))
      return [key, (value as Schema[]).map((part) => flattened(openPart(part, schema), true))];
    if (conditionKeywords.has(key)) return [key, flattened(openPart(value as Schema, schema), true)];
    return [key, key === "items" ? flattened(value as Schema) : value];
  });
  const flat = Object.fromEntries(entries) as Json;
  return inCondition && flat["properties"] !== undefined ? { ...flat, unevaluatedProperties: true } : flat;
}

/**
 * Returns an alternative or a condition in the form that OpenAPI tools expect. They read it as a separate shape. So
 * it must name its required properties, here with their types, and allow all others.
 */
function openPart(part: Schema, { properties: known = {} }: Schema): Schema {
  const { properties = {}, required = [] } = part;
  const typed = required.map((name): [string, Schema] => {
    const { $ref, type } = known[name] ?? {};
    return [name, { ...($ref !== undefined && { $ref }), ...(type !== undefined && { type }) }];
  });
  const inner = Object.entries(properties).map(([name, property]) => [name, openPart(property, {})] as const);
  const named = { ...Object.fromEntries(typed), ...Object.fromEntries(inner) };
  return Object.keys(named).length === 0 ? part : { ...part, properties: named };
}

function mapValues(record: Json, change: (value: Schema) => unknown): Json {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value as Schema)]));
}
