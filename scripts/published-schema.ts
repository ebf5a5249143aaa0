import { isRecord } from "../src/simulator/engine/json.ts";

type Source = Readonly<Record<string, unknown>>;

/** The formats that only the checks of the sandbox know: a time with its offset, and a duration with fractions. */
const OWN_FORMATS: ReadonlySet<unknown> = new Set(["instant", "duration"]);

/** The pattern of a duration. It is short, because editors show it for a wrong value. */
export const DURATION_PATTERN = "^P[0-9YMWDTHS.,]+$";

/** The words for error messages, assumptions and rules. JSON Schema does not know them. */
const OWN_WORDS = /^x-/;

/** The keywords that apply to values of one type, by that type. */
const KEYWORDS: Readonly<Record<string, readonly string[]>> = {
  string: ["pattern", "format", "minLength", "maxLength", "contentEncoding", "contentMediaType"],
  number: ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
  array: ["items", "prefixItems", "minItems", "maxItems", "uniqueItems", "contains", "unevaluatedItems"],
  object: [
    "properties",
    "required",
    "additionalProperties",
    "unevaluatedProperties",
    "patternProperties",
    "propertyNames",
    "minProperties",
    "maxProperties",
    "dependentRequired",
    "dependentSchemas",
  ],
};

/** The keywords whose values are schemas by names. */
const NAMED = new Set(["properties", "patternProperties", "$defs", "dependentSchemas"]);

/** The keywords whose values are data, and not schemas. */
const DATA = new Set(["examples", "default", "const", "enum", "required", "dependentRequired", "type"]);

/**
 * Returns a schema as validators and editors of others get it: without the words of this project, and in the strict mode
 * of ajv, in which each schema has one type and names the fields that it requires.
 */
export function publishedSchema(schema: unknown): object {
  return published(schema, []) as object;
}

/** `types` are the types of the same value that a schema around this part requires. */
function published(schema: unknown, types: readonly string[]): unknown {
  if (!isRecord(schema)) return schema;
  const { markdownDescription, ...own } = schema;
  const kept = Object.entries(own).filter(
    ([word, value]) => !OWN_WORDS.test(word) && !(word === "format" && OWN_FORMATS.has(value)),
  );
  const plain: Source = {
    ...Object.fromEntries(kept),
    ...(markdownDescription !== undefined && { description: markdownDescription }),
    ...(schema["format"] === "duration" && { pattern: DURATION_PATTERN }),
  };
  return inner(withType(withAlternatives(withFields(plain)), types), types);
}

/** Publishes the schemas inside of a schema. */
function inner(schema: Source, around: readonly string[]): Source {
  const here = typesOf(schema) ?? around;
  return Object.fromEntries(
    Object.entries(schema).map(([word, value]) => {
      if (DATA.has(word)) return [word, value];
      if (NAMED.has(word) && isRecord(value))
        return [
          word,
          Object.fromEntries(
            Object.entries(value).map(([name, one]) => [
              name,
              published(one, word === "dependentSchemas" ? here : []),
            ]),
          ),
        ];
      const isSameValue = ["allOf", "anyOf", "oneOf", "if", "then", "else", "not"].includes(word);
      const context = isSameValue ? here : [];
      return [
        word,
        Array.isArray(value) ? value.map((one) => published(one, context)) : published(value, context),
      ];
    }),
  );
}

function typesOf({ type }: Source): string[] | undefined {
  return type === undefined ? undefined : ([type].flat() as string[]);
}

/** Names the required fields that the schema around this part describes. */
function withFields(schema: Source): Source {
  const { required, properties } = schema;
  if (!Array.isArray(required)) return schema;
  const described = isRecord(properties) ? properties : {};
  const missing = (required as string[]).filter((name) => described[name] === undefined);
  if (missing.length === 0) return schema;
  return {
    ...schema,
    properties: { ...described, ...Object.fromEntries(missing.map((name) => [name, true])) },
  };
}

/** Writes several types as alternatives, each with the keywords of its type. */
function withAlternatives(schema: Source): Source {
  const types = typesOf(schema);
  if (types === undefined || !Array.isArray(schema["type"])) return schema;
  const { type: _, ...rest } = schema;
  const own = (type: string): readonly string[] => KEYWORDS[keyOf(type)] ?? [];
  const all = new Set(types.flatMap(own));
  const anyOf = types.map((type) => ({
    type,
    ...Object.fromEntries(Object.entries(rest).filter(([word]) => own(type).includes(word))),
  }));
  const shared = Object.fromEntries(Object.entries(rest).filter(([word]) => !all.has(word)));
  if (shared["anyOf"] === undefined) return { ...shared, anyOf };
  return { ...shared, allOf: [...((shared["allOf"] as unknown[] | undefined) ?? []), { anyOf }] };
}

/** Applies keywords of one type only to values of this type, if no schema around them names the type. */
function withType(schema: Source, around: readonly string[]): Source {
  if (schema["type"] !== undefined) return schema;
  const isOf = (type: string, word: string): boolean => KEYWORDS[type]?.includes(word) === true;
  const used = Object.keys(KEYWORDS).filter(
    (type) => !around.map(keyOf).includes(type) && Object.keys(schema).some((word) => isOf(type, word)),
  );
  if (used.length === 0) return schema;
  const parts = used.map((type) => ({
    if: { type },
    // oxlint-disable-next-line unicorn/no-thenable -- `then` is a keyword of JSON Schema
    then: { type, ...Object.fromEntries(Object.entries(schema).filter(([word]) => isOf(type, word))) },
  }));
  const rest = Object.entries(schema).filter(([word]) => !used.some((type) => isOf(type, word)));
  const allOf = [...((schema["allOf"] as unknown[] | undefined) ?? []), ...parts];
  return { ...Object.fromEntries(rest), allOf };
}

function keyOf(type: string): string {
  return type === "integer" ? "number" : type;
}
