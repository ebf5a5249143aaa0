import type { ErrorObject } from "ajv/dist/2020.js";
import { foundKind, foundValue } from "./found-value.ts";
import { listed } from "../engine/suggestion.ts";
import type { Schema } from "./schemas.ts";

/** A problem that a schema finds, in words that the callers complete to sentences. */
export interface SchemaProblem {
  /** The path from the checked value to the field. Empty for the value itself. */
  readonly path: readonly string[];
  /** True if the name of the field is wrong, not its value. */
  readonly isAboutKey?: boolean;
  readonly issue: "REQUIRED" | "NOT_ALLOWED" | "INVALID" | "MUTUALLY_EXCLUSIVE";
  /** The words after the name of the field: `must be a whole number`. */
  readonly expected: string;
  /**
   * The found value, safe to show: short, with card numbers masked. Undefined for secrets, and if the value would not
   * help.
   */
  readonly found?: string | undefined;
  /** An unknown word, and the known words. */
  readonly unknownWord?: { readonly written: string; readonly known: readonly string[] };
}

interface ExplainOptions {
  /**
   * How to explain a value that fits no alternative. `whole` names the common properties of equal
   * alternatives. `nearest` explains the closest alternative. The default is `whole`.
   */
  readonly alternatives?: "whole" | "nearest";
  /** Returns true for errors that do not help the reader. */
  readonly isIgnored?: (error: ErrorObject) => boolean;
}

/** Errors of one check that are explained. */
const ERRORS_MAX = 1_000;

/** Explains the errors of an ajv check (`allErrors`, `verbose`): one problem per field, the most useful one. */
export function explainErrors(
  errors: readonly ErrorObject[],
  { alternatives = "whole", isIgnored = () => false }: ExplainOptions = {},
): SchemaProblem[] {
  const whole = alternatives === "whole";
  const relevant = errors
    .slice(0, ERRORS_MAX)
    .filter((error) => !isIgnored(error) && (whole ? !isInAlternative(error) : !WRAPPERS.has(error.keyword)));
  const further = whole ? undefined : furtherThan(relevant);
  const chosen = new Map<string, { readonly rank: number; readonly problem: SchemaProblem }>();
  for (const error of relevant) {
    if (further?.(error)) continue;
    const rank = rankOf(error);
    for (const problem of problemsOf(error)) {
      const field = JSON.stringify(problem.path);
      const known = chosen.get(field);
      if (!known || rank < known.rank) chosen.set(field, { rank, problem });
    }
  }
  return Array.from(chosen.values(), ({ problem }) => problem);
}

/** Returns the name of a field for messages, such as `transactions[0].amount`. */
export function fieldName(path: readonly string[]): string {
  return path.reduce(
    (name, key) => (/^\d+$/.test(key) ? `${name}[${key}]` : name === "" ? key : `${name}.${key}`),
    "",
  );
}

/** Returns a sentence about a field: `companies[0].name must be a text`, or `companies[0].id: The id is there twice`. */
export function aboutField(path: readonly string[], message: string): string {
  return `${fieldName(path)}${/^[a-z]/.test(message) ? "" : ":"} ${message}`;
}

/** The keywords, the most helpful one first. Keywords that are not in the list come last. */
const RANKS = [
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

/** Keywords whose error only means that a part below them failed. That part has its own error. */
const WRAPPERS = new Set(["anyOf", "oneOf", "allOf", "if", "propertyNames"]);

function isInAlternative({ schemaPath }: ErrorObject): boolean {
  return /\/(?:anyOf|oneOf)\/\d/.test(schemaPath);
}

/**
 * Returns the rank of an error among alternatives. A wrong word explains most. A wrong type explains least, because
 * that alternative was not intended.
 */
function rankOf(error: ErrorObject): number {
  if (isMismatch(error)) return RANKS.length + (error.keyword === "type" ? 2 : 1);
  if (isInAlternative(error) && error.keyword === "enum") return -1;
  const rank = RANKS.indexOf(error.keyword);
  return rank === -1 ? RANKS.length : rank;
}

/** Returns true if an alternative does not fit, because the value has another type. */
function isMismatch(error: ErrorObject): boolean {
  if (!isInAlternative(error)) return false;
  return error.keyword === "type" || (error.keyword === "enum" && typeof error.data !== "string");
}

/** Returns a test for errors of alternatives that accept the type of the value and fail for another reason. */
function furtherThan(errors: readonly ErrorObject[]): (error: ErrorObject) => boolean {
  const reached = new Set<string>();
  const passed = new Set<string>();
  for (const error of errors) {
    if (!isMismatch(error)) reached.add(error.instancePath);
    let path = error.instancePath;
    while (path !== "") {
      path = path.slice(0, path.lastIndexOf("/"));
      if (passed.has(path)) break;
      passed.add(path);
    }
  }
  return (error) => isMismatch(error) && (reached.has(error.instancePath) || passed.has(error.instancePath));
}

function problemsOf(error: ErrorObject): SchemaProblem[] {
  const path = error.instancePath
    .split("/")
    .slice(1)
    .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
  const schema = (error.parentSchema ?? {}) as Schema;
  if (error.propertyName !== undefined) return [wrongName(path, error, schema)];
  switch (error.keyword) {
    case "if":
      return [];
    case "required":
    case "dependentRequired": {
      const { missingProperty, property } = error.params as Record<string, string>;
      const byDefault = property === undefined ? "is required" : `is required together with ${property}`;
      const missing = [...path, missingProperty ?? ""];
      return [{ path: missing, issue: "REQUIRED", expected: schema["x-rule"] ?? byDefault }];
    }
    case "additionalProperties":
    case "unevaluatedProperties": {
      const extra = String(error.params["unevaluatedProperty"] ?? error.params["additionalProperty"]);
      const known = error.keyword === "additionalProperties" ? Object.keys(schema.properties ?? {}) : [];
      return [unknownKey([...path, extra], known)];
    }
    case "false schema":
      return [unknownKey(path, [])];
    case "not":
      return [{ path, issue: "NOT_ALLOWED", expected: schema["x-rule"] ?? "must be left out" }];
    case "oneOf":
    case "anyOf": {
      const names = (error.schema as readonly Schema[]).flatMap((branch) => branch.required ?? []);
      return names.length > 0
        ? choiceProblems(error.keyword, names, error.data, path)
        : [invalid(path, error)];
    }
    default:
      return [invalid(path, error)];
  }
}

function unknownKey(path: readonly string[], known: readonly string[]): SchemaProblem {
  const unknownWord = { written: path.at(-1) ?? "", known };
  return { path, isAboutKey: true, issue: "NOT_ALLOWED", expected: "is not known here", unknownWord };
}

function wrongName(path: readonly string[], error: ErrorObject, schema: Schema): SchemaProblem {
  const expected = `must be ${schema["x-expected"] ?? "a name that is allowed here"}`;
  return { path: [...path, error.propertyName ?? ""], isAboutKey: true, issue: "NOT_ALLOWED", expected };
}

/** Returns the fields to choose from, if the alternatives differ only in one required field. */
function choiceProblems(
  keyword: "oneOf" | "anyOf",
  names: readonly string[],
  data: unknown,
  path: readonly string[],
): SchemaProblem[] {
  if (typeof data !== "object" || data === null || Array.isArray(data)) return [];
  const present = names.filter((name) => Object.hasOwn(data, name));
  if (present.length === 0) {
    const quantity = keyword === "oneOf" ? "exactly one" : "at least one";
    const expected = `must have ${quantity} of ${names.join(", ")}`;
    return [{ path, issue: "REQUIRED", expected, found: "none of them" }];
  }
  return present.map((name) => ({
    path: [...path, name],
    issue: "MUTUALLY_EXCLUSIVE",
    expected: `cannot be combined with ${listed(
      present.filter((other) => other !== name),
      "and",
    )}: exactly one of ${names.join(", ")} is allowed`,
  }));
}

function invalid(path: readonly string[], error: ErrorObject): SchemaProblem {
  const schema = (error.parentSchema ?? {}) as Schema;
  const expected =
    schema["x-expected"] === undefined ? expectationOf(error) : `must be ${schema["x-expected"]}`;
  const found = foundIn(error, schema);
  return {
    path,
    issue: "INVALID",
    expected,
    found,
    ...(isUnknownWord(error) && found !== undefined && { unknownWord: wordsOf(error) }),
  };
}

function foundIn(error: ErrorObject, { type, writeOnly: isSecret = false }: Schema): string | undefined {
  if (error.keyword === "type") {
    const isStructure = type === "object" || type === "array";
    return isSecret || isStructure ? foundKind(error.data) : foundValue(error.data);
  }
  if (isSecret) return undefined;
  if (error.keyword === "maxLength") return `${Array.from(String(error.data)).length} characters`;
  if (error.keyword === "minItems" || error.keyword === "maxItems") {
    const { length } = error.data as readonly unknown[];
    return length === 0 ? undefined : String(length);
  }
  if (error.keyword === "minProperties" || error.keyword === "maxProperties") {
    const names = Object.keys(error.data as object);
    return names.length === 0 ? undefined : listed(names, "and");
  }
  return foundValue(error.data);
}

function isUnknownWord({ keyword, data }: ErrorObject): boolean {
  return keyword === "enum" && typeof data === "string";
}

function wordsOf({ data, schema }: ErrorObject): Required<SchemaProblem>["unknownWord"] {
  const known = (schema as readonly unknown[]).filter((value) => typeof value === "string");
  return { written: String(data), known };
}

const FORMATS: Readonly<Record<string, string>> = {
  date: "a date of the calendar as YYYY-MM-DD",
  "date-time": "an RFC 3339 timestamp such as 2026-11-20T12:00:00Z",
  email: "an e-mail address",
  uri: "an absolute URL",
  uuid: "a UUID",
};

/** The pattern of a text that is not blank; it matches the whole text, as pacts require. */
export const NOT_BLANK = String.raw`^\s*\S[\s\S]*$`;

/** The pattern of a text without the null character, which no database stores. */
export const NO_NULL_CHARACTER = String.raw`^[^\0]*$`;

const PATTERNS: Readonly<Record<string, string>> = {
  [NOT_BLANK]: "must not be blank",
  [NO_NULL_CHARACTER]: "must not contain the null character",
};

/** The expectation of a keyword, with the limit that it names. */
const EXPECTATIONS: Readonly<Record<string, (error: ErrorObject, limit: string) => string>> = {
  type: ({ schema }) =>
    `must be ${listed([schema].flat().map((type) => TYPES[String(type)] ?? String(type)))}`,
  enum: ({ schema }) => {
    const values = (schema as readonly unknown[]).map(String);
    return `must be ${values.length === 1 ? "" : "one of "}${values.join(", ")}`;
  },
  const: ({ schema }) => `must be ${JSON.stringify(schema)}`,
  format: ({ schema }) => `must be ${FORMATS[String(schema)] ?? String(schema)}`,
  pattern: ({ schema, message }) => PATTERNS[String(schema)] ?? message ?? "is not valid",
  minLength: (_, limit) => (limit === "1" ? "must not be empty" : `must have at least ${limit} characters`),
  maxLength: (_, limit) => `must have at most ${limit} characters`,
  minimum: (_, limit) => `must be at least ${limit}`,
  maximum: (_, limit) => `must be at most ${limit}`,
  exclusiveMinimum: (_, limit) => `must be greater than ${limit}`,
  minItems: (error, limit) => (limit === "1" ? "must not be empty" : itemsExpected(error, limit)),
  maxItems: itemsExpected,
  minProperties: propertiesExpected,
  maxProperties: propertiesExpected,
};

function expectationOf(error: ErrorObject): string {
  const expected = EXPECTATIONS[error.keyword]?.(error, String(error.params["limit"]));
  return expected ?? error.message ?? "is not valid";
}

function itemsExpected(error: ErrorObject, limit: string): string {
  return `must have ${quantityOf(error)} ${limit} ${limit === "1" ? "item" : "items"}`;
}

function propertiesExpected(error: ErrorObject, limit: string): string {
  const names = Object.keys((error.parentSchema as Schema).properties ?? {});
  if (names.length === 0) return "must not be empty";
  return `must have ${quantityOf(error)} ${limit === "1" ? "one" : limit} of ${names.join(", ")}`;
}

/** Returns `exactly` if the schema's minimum and maximum are the same. */
function quantityOf({ keyword, parentSchema, params }: ErrorObject): string {
  const other = keyword.startsWith("min") ? keyword.replace("min", "max") : keyword.replace("max", "min");
  if ((parentSchema as Record<string, unknown>)[other] === params["limit"]) return "exactly";
  return keyword.startsWith("min") ? "at least" : "at most";
}

const TYPES: Readonly<Record<string, string>> = {
  array: "an array",
  boolean: "true or false",
  integer: "a whole number",
  null: "null",
  number: "a number",
  object: "an object",
  string: "a string",
};
