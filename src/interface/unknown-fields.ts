import { definition, referencedName, type Schema } from "./schemas.ts";

/**
 * The fields of a value that its shape does not describe, by their dotted paths. They are no mistake: the
 * platform ignores them (assumption: payloads.unknown-fields), and whoever sends them wants to know.
 */
export function unknownFieldsOf(shape: string, value: unknown): string[] {
  return fieldsBeyond([definition(shape).schema], value, "");
}

function fieldsBeyond(schemas: readonly Schema[], value: unknown, path: string): string[] {
  const applicable = schemas.flatMap(applied);
  if (Array.isArray(value)) {
    const items = applicable.flatMap((schema) => schema.items ?? []);
    if (items.length === 0) return [];
    return value.flatMap((item, index) => fieldsBeyond(items, item, `${path}[${index}]`));
  }
  const described = applicable.filter((schema) => schema.properties !== undefined);
  if (typeof value !== "object" || value === null || described.length === 0) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const field = path === "" ? name : `${path}.${name}`;
    const found = described.flatMap((schema) => property(schema, name));
    return found.length === 0 ? [field] : fieldsBeyond(found, inner, field);
  });
}

function property(schema: Schema, name: string): Schema[] {
  const found = schema.properties;
  return found && Object.hasOwn(found, name) && found[name] ? [found[name]] : [];
}

/** What each schema applies: schemas never change once they are read. */
const appliedBySchema = new WeakMap<Schema, readonly Schema[]>();

/** The schema with everything that it applies to the same value by reference; conditions describe no field. */
function applied(schema: Schema): readonly Schema[] {
  const known = appliedBySchema.get(schema);
  if (known !== undefined) return known;
  const referenced = schema.$ref === undefined ? [] : applied(definition(referencedName(schema.$ref)).schema);
  const all = [schema, ...referenced, ...(schema.allOf ?? []).flatMap(applied)];
  appliedBySchema.set(schema, all);
  return all;
}
