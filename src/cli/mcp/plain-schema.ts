import { type JsonObject, isRecord } from "../../simulator/engine/json.ts";
import { readScenarioSchema } from "../../scenarios/schema.ts";

/** Returns a definition of the scenario schema. */
export function definitionOf(name: string): JsonObject {
  const found = readScenarioSchema().$defs[name];
  if (found === undefined) throw new Error(`The scenario schema has no definition ${name}.`);
  return found;
}

/** Keywords that are only for editors. An agent does not need them. */
const FOR_EDITORS: ReadonlySet<string> = new Set(["markdownDescription", "title", "format", "examples"]);

/** Returns a schema with its references written out, and without the expressions that only scenarios have. */
export function plain(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(plain);
  if (!isRecord(schema)) return schema;
  const { $ref, anyOf, ...rest } = schema;
  // Some clients warn about a list of types.
  if (Array.isArray(rest["type"])) return plain({ ...withoutType(schema), anyOf: typesOf(rest["type"]) });
  const own = Object.fromEntries(
    Object.entries(rest)
      .filter(([keyword]) => !FOR_EDITORS.has(keyword))
      .map(([keyword, value]) => [keyword, plain(value)]),
  );
  const referenced =
    typeof $ref === "string" ? (plain(definitionOf($ref.replace("#/$defs/", ""))) as object) : {};
  const choices = Array.isArray(anyOf) ? anyOf.filter((one) => !isExpressionSchema(one)).map(plain) : [];
  const chosen = choices.length === 1 ? (choices[0] as object) : choices.length > 1 ? { anyOf: choices } : {};
  return { ...referenced, ...chosen, ...own };
}

function withoutType({ type: _type, ...rest }: JsonObject): JsonObject {
  return rest;
}

function typesOf(types: readonly unknown[]): object[] {
  return types.map((type) => ({ type }));
}

function isExpressionSchema(schema: unknown): boolean {
  return isRecord(schema) && schema["$ref"] === "#/$defs/interpolation";
}
