import { nameIn, openApi, type SchemaObject } from "./document.ts";
import { rulesOf } from "./rules.ts";

/** A schema with everything it refers to and is composed of written into it. */
export interface Shape {
  /** What it says of itself besides its fields. */
  readonly schema: SchemaObject;
  readonly fields: readonly Field[];
  /** What binds its fields together, in sentences. */
  readonly rules: readonly string[];
}

/** One field of a shape. */
export interface Field {
  readonly name: string;
  readonly required: boolean;
  readonly shape: Shape;
}

/** The shape of a schema, all the way down. The document's schemas do not contain themselves. */
export function shapeOf(schema: SchemaObject): Shape {
  const whole = composed(schema);
  const required = new Set(whole.required ?? []);
  const fields = Object.entries(whole.properties ?? {}).map(([name, property]): Field => ({
    name,
    required: required.has(name),
    shape: shapeOf(property),
  }));
  const items = whole.items && shapeOf(whole.items);
  return {
    schema: { ...whole, ...(items && { items: items.schema }) },
    fields: items?.fields.length ? items.fields : fields,
    rules: [...rulesOf(whole), ...(items?.rules ?? [])],
  };
}

/** The schema with what it refers to under it: what stands in the schema itself wins, field by field. */
function composed(schema: SchemaObject): SchemaObject {
  const { $ref, allOf = [], ...own } = schema;
  const parts = allOf.filter((part) => part.$ref !== undefined).map(composed);
  const conditions = allOf.filter((part) => part.$ref === undefined);
  const base = $ref === undefined ? {} : composed(openApi().components.schemas[nameIn($ref)] ?? {});
  const merged = [base, ...parts, { ...own, allOf: conditions }].reduce(over, {});
  return merged;
}

function over(under: SchemaObject, upper: SchemaObject): SchemaObject {
  const names = new Set([...Object.keys(under.properties ?? {}), ...Object.keys(upper.properties ?? {})]);
  const properties = [...names].map((name): [string, SchemaObject] => {
    const [lower, higher] = [under.properties?.[name], upper.properties?.[name]];
    return [name, lower && higher ? over(composed(lower), composed(higher)) : (higher ?? lower ?? {})];
  });
  return {
    ...under,
    ...upper,
    ...(names.size > 0 && { properties: Object.fromEntries(properties) }),
    required: [...new Set([...(under.required ?? []), ...(upper.required ?? [])])],
    allOf: [...(under.allOf ?? []), ...(upper.allOf ?? [])],
  };
}
