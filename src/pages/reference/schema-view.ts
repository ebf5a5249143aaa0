import { html } from "hono/html";
import type { Schema } from "../../simulator/api/schemas.ts";
import { assumptionMark, type Markup, prose } from "./markup.ts";
import { nameIn, openApi } from "./document.ts";
import { listed } from "../../simulator/engine/suggestion.ts";
import { NOT_BLANK } from "../../simulator/api/schema-errors.ts";

/** A schema for a page, with its references resolved. */
export interface Shape {
  /** The schema itself, without its fields. */
  readonly schema: Schema;
  readonly fields: readonly Field[];
  /** The conditions between its fields, in sentences. */
  readonly rules: readonly string[];
}

/** One field of a shape. */
export interface Field {
  readonly name: string;
  readonly required: boolean;
  readonly shape: Shape;
}

/** Returns the shape of a schema, all the way down. The document's schemas do not contain themselves. */
export function shapeOf(schema: Schema): Shape {
  const whole = composed(schema);
  const required = new Set(whole.required ?? []);
  const fields = Object.entries(whole.properties ?? {}).map(([name, property]): Field => ({
    name,
    required: required.has(name),
    shape: shapeOf(property),
  }));
  const items = whole.items && shapeOf(whole.items);
  return {
    schema: { ...whole, ...(items && { items: items.schema }) },
    fields: items?.fields.length ? items.fields : fields,
    rules: [...rulesOf(whole), ...(items?.rules ?? [])],
  };
}

/** Merges the schema with the schema of its reference. The schema itself takes precedence. */
function composed({ $ref, ...own }: Schema): Schema {
  return $ref === undefined ? own : { ...composed(openApi().components.schemas[nameIn($ref)] ?? {}), ...own };
}

/** Returns the requirements on a schema's fields together, in sentences: its conditions and its choices. */
export function rulesOf(schema: Schema): string[] {
  const dependent = Object.values(schema.dependentSchemas ?? {}).flatMap(({ allOf = [] }) => allOf);
  return [...choices(schema), ...[schema, ...dependent].flatMap(conditions)];
}

function choices({ oneOf, anyOf }: Schema): string[] {
  const [one, any] = [requiredOf(oneOf), requiredOf(anyOf)];
  return [
    ...(one.length > 0 ? [`Takes exactly one of ${listed(one, "and")}.`] : []),
    ...(any.length > 0 ? [`Takes at least one of ${listed(any, "and")}.`] : []),
  ];
}

function requiredOf(alternatives: readonly Schema[] = []): string[] {
  return alternatives.flatMap(({ required = [] }) => required);
}

function conditions({ then, else: otherwise }: Schema): string[] {
  return [then, otherwise].flatMap((part) => (part === undefined ? [] : requirementsOf(part)));
}

/** Returns the requirements of one branch of a condition. Its `x-rule` continues the name of each field concerned. */
function requirementsOf(part: Schema, place = ""): string[] {
  const rule = part["x-rule"];
  const own = rule === undefined ? [] : (part.required ?? []).map((name) => `${place}${name} ${rule}.`);
  const inner = Object.entries(part.properties ?? {}).flatMap(([name, property]) => [
    ...(property.not === undefined ? [] : [`${place}${name} ${property["x-rule"]}.`]),
    ...choices(property).map((sentence) => `Then ${place}${name} ${lowered(sentence)}`),
    ...requirementsOf(property, `${place}${name}.`),
  ]);
  return [...own, ...inner];
}

function lowered(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1);
}

/**
 * Shows the fields of a shape. The fields inside them are unfolded below. Each has an anchor: `place` and the way to
 * it.
 */
export function fieldsView(shape: Shape, place: string): Markup {
  return html`${rulesView(shape.rules)}
    <ul class="fields">
      ${shape.fields.map((field) => fieldView(field, place))}
    </ul>`;
}

function rulesView(rules: readonly string[]): Markup | "" {
  if (rules.length === 0) return "";
  return html`<ul class="plain need">
    ${rules.map((rule) => html`<li>${rule}</li>`)}
  </ul>`;
}

function fieldView({ name, required, shape }: Field, place: string): Markup {
  const id = `${place}.${name}`;
  return html`<li id="${id}">
    ${line({ id, name, required, schema: shape.schema })}
    ${
      shape.fields.length > 0 &&
      html`<details class="inset" open>
        <summary>fields of ${name}</summary>
        ${fieldsView(shape, id)}
      </details>`
    }
  </li>`;
}

type Line = Pick<Field, "name" | "required"> & {
  readonly id: string;
  readonly schema: Shape["schema"];
  readonly assumption?: string | undefined;
};

/** Shows one field or parameter: name, type, if it is required, its meaning and its limits. */
export function line({ id, name, required, schema, assumption = schema["x-assumption"] }: Line): Markup {
  const limits = limitWords(schema);
  const pattern = patternOf(schema);
  const choices = choicesOf(schema);
  return html`<div class="line">
      <a class="name" href="#${id}">${name}</a>
      <span class="soft small">${typeWords(schema)}</span>
      ${required && html`<span class="required">required</span>`} ${assumptionMark(assumption)}
    </div>
    ${schema.description !== undefined && html`<p>${prose(schema.description)}</p>`}
    ${
      choices.length > 0
        ? html`<p class="flow choices">${choices.map((choice) => html`<code>${choice}</code> `)}</p>`
        : ""
    }
    ${
      limits.length > 0 || pattern !== undefined
        ? html`<p class="soft small">
            ${limits.join(" · ")} ${pattern !== undefined && html`<code>${pattern}</code>`}
          </p>`
        : ""
    }`;
}

/** Describes the type of a value in a few words: `string · uuid`, `array of objects`, `string or number`. */
export function typeWords(schema: Schema): string {
  const { format, contentMediaType, contentEncoding, items } = schema;
  if (items !== undefined) return `array of ${plural(typeWords(items))}${orNull(schema)}`;
  const types = schema.type ?? (schema.anyOf ?? []).flatMap(({ type = [] }) => type);
  const kinds = [types].flat().filter((kind) => kind !== "null");
  const words = kinds.length > 0 ? kinds.join(" or ") : "any";
  const form = format ?? (contentMediaType && `${contentMediaType}, ${contentEncoding}`);
  return `${words}${form === undefined ? "" : ` · ${form}`}${orNull(schema)}`;
}

function orNull({ type }: Schema): string {
  return Array.isArray(type) && type.includes("null") ? " or null" : "";
}

function plural(words: string): string {
  return words.replace(/^\w+/, (word) => `${word}s`);
}

/** Returns the limits of a value, each in its own words. */
export function limitWords(schema: Schema): string[] {
  const { minimum, maximum, exclusiveMinimum, default: standard, writeOnly } = schema;
  return [
    ...(schema["x-expected"] === undefined ? [] : [schema["x-expected"]]),
    ...span(schema.minLength, schema.maxLength, "characters"),
    ...(schema.pattern === NOT_BLANK ? ["not blank"] : []),
    ...span(schema.minItems, schema.maxItems, "items"),
    ...(exclusiveMinimum === undefined ? [] : [`greater than ${exclusiveMinimum}`]),
    ...span(minimum, maximum, ""),
    ...(standard === undefined ? [] : [`default ${JSON.stringify(standard)}`]),
    ...(writeOnly === true ? ["never returned"] : []),
  ];
}

/** Returns the pattern of a value, if no words describe it. */
export function patternOf({ pattern }: Schema): string | undefined {
  return pattern === NOT_BLANK ? undefined : pattern;
}

function span(min: number | undefined, max: number | undefined, of: string): string[] {
  const words = of === "" ? "" : ` ${of}`;
  if (min !== undefined && max !== undefined) return [`${min} to ${max}${words}`];
  if (max !== undefined) return [`at most ${max}${words}`];
  return min === undefined ? [] : [`at least ${min}${words}`];
}

/** Returns the allowed values of a field. Empty without a limit. */
export function choicesOf({ enum: values, const: only, items }: Schema): readonly string[] {
  const choices = values ?? (only === undefined ? (items?.enum ?? []) : [only]);
  return choices.map(String);
}
