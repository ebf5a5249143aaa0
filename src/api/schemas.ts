import { readFileSync } from "node:fs";

/** One schema, or a part of one: JSON Schema 2020-12 with the `x-` marks of this project. */
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
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
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
  readonly unevaluatedProperties?: boolean;
  /** The assumption that this field, status or path rests on. */
  readonly "x-assumption"?: string;
  /** What a right value is, as a noun phrase: "an absolute http or https URL". */
  readonly "x-expected"?: string;
  /** Why a conditional part applies, continuing the field's name: "is required when type is …". */
  readonly "x-rule"?: string;
}

/** The files that describe the interface, one per resource. */
export const schemaFiles = [
  "common.schema.json",
  "authentication.schema.json",
  "subscriptions.schema.json",
  "scheduled-payments.schema.json",
  "orders.schema.json",
  "refunds.schema.json",
  "payouts.schema.json",
  "accounts.schema.json",
  "pix-key-claims.schema.json",
  "webhook-events.schema.json",
  "deposit-banks.schema.json",
  "acts.schema.json",
] as const;

/** The file of what the sandbox's own API is asked with: checked like the rest, and no part of the interface. */
const SANDBOX_FILE = "acts.schema.json";

/** Where a definition stands: what ajv and `$ref` call it. */
export interface Definition {
  readonly name: string;
  readonly file: string;
  readonly schema: Schema;
}

const folder = new URL("../../schemas/", import.meta.url);
let documents: readonly Schema[] | undefined;
let definitionsByName: ReadonlyMap<string, Definition> | undefined;

/** The parsed schema files, read once, at the first question. */
export function schemaDocuments(): readonly Schema[] {
  documents ??= schemaFiles.map((file) => JSON.parse(readFileSync(new URL(file, folder), "utf8")) as Schema);
  return documents;
}

/** Every definition by its name; names are unique over all files. */
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

/** The definitions of the platform's interface, which its OpenAPI document shows. */
export function interfaceDefinitions(): readonly Definition[] {
  return [...definitions().values()].filter(({ file }) => file !== SANDBOX_FILE);
}

/** The definition of that name. A name that no schema file defines is a bug of the caller. */
export function definition(name: string): Definition {
  const found = definitions().get(name);
  if (!found)
    throw new Error(`Failed to find the shape ${name}: no file in schemas/ defines it. Check its name.`);
  return found;
}

/** The name at the end of a reference: `common.schema.json#/$defs/Amount` names `Amount`. */
export function referencedName(reference: string): string {
  return reference.slice(reference.lastIndexOf("/") + 1);
}
