import { definition, referencedName, type Schema } from "./schemas.ts";

/**
 * An example value of a schema: the one it carries, otherwise one put together from the examples of its
 * properties. What a shape leaves open to choice carries examples of its own.
 */
export function exampleOf(schema: Schema): unknown {
  if (schema.examples && schema.examples.length > 0) return schema.examples[0];
  if (schema.$ref !== undefined) return exampleOf(definition(referencedName(schema.$ref)).schema);
  if (schema.items) return [exampleOf(schema.items)];
  const inherited = (schema.allOf ?? []).filter((part) => part.$ref !== undefined).map(exampleOf) as object[];
  const own = Object.entries(schema.properties ?? {}).map(([name, property]) => [name, exampleOf(property)]);
  return Object.assign({}, ...inherited, Object.fromEntries(own)) as unknown;
}

/**
 * The example with some of its values changed, as deep as the changes go; `undefined` takes a field away.
 */
export function withChanges(example: unknown, changes: unknown): unknown {
  if (!isRecord(example) || !isRecord(changes)) return changes;
  const changed = Object.keys(changes).map((name) => [name, withChanges(example[name], changes[name])]);
  const merged = { ...example, ...(Object.fromEntries(changed) as object) };
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== undefined));
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
