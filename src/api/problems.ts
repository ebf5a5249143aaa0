import type { ErrorObject } from "ajv/dist/2020.js";
import { closest, distance } from "fastest-levenshtein";
import type { Problem } from "../engine/refusal.ts";
import { foundKind, foundValue } from "./found-value.ts";
import type { Schema } from "./schemas.ts";

/** What a schema says about a value that it does not accept: one problem per field, the most telling one. */
export function problemsOf(errors: readonly ErrorObject[], root: string): Problem[] {
  const chosen = new Map<string, { readonly rank: number; readonly problem: Problem }>();
  for (const error of errors) {
    if (isInsideAlternative(error)) continue;
    const listed = ranks.indexOf(error.keyword);
    const rank = listed < 0 ? ranks.length : listed;
    for (const problem of explain(error, root)) {
      const known = chosen.get(problem.field);
      if (!known || rank < known.rank) chosen.set(problem.field, { rank, problem });
    }
  }
  return Array.from(chosen.values(), ({ problem }) => inSentences(problem));
}

/** Completes what is said of a field to a sentence that names it. */
function inSentences({ field, issue, description }: Problem): Problem {
  const stop = description.endsWith("?") ? "" : ".";
  return { field, issue, description: `${field} ${description}${stop}` };
}

/** The keywords by how much they tell, the best first; one that is not listed tells least. */
const ranks = [
  "required",
  "not",
  "type",
  "enum",
  "const",
  "minLength",
  "format",
  "pattern",
  "anyOf",
  "oneOf",
  "maxLength",
  "minimum",
  "exclusiveMinimum",
  "maximum",
  "minItems",
  "unevaluatedProperties",
];

/** Why an alternative does not fit says nothing to the caller, who did not mean that alternative. */
function isInsideAlternative(error: ErrorObject): boolean {
  return /\/(?:anyOf|oneOf)\/\d/.test(error.schemaPath);
}

function explain(error: ErrorObject, root: string): Problem[] {
  const field = fieldPath(error.instancePath);
  const at = field === "" ? root : field;
  const schema = (error.parentSchema ?? {}) as Schema;
  switch (error.keyword) {
    case "if":
      return [];
    case "required": {
      const missing = String(error.params["missingProperty"]);
      return [
        { field: joined(field, missing), issue: "REQUIRED", description: schema["x-rule"] ?? "is required" },
      ];
    }
    case "additionalProperties":
    case "unevaluatedProperties": {
      const extra = String(error.params["unevaluatedProperty"] ?? error.params["additionalProperty"]);
      return [
        {
          field: joined(field, extra),
          issue: "NOT_ALLOWED",
          description: "is not a field that is known here",
        },
      ];
    }
    case "not":
      return [{ field: at, issue: "NOT_ALLOWED", description: schema["x-rule"] ?? "must be left out" }];
    case "oneOf":
    case "anyOf": {
      const names = alternatives(error.schema as readonly Schema[]);
      if (names.length > 0) return choice(error.keyword, names, error.data, field, at);
      return [invalid(at, error, schema)];
    }
    default:
      return [invalid(at, error, schema)];
  }
}

/** The fields between which the caller chooses, where that is what the alternatives are about. */
function alternatives(branches: readonly Schema[]): string[] {
  return branches.flatMap((branch) => branch.required ?? []);
}

function choice(
  keyword: "oneOf" | "anyOf",
  names: readonly string[],
  data: unknown,
  field: string,
  at: string,
): Problem[] {
  if (typeof data !== "object" || data === null || Array.isArray(data)) return [];
  const present = names.filter((name) => Object.hasOwn(data, name));
  if (present.length === 0) {
    const quantity = keyword === "oneOf" ? "exactly one" : "at least one";
    return [
      {
        field: at,
        issue: "REQUIRED",
        description: `must have ${quantity} of ${names.join(", ")}; found none of them`,
      },
    ];
  }
  return present.map((name) => ({
    field: joined(field, name),
    issue: "MUTUALLY_EXCLUSIVE",
    description: `must not stand beside ${present.filter((other) => other !== name).join(" and ")}: exactly one of ${names.join(", ")} is allowed`,
  }));
}

function invalid(field: string, error: ErrorObject, schema: Schema): Problem {
  const wanted = schema["x-expected"] === undefined ? expectation(error) : `must be ${schema["x-expected"]}`;
  return { field, issue: "INVALID", description: `${wanted}${found(error, schema)}` };
}

function found(error: ErrorObject, schema: Schema): string {
  const hidden = schema.writeOnly === true;
  if (error.keyword === "type") {
    const structure = schema.type === "object" || schema.type === "array";
    return `; found ${hidden || structure ? foundKind(error.data) : foundValue(error.data)}`;
  }
  if (hidden) return "";
  if (error.keyword === "maxLength") return `; found ${String(error.data).length} characters`;
  if (error.keyword === "enum") return `; found ${foundValue(error.data)}${suggestion(error)}`;
  return `; found ${foundValue(error.data)}`;
}

const formats: Readonly<Record<string, string>> = {
  date: "a date of the calendar as YYYY-MM-DD",
  "date-time": "an RFC 3339 timestamp such as 2026-11-20T12:00:00Z",
  email: "an e-mail address",
  uri: "an absolute URL",
  uuid: "a UUID",
};

/** The pattern of text that says something; it holds for the whole text, as the pacts want it. */
export const NOT_BLANK = String.raw`^\s*\S[\s\S]*$`;

function expectation(error: ErrorObject): string {
  const limit = String(error.params["limit"]);
  switch (error.keyword) {
    case "type":
      return `must be ${typeNames(error.schema as string | readonly string[])}`;
    case "enum": {
      const values = (error.schema as readonly unknown[]).map(String);
      return values.length === 1 ? `must be ${values[0]}` : `must be one of ${values.join(", ")}`;
    }
    case "format":
      return `must be ${formats[String(error.params["format"])] ?? String(error.params["format"])}`;
    case "minLength":
      return limit === "1" ? "must not be empty" : `must have at least ${limit} characters`;
    case "pattern":
      return error.schema === NOT_BLANK ? "must not be blank" : (error.message ?? "is not valid");
    case "maxLength":
      return `must have at most ${limit} characters`;
    case "minimum":
      return `must be at least ${limit}`;
    case "maximum":
      return `must be at most ${limit}`;
    case "exclusiveMinimum":
      return `must be greater than ${limit}`;
    default:
      return error.message ?? "is not valid";
  }
}

const types: Readonly<Record<string, string>> = {
  array: "an array",
  boolean: "true or false",
  integer: "a whole number",
  null: "null",
  number: "a number",
  object: "an object",
  string: "a string",
};

function typeNames(wanted: string | readonly string[]): string {
  return [wanted]
    .flat()
    .map((type) => types[type] ?? type)
    .join(" or ");
}

/** The allowed value that was probably meant: one that a third of its letters at most sets apart. */
function suggestion(error: ErrorObject): string {
  if (typeof error.data !== "string" || error.data.length > 100) return "";
  const written = error.data.toUpperCase();
  const values = (error.schema as readonly unknown[]).filter((value) => typeof value === "string");
  if (values.length < 2) return "";
  const nearest = closest(
    written,
    values.map((value) => value.toUpperCase()),
  );
  const meant = values.find((value) => value.toUpperCase() === nearest);
  return distance(written, nearest) <= Math.max(1, nearest.length / 3) ? `. Did you mean ${meant}?` : "";
}

/** `/transactions/0/amount` as `transactions[0].amount`. */
function fieldPath(pointer: string): string {
  const tokens = pointer.split("/").slice(1);
  return tokens
    .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce((path, token) => (/^\d+$/.test(token) ? `${path}[${token}]` : joined(path, token)), "");
}

function joined(parent: string, name: string): string {
  return parent === "" ? name : `${parent}.${name}`;
}
