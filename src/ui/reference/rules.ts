import type { SchemaObject } from "./document.ts";

/** What a schema demands beyond its fields one by one, in sentences: its conditions and its choices. */
export function rulesOf(schema: SchemaObject): string[] {
  return [...choices(schema), ...[schema, ...(schema.allOf ?? [])].flatMap(conditions)];
}

function choices({ oneOf, anyOf }: SchemaObject): string[] {
  const [one, any] = [requiredOf(oneOf), requiredOf(anyOf)];
  return [
    ...(one.length > 0 ? [`Takes exactly one of ${listed(one, "and")}.`] : []),
    ...(any.length > 0 ? [`Takes at least one of ${listed(any, "and")}.`] : []),
  ];
}

function requiredOf(alternatives: readonly SchemaObject[] = []): string[] {
  return alternatives.flatMap(({ required = [] }) => required);
}

function conditions({ then, else: otherwise }: SchemaObject): string[] {
  return [then, otherwise].flatMap((part) => (part === undefined ? [] : demands(part)));
}

/** What one branch of a condition demands: its `x-rule` continues the name of each field that it is about. */
function demands(part: SchemaObject, place = ""): string[] {
  const rule = part["x-rule"];
  const own = rule === undefined ? [] : (part.required ?? []).map((name) => `${place}${name} ${rule}.`);
  const inner = Object.entries(part.properties ?? {}).flatMap(([name, property]) => [
    ...(property.not === undefined ? [] : [`${place}${name} ${property["x-rule"]}.`]),
    ...choices(property).map((sentence) => `Then ${place}${name} ${lowered(sentence)}`),
    ...demands(property, `${place}${name}.`),
  ]);
  return [...own, ...inner];
}

function lowered(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1);
}

/** Words in a row: "a, b and c". */
export function listed(words: readonly string[], last: "and" | "or"): string {
  if (words.length < 2) return words.join("");
  return `${words.slice(0, -1).join(", ")} ${last} ${words.at(-1)}`;
}
