import { format } from "prettier";

/** A schema as far as the reference reads it. */
interface Schema {
  readonly title?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly items?: Schema;
  readonly then?: Schema;
  readonly else?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly examples?: readonly unknown[];
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Schema>>;
  readonly "x-expected"?: string;
}

/** Names that fit into a cell of a table; more of them are listed after the table. */
const VALUES_MAX = 12;

/** The page with every field of a scenario file, made from the schema that editors complete it with. */
export async function scenarioReference(schemaText: string): Promise<string> {
  const schema = JSON.parse(schemaText) as Schema;
  const { $defs = {} } = schema;
  const objects = Object.entries($defs).filter(([, { properties }]) => properties !== undefined);
  const values = Object.entries($defs).filter(([, { properties }]) => properties === undefined);
  const text = [
    "# Scenario files: reference",
    "<!-- Generated from schemas/source/scenario.schema.json by `npm run generate`. -->",
    "This page is the reference of scenario files: every field, step and value. One command runs a file: `sandbank run FILE`. [scenarios.md](scenarios.md) explains the language with examples. If the first line of a file names the schema, editors complete and check the fields.",
    "## The file",
    schema.description ?? "",
    fieldsOf(schema, $defs),
    ...objects.flatMap(([name, one]) => [
      `## ${titleOf(name, one)}`,
      one.description ?? "",
      fieldsOf(one, $defs),
    ]),
    "## Simple values",
    ...values.flatMap(([name, one]) => [
      `### ${titleOf(name, one)}`,
      [one.description, `${capitalized(typeOf(one, $defs))}.`, exampleOf(one)].filter(Boolean).join(" "),
      ...detailsOf(titleOf(name, one).toLowerCase(), one, $defs),
    ]),
  ].join("\n\n");
  return format(text, { parser: "markdown" });
}

function fieldsOf(
  { properties = {}, required = [] }: Schema,
  defs: Readonly<Record<string, Schema>>,
): string {
  const rows = Object.entries(properties).map(([name, schema]) => {
    const { description } = schema.$ref === undefined ? schema : { ...defined(schema.$ref, defs), ...schema };
    const need = required.includes(name) ? " **Required.**" : "";
    const words = `${description ?? ""}${need} ${exampleOf(schema)}`.trim();
    return `| \`${name}\` | ${cell(typeOf(schema, defs))} | ${cell(words)} |`;
  });
  const rest = Object.entries(properties).flatMap(([name, schema]) => detailsOf(name, schema, defs));
  return [["| field | value | |", "| --- | --- | --- |", ...rows].join("\n"), ...rest].join("\n\n");
}

/** What of a field has no place in its row: a long list of names, the fields of an object. */
function detailsOf(name: string, schema: Schema, defs: Readonly<Record<string, Schema>>): readonly string[] {
  const names: readonly unknown[] = schema.enum ?? Object.keys(schema.properties ?? {});
  if (names.length > VALUES_MAX)
    return [`Names for \`${name}\`: ${[...new Set(names.map(code))].join(", ")}.`];
  if (schema.properties !== undefined) return [`Fields of \`${name}\`:`, fieldsOf(schema, defs)];
  const { anyOf = [], oneOf = [], items, then, else: otherwise, additionalProperties } = schema;
  const further = [items, otherwise, then, additionalProperties].filter((one) => typeof one === "object");
  return [...anyOf, ...oneOf, ...further].flatMap((one) => detailsOf(name, one, defs));
}

/** What a value of the schema is, in words and with links to what is described elsewhere. */
function typeOf(schema: Schema, defs: Readonly<Record<string, Schema>>): string {
  const { $ref, enum: values, type, items, additionalProperties } = schema;
  if ($ref !== undefined) {
    const title = titleOf(nameIn($ref), defined($ref, defs));
    return `[${title.toLowerCase()}](#${title.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-")})`;
  }
  if (schema.const !== undefined) return code(schema.const);
  if (values !== undefined)
    return values.length > VALUES_MAX ? `one of ${values.length} names below` : values.map(code).join(", ");
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined && type === undefined)
    return [...new Set(choices.map((choice) => typeOf(choice, defs)))].join(" or ");
  if (type === "array") return items === undefined ? "a list" : `a list of: ${typeOf(items, defs)}`;
  if (type === "object" && typeof additionalProperties === "object")
    return `an object of: ${typeOf(additionalProperties, defs)}`;
  if (schema.properties !== undefined || schema.then !== undefined) return "an object with the fields below";
  if (schema["x-expected"] !== undefined) return schema["x-expected"];
  if (Array.isArray(type)) return type.map((one: string) => typeOf({ type: one }, defs)).join(" or ");
  const names: Readonly<Record<string, string>> = {
    object: "an object",
    string: "a text",
    integer: "a whole number",
  };
  return type === undefined ? "any value" : (names[String(type)] ?? `a ${String(type)}`);
}

function exampleOf({ examples = [] }: Schema): string {
  return examples.length === 0 ? "" : `Example: ${code(examples[0])}.`;
}

function code(value: unknown): string {
  return `\`${typeof value === "string" ? value : JSON.stringify(value)}\``;
}

function titleOf(name: string, { title }: Schema): string {
  if (name.endsWith("Step")) return `Step: ${title}`;
  return title ?? capitalized(name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`));
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function nameIn(reference: string): string {
  return reference.slice(reference.lastIndexOf("/") + 1);
}

function defined(reference: string, defs: Readonly<Record<string, Schema>>): Schema {
  return defs[nameIn(reference)] ?? {};
}

/** A text in a cell of a table. */
function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("\n", " ");
}
