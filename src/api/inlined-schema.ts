import type { Schema } from "./schemas.ts";
import { definition, referencedName } from "./schemas.ts";

/** The schema of that name with every reference written out, for a reader that has no schema files. */
export function inlinedSchema(name: string): Schema {
  return inlined(definition(name).schema) as Schema;
}

/** What stands beside a reference wins over what it refers to, as descriptions and examples do. */
function inlined(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(inlined);
  if (typeof part !== "object" || part === null) return part;
  const { $ref, ...rest } = part as Schema;
  const own = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, inlined(value)]));
  return $ref === undefined ? own : { ...inlinedSchema(referencedName($ref)), ...own };
}
