import type { SchemaObject } from "./document.ts";
import { NOT_BLANK } from "../../api/schema-errors.ts";

/** What a value is, in a few words: `string · uuid`, `array of objects`, `string or number`. */
export function typeWords(schema: SchemaObject): string {
  const { format, contentMediaType, contentEncoding, items } = schema;
  if (items !== undefined) return `array of ${plural(typeWords(items))}${orNull(schema)}`;
  const kinds = [schema.type ?? []].flat().filter((kind) => kind !== "null");
  const words = kinds.length > 0 ? kinds.join(" or ") : "any";
  const form = format ?? (contentMediaType && `${contentMediaType}, ${contentEncoding}`);
  return `${words}${form === undefined ? "" : ` · ${form}`}${orNull(schema)}`;
}

function orNull({ type }: SchemaObject): string {
  return Array.isArray(type) && type.includes("null") ? " or null" : "";
}

function plural(words: string): string {
  return words.replace(/^\w+/, (word) => `${word}s`);
}

/** The limits of a value, each in words of its own. */
export function limitWords(schema: SchemaObject): string[] {
  const { minimum, maximum, exclusiveMinimum, default: standard, writeOnly } = schema;
  return [
    ...(schema["x-expected"] === undefined ? [] : [schema["x-expected"]]),
    ...span(schema.minLength, schema.maxLength, "characters"),
    ...(schema.pattern === NOT_BLANK ? ["not blank"] : []),
    ...span(schema.minItems, schema.maxItems, "items"),
    ...(exclusiveMinimum === undefined ? [] : [`greater than ${exclusiveMinimum}`]),
    ...span(minimum, maximum, ""),
    ...(standard === undefined ? [] : [`${JSON.stringify(standard)} unless given`]),
    ...(writeOnly === true ? ["never given back"] : []),
  ];
}

/** The pattern of a value, where no words say the same. */
export function patternOf({ pattern }: SchemaObject): string | undefined {
  return pattern === NOT_BLANK ? undefined : pattern;
}

function span(min: number | undefined, max: number | undefined, of: string): string[] {
  const words = of === "" ? "" : ` ${of}`;
  if (min !== undefined && max !== undefined) return [`${min} to ${max}${words}`];
  if (max !== undefined) return [`at most ${max}${words}`];
  return min === undefined ? [] : [`at least ${min}${words}`];
}

/** The values a field is limited to; empty where it is not. */
export function choicesOf({ enum: values, const: only, items }: SchemaObject): readonly string[] {
  const choices = values ?? (only === undefined ? (items?.enum ?? []) : [only]);
  return choices.map(String);
}
