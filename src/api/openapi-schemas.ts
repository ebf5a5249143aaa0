import { operations, type ShapeName } from "./operations.ts";
import { interfaceDefinitions, referencedName, type Schema } from "./schemas.ts";

/** A part of an OpenAPI document. */
export interface Json {
  readonly [key: string]: unknown;
}

/** Every shape except the queries, which are described as parameters. */
export function componentSchemas(): Json {
  const queries = new Set(Object.values(operations).map(({ query }) => query as string | undefined));
  const shapes = interfaceDefinitions().filter(({ name }) => !queries.has(name));
  return Object.fromEntries(shapes.map(({ name, schema }) => [name, flattened(schema)]));
}

/** A reference to the shape of that name in the document. */
export function reference(shape: ShapeName): Json {
  return { $ref: `#/components/schemas/${shape}` };
}

const conditionKeywords = new Set(["if", "then", "else"]);
const alternativeKeywords = new Set(["allOf", "anyOf", "oneOf"]);

/** The schema with its references pointing into the document instead of between files. */
export function flattened(schema: Schema, inCondition = false): Json {
  const entries = Object.entries(schema).map(([key, value]: [string, unknown]) => {
    if (key === "$ref") return [key, `#/components/schemas/${referencedName(String(value))}`];
    if (key === "properties")
      return [key, mapValues(value as Json, (property) => flattened(property, inCondition))];
    if (alternativeKeywords.has(key)) return [key, (value as Schema[]).map((part) => flattened(part, true))];
    if (conditionKeywords.has(key)) return [key, flattened(value as Schema, true)];
    return [key, key === "items" ? flattened(value as Schema) : value];
  });
  const flat = Object.fromEntries(entries) as Json;
  return inCondition ? openCondition(flat) : flat;
}

/**
 * A condition as OpenAPI tools expect it. They read each part as a separate shape, so it has to name the properties
 * that it requires and allow all others.
 */
function openCondition(condition: Json): Json {
  const { properties = {}, required = [] } = condition as Schema;
  const unnamed = required.filter((name) => !Object.hasOwn(properties, name)).map((name) => [name, {}]);
  const named = { ...(Object.fromEntries(unnamed) as Json), ...properties };
  if (Object.keys(named).length === 0) return condition;
  return { ...condition, properties: named, unevaluatedProperties: true };
}

function mapValues(record: Json, change: (value: Schema) => unknown): Json {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value as Schema)]));
}
