import { isRecord } from "../engine/json.ts";
import type { Json } from "./openapi-schemas.ts";

/**
 * Returns a document of OpenAPI 3.1 as one of 3.0, for tools that know only that version. 3.0 has no webhooks and fewer
 * keywords of schemas. Its schemas accept more, because conditions are left out.
 */
export function asVersion30(document: Json): Json {
  const { webhooks, info, components, paths, ...rest } = document as {
    readonly info: Json;
    readonly components: { readonly schemas: Readonly<Record<string, Json>> };
  } & Json;
  const { summary: _summary, license: _license, ...about } = info;
  const { schemas, ...others } = components;
  return {
    ...rest,
    openapi: "3.0.3",
    info: { ...about, license: { name: "MIT", url: "https://opensource.org/license/mit" } },
    paths: converted(paths),
    components: { schemas: mapped(schemas, schemaOf), ...(converted(others) as Json) },
    ...(webhooks !== undefined && { "x-webhooks": converted(webhooks) }),
  };
}

/** Converts every schema below a part that is not a schema. */
function converted(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(converted);
  if (!isRecord(part)) return part;
  return mapped(part, (value, key) => {
    if (key === "schema") return schemaOf(value);
    return key === "example" || key === "examples" ? value : converted(value);
  });
}

function mapped(record: Json, change: (value: unknown, key: string) => unknown): Json {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value, key)]));
}

/** Keywords that 3.0 does not have. They only make a schema stricter. */
const LEFT_OUT = new Set([
  "if",
  "then",
  "else",
  "const",
  "contains",
  "contentEncoding",
  "contentMediaType",
  "dependentRequired",
  "dependentSchemas",
  "examples",
  "type",
  "unevaluatedProperties",
]);

const LISTS = new Set(["allOf", "anyOf", "oneOf"]);

function schemaOf(part: unknown): unknown {
  if (!isRecord(part)) return part;
  const { $ref, ...rest } = part as Json;
  // 3.0 ignores keywords next to a reference.
  if ($ref !== undefined)
    return Object.keys(rest).length === 0 ? { $ref } : { ...(schemaOf(rest) as Json), allOf: [{ $ref }] };
  const { examples, const: constant, exclusiveMinimum: above } = rest;
  const kept = Object.entries(rest).filter(([key]) => !LEFT_OUT.has(key));
  const isOpen = rest["unevaluatedProperties"] === true && rest["additionalProperties"] === undefined;
  const changed: Json = Object.fromEntries(kept.map(([key, value]) => [key, keywordOf(key, value)]));
  return {
    ...typeOf(rest),
    ...withNull(changed),
    ...(isOpen && { additionalProperties: true }),
    ...(constant !== undefined && changed["enum"] === undefined && { enum: [constant] }),
    ...(typeof above === "number" && { minimum: above, exclusiveMinimum: true }),
    ...(Array.isArray(examples) && examples.length > 0 && { example: examples[0] as unknown }),
  };
}

function keywordOf(key: string, value: unknown): unknown {
  if (key === "properties") return mapped(value as Json, schemaOf);
  if (LISTS.has(key)) return (value as unknown[]).map(schemaOf);
  return key === "items" || key === "not" || key === "additionalProperties" ? schemaOf(value) : value;
}

/** Returns the type without null. Several types become alternatives. In 3.0 `nullable` is next to a type. */
function typeOf({ type, items }: Json): Json {
  if (typeof type === "string") return ofType(type, items);
  if (!Array.isArray(type)) return {};
  const types = (type as string[]).filter((one) => one !== "null");
  const nullable = types.length < type.length && { nullable: true };
  const [only = "", ...more] = types.map((one) => ({ ...ofType(one, items), ...nullable }));
  return more.length === 0 ? (only as Json) : { anyOf: [only, ...more] };
}

/** Returns a type. In 3.0 a list must have `items`. */
function ofType(type: string, items: unknown): Json {
  return type === "array" ? { type, items: items === undefined ? {} : schemaOf(items) } : { type };
}

/** The value null in 3.0, as one of several alternatives. */
const NULL = { type: "string", nullable: true, enum: [null] } as const;

/** Returns alternatives with null in the form of 3.0. */
function withNull(schema: Json): Json {
  const key = ["oneOf", "anyOf"].find((one) => isNullIn(schema[one]));
  if (key === undefined) return schema;
  const { [key]: alternatives, ...rest } = schema;
  const others = (alternatives as Json[]).filter(({ type }) => type !== "null");
  const [only] = others;
  const isSimple = others.length === 1 && only?.["type"] !== undefined && only["enum"] === undefined;
  return isSimple ? { ...rest, ...only, nullable: true } : { ...rest, [key]: [...others, NULL] };
}

function isNullIn(alternatives: unknown): boolean {
  return Array.isArray(alternatives) && (alternatives as Json[]).some(({ type }) => type === "null");
}
