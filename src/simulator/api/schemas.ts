import { isRecord } from "../engine/json.ts";
import { readdirSync, readFileSync } from "node:fs";

/**
 * One schema, or a part of one: JSON Schema 2020-12 with the `x-` marks of this project, also inside the OpenAPI
 * document.
 */
export interface Schema {
  readonly $ref?: string;
  readonly $id?: string;
  readonly $defs?: { readonly [name: string]: Schema };
  readonly title?: string;
  readonly description?: string;
  readonly examples?: readonly unknown[];
  readonly default?: unknown;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly pattern?: string;
  readonly contentEncoding?: string;
  readonly contentMediaType?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly writeOnly?: boolean;
  readonly properties?: { readonly [name: string]: Schema };
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly not?: Schema;
  readonly if?: Schema;
  readonly then?: Schema;
  readonly else?: Schema;
  readonly dependentSchemas?: { readonly [name: string]: Schema };
  readonly additionalProperties?: boolean | Schema;
  readonly unevaluatedProperties?: boolean;
  /** The assumption behind this field, status or path. */
  readonly "x-assumption"?: string;
  /** A noun phrase for a valid value: "an absolute http or https URL". */
  readonly "x-expected"?: string;
  /** The reason for a conditional part, in words after the field's name: "is required when type is …". */
  readonly "x-rule"?: string;
}

/** The schemas of files that users write. Every other file of the folder describes the API. */
const FILES_OF_PEOPLE = new Set(["config.schema.json", "scenario.schema.json"]);

/** The shapes of the sandbox's own API. They do not belong to the platform's API. */
const SANDBOX_FILES: ReadonlySet<string> = new Set([
  "acts.schema.json",
  "control.schema.json",
  "fixtures.schema.json",
]);

/** A definition, with its place in the form of ajv and `$ref`. */
interface Definition {
  readonly name: string;
  readonly file: string;
  readonly schema: Schema;
}

const folder = new URL("../../../schemas/source/", import.meta.url);
let documents: readonly Schema[] | undefined;
let definitionsByName: ReadonlyMap<string, Definition> | undefined;

/** Returns the parsed schema files. They are read once, at the first use. */
export function schemaDocuments(): readonly Schema[] {
  documents ??= readdirSync(folder)
    .filter((file) => file.endsWith(".schema.json") && !FILES_OF_PEOPLE.has(file))
    .toSorted()
    .map((file) => JSON.parse(readFileSync(new URL(file, folder), "utf8")) as Schema);
  return documents;
}

/** Returns all definitions by their names. Names are unique over all files. */
export function definitions(): ReadonlyMap<string, Definition> {
  definitionsByName ??= new Map(
    schemaDocuments().flatMap((document) =>
      Object.entries(document.$defs ?? {}).map(([name, schema]): [string, Definition] => [
        name,
        { name, file: document.$id ?? "", schema },
      ]),
    ),
  );
  return definitionsByName;
}

/** Returns the definitions of the platform's interface for its OpenAPI document. */
export function interfaceDefinitions(): readonly Definition[] {
  return [...definitions().values()].filter(({ file }) => !SANDBOX_FILES.has(file));
}

/** Returns the definition with this name. Throws if no schema file defines it, because that is a bug of the caller. */
export function definition(name: string): Definition {
  const found = definitions().get(name);
  if (!found)
    throw new Error(
      `Failed to find the shape ${name}: no file in schemas/source/ defines it. Check its name.`,
    );
  return found;
}

/** Returns the name at the end of a reference: `Amount` for `common.schema.json#/$defs/Amount`. */
export function referencedName(reference: string): string {
  return reference.slice(reference.lastIndexOf("/") + 1);
}

/**
 * Returns an example value of a schema: its own example, or an example from the examples of its properties. A schema
 * with alternatives has its own examples.
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
 * Returns the example with some changed values, at any depth. `undefined` removes a field.
 */
export function withChanges(example: unknown, changes: unknown): unknown {
  if (!isRecord(example) || !isRecord(changes)) return changes;
  const changed = Object.keys(changes).map((name) => [name, withChanges(example[name], changes[name])]);
  const merged = { ...example, ...(Object.fromEntries(changed) as object) };
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== undefined));
}

/** Returns the schema with this name and with all references resolved, for a reader without the schema files. */
export function inlinedSchema(name: string): Schema {
  return inlined(definition(name).schema) as Schema;
}

/** Resolves references. Keywords next to a reference override the keywords of the referenced schema. */
function inlined(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(inlined);
  if (!isRecord(part)) return part;
  const { $ref, ...rest } = part as Schema;
  const own = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, inlined(value)]));
  return $ref === undefined ? own : { ...inlinedSchema(referencedName($ref)), ...own };
}
