import type { ShapeName } from "./generated/shapes.ts";
import type { OperationId } from "./vocabulary.ts";
import type { ErrorObject } from "ajv/dist/2020.js";
import { isRecord } from "../engine/json.ts";
import type { Problem } from "../engine/refusal.ts";
import { nearestWords, suggestion } from "../engine/suggestion.ts";
import { foundKind, foundValue } from "./found-value.ts";
import { operations } from "./operations.ts";
import { checkOf, parametersCheckOf, type SchemaSource } from "./schema-compiler.ts";
import { explainErrors, fieldName, type SchemaProblem } from "./schema-errors.ts";
import { definition, referencedName, type Schema } from "./schemas.ts";
import { IDEMPOTENCY_KEY_LENGTH_MAX } from "../platform/idempotency.ts";
import { UUID } from "../engine/uuid.ts";

/**
 * Returns the problems of the parsed body of a request: every wrong field at once, one problem for each. The platform
 * checks the rules that depend on state, on the calendar or on check digits. If the operation takes no body, the body
 * is ignored.
 */
export function bodyProblems(operationId: OperationId, body: unknown): Problem[] {
  const shape = operations[operationId].request;
  if (shape === undefined) return [];
  if (body === undefined) return problem("body", "The body is required. Send a JSON object.", "REQUIRED");
  return isRecord(body)
    ? shapeProblems(shape, body)
    : problem("body", `The body must be a JSON object; found ${foundKind(body)}.`);
}

function problem(field: string, description: string, issue = "INVALID"): Problem[] {
  return [{ field, issue, description }];
}

/** A query as the operation reads it, and its problems. */
export interface CheckedQuery {
  /** The parameters with numbers as numbers and the defaults filled in. */
  readonly value: Readonly<Record<string, unknown>>;
  readonly problems: readonly Problem[];
}

/** Reads the text parameters of a query. An operation without a query ignores all of them. */
export function queryProblems(
  operationId: OperationId,
  query: Readonly<Record<string, string | undefined>>,
): CheckedQuery {
  const shape = operations[operationId].query;
  if (shape === undefined) return { value: {}, problems: [] };
  const unasked = Object.keys(query).length === 0 ? withoutParameters(shape) : undefined;
  if (unasked !== undefined) return unasked;
  const value = Object.fromEntries(Object.entries(query).filter(([, text]) => text !== undefined));
  const oddNumbers = Object.entries(value).flatMap(([name, text]) =>
    oddNumberProblem(shape, name, text ?? ""),
  );
  const check = checkOf(shape, "text");
  if (check(value)) return { value, problems: oddNumbers };
  return { value, problems: withPlusHint(refusalProblems(check.errors ?? [], "query"), value, shape) };
}

/** Adds a hint if an unencoded plus is the reason: a plus in a query means a blank. */
function withPlusHint(problems: Problem[], value: object, shape: ShapeName): Problem[] {
  const written = Object.entries(value as Readonly<Record<string, unknown>>);
  if (!written.some(([, text]) => typeof text === "string" && text.includes(" "))) return problems;
  const meant = written.map(([name, text]) => [
    name,
    typeof text === "string" ? text.replaceAll(" ", "+") : text,
  ]);
  const check = checkOf(shape, "text");
  const errors = check(Object.fromEntries(meant)) ? [] : (check.errors ?? []);
  const still = new Set(refusalProblems(errors, "query").map(({ field }) => field));
  return problems.map((one) =>
    still.has(one.field) ? one : { ...one, description: `${one.description} Write + as %2B.` },
  );
}

/** The parameters of a query that have no effect: names that the operation does not have, and repetitions. */
export interface UnusedParameters {
  readonly unknown: readonly string[];
  readonly repeated: readonly string[];
}

const NO_UNUSED: UnusedParameters = { unknown: [], repeated: [] };

/** Finds the parameters of a query that the operation does not read (assumption: payloads.unknown-fields). */
export function unusedParameters(operationId: OperationId, names: readonly string[]): UnusedParameters {
  if (names.length === 0) return NO_UNUSED;
  const known = knownParameters(operationId);
  const unknown = new Set(names.filter((name) => name !== "" && !known.includes(name)));
  return {
    unknown: Array.from(unknown, shownName),
    repeated: known.filter((name) => names.indexOf(name) !== names.lastIndexOf(name)),
  };
}

/** Returns unused parameters as problems, for the value `strict` of the assumption. */
export function unusedParameterProblems(
  operationId: OperationId,
  { unknown, repeated }: UnusedParameters,
): Problem[] {
  return [
    ...unknown.flatMap((name) => {
      const [meant] = nearestWords(name, knownParameters(operationId));
      const hint = meant === undefined ? "Leave it out." : `Did you mean ${meant}?`;
      return problem(name, `The query parameter ${name} is not known. ${hint}`, "NOT_ALLOWED");
    }),
    ...repeated.flatMap((name) =>
      problem(name, `The query parameter "${name}" is sent more than once. Send it once.`, "NOT_ALLOWED"),
    ),
  ];
}

/** Returns the names of the query parameters of an operation. */
export function knownParameters(operationId: OperationId): readonly string[] {
  const shape = operations[operationId].query;
  return shape === undefined ? [] : Object.keys(definition(shape).schema.properties ?? {});
}

const unaskedQueries = new Map<ShapeName, CheckedQuery | undefined>();

/**
 * Returns the result for a query without parameters, if it requires none: the defaults, which need no check. So a
 * server answers its first lists without loading the compiler of all checks.
 */
function withoutParameters(shape: ShapeName): CheckedQuery | undefined {
  if (!unaskedQueries.has(shape)) {
    const { properties = {}, required = [], allOf } = definition(shape).schema;
    const defaults = Object.entries(properties).map(([name, schema]) => [name, schema.default] as const);
    const value = Object.fromEntries(defaults.filter(([, one]) => one !== undefined));
    const isOpen = required.length === 0 && allOf === undefined;
    unaskedQueries.set(shape, isOpen ? { value: Object.freeze(value), problems: [] } : undefined);
  }
  return unaskedQueries.get(shape);
}

/** Returns the problem of a number in a query that is not written in decimal digits, such as 0x10. */
function oddNumberProblem(shape: ShapeName, name: string, text: string): Problem[] {
  const type = definition(shape).schema.properties?.[name]?.type;
  if ((type !== "integer" && type !== "number") || /^-?\d+(\.\d+)?$/.test(text)) return [];
  return problem(name, `${name} must be written in decimal digits; found "${text.slice(0, 60)}".`);
}

/** Returns the problems of the path parameters of a request, such as an id that is not a UUID. */
export function pathProblems(
  operationId: OperationId,
  parameters: Readonly<Record<string, string>>,
): Problem[] {
  if (Object.keys(operations[operationId].parameters).length === 0) return [];
  const check = parametersCheckOf(operationId);
  return check(parameters) ? [] : refusalProblems(check.errors ?? [], "path");
}

/** Returns the problems of any value that is checked by the shape with this name. Empty if the value is valid. */
export function shapeProblems(shape: ShapeName, value: unknown): Problem[] {
  const check = checkOf(shape);
  return check(value) ? [] : refusalProblems(check.errors ?? [], "body");
}

/** A mistake in a value of a file: the path to the field, and a sentence. */
export interface ShapeMistake {
  readonly path: readonly string[];
  readonly message: string;
}

/** Returns the mistakes of a value of a user's file, with their paths. The closest alternative is explained. */
export function shapeMistakes(shape: ShapeName, value: unknown): ShapeMistake[] {
  const check = checkOf(shape);
  if (check(value)) return [];
  return explainErrors(check.errors ?? [], { alternatives: "nearest" }).map((problem) => ({
    path: problem.path,
    message: refusalProblem(problem, "The file").description,
  }));
}

/** The maximum number of unknown fields with a proposal, because the search for the nearest word is slow. */
const UNKNOWN_NAMED_MAX = 20;

/**
 * Returns the problems of a body or query of the sandbox's own API. Numbers of a query are read from their text. If
 * an unknown field resembles no known field, all known fields are named.
 */
export function controlProblems(shape: ShapeName, value: object, source: SchemaSource = "json"): Problem[] {
  const { properties = {} } = definition(shape).schema;
  const oddNumbers = Object.entries(value).flatMap(([field, text]) =>
    source === "json" || properties[field]?.type !== "integer" || /^\d{1,9}$/.test(String(text))
      ? []
      : problem(field, `${field} must be ${properties[field]["x-expected"]}; found ${foundValue(text)}.`),
  );
  const check = checkOf(shape, source);
  if (check(value)) return oddNumbers;
  const explained = explainErrors(check.errors ?? []);
  const unknown = new Set(explained.filter(({ isAboutKey }) => isAboutKey).slice(0, UNKNOWN_NAMED_MAX));
  const problems = explained
    .filter((one) => !one.isAboutKey || unknown.has(one))
    .filter(({ path }) => oddNumbers.every(({ field }) => field !== path[0]))
    .map((one) => {
      const [field = ""] = one.path;
      return one.isAboutKey && one.path.length === 1
        ? { field: field.slice(0, 100), issue: one.issue, description: unknownField(one) }
        : refusalProblem(one, "body");
    });
  return [...oddNumbers, ...(source === "text" ? withPlusHint(problems, value, shape) : problems)];
}

function unknownField({ path: [field = ""], unknownWord }: SchemaProblem): string {
  const name = field.slice(0, 100);
  return `There is no field ${foundValue(name)} here. ${suggestion(name, unknownWord?.known ?? [], { all: "/docs" })}`;
}

/** Returns the fields of a request body that its shape does not describe, by their dotted paths. */
export function unknownFields(operationId: OperationId, body: unknown): string[] {
  const shape = operations[operationId].request;
  const unknown = shape === undefined ? [] : unknownFieldsOf(shape, body);
  return unknown.map(({ path }) => shownName(fieldName(path.map(String))));
}

/** Returns the errors of a check for a refusal: the field, and a sentence that begins with its name. */
function refusalProblems(errors: readonly ErrorObject[], root: string): Problem[] {
  return explainErrors(errors).map((problem) => refusalProblem(problem, root));
}

function refusalProblem({ path, issue, expected, found, unknownWord }: SchemaProblem, root: string): Problem {
  const field = path.length === 0 ? root : shownName(fieldName(path));
  const [meant] = unknownWord === undefined ? [] : nearestWords(unknownWord.written, unknownWord.known);
  const sentence = `${field} ${expected}${found === undefined ? "" : `; found ${found}`}.`;
  return {
    field,
    issue,
    description: meant === undefined ? sentence : `${sentence} Did you mean ${meant}?`,
  };
}

/** Returns the problems of an idempotency key, if the operation requires a key (assumption: idempotency.format). */
export function idempotencyKeyProblems(kind: "uuid" | "text" | undefined, key: string | null): Problem[] {
  if (kind === undefined || key === null) return [];
  const field = "idempotency-key";
  if (key === "") {
    const advice = "Send a different key with each new request.";
    return problem(field, `The header idempotency-key is required. ${advice}`, "REQUIRED");
  }
  if (key.length > IDEMPOTENCY_KEY_LENGTH_MAX) {
    const most = `The key has at most ${IDEMPOTENCY_KEY_LENGTH_MAX} characters`;
    return problem(field, `${most}; found ${key.length}.`);
  }
  if (kind === "uuid" && !UUID.test(key)) return problem(field, `The key must be a UUID; found "${key}".`);
  return [];
}

/** A field that the shape of its value does not describe. */
interface UnknownField {
  readonly path: readonly (string | number)[];
  /** The fields that are known next to it. */
  readonly known: readonly string[];
}

/** The maximum number of unknown fields to find. */
const UNKNOWN_FIELDS_MAX = 100;

/**
 * Returns the fields of a value that its shape does not describe. They are not errors: the platform ignores them
 * (assumption: payloads.unknown-fields), and a header warns the client.
 */
export function unknownFieldsOf(shape: string, value: unknown): UnknownField[] {
  return fieldsBeyond([shape], value, collect);
}

/**
 * Returns the fields of an expected value that none of the shapes describes, also in the operands of matchers such as
 * `$not`. A field that is expected to be absent may have any name.
 */
export function unknownFieldsExpected(shapes: readonly string[], expected: unknown): UnknownField[] {
  return fieldsBeyond(shapes, expected, collectExpected);
}

function fieldsBeyond(shapes: readonly string[], value: unknown, find: typeof collect): UnknownField[] {
  const shape = shapes.join(" ");
  const unknown: UnknownField[] = [];
  let known = knownFields.get(shape);
  if (known === undefined)
    knownFields.set(shape, (known = knownBy(shapes.map((one) => definition(one).schema))));
  find(known, value, [], unknown);
  return unknown;
}

/** The fields that schemas describe, each with the fields of its value. It is made at its first use. */
interface KnownFields {
  /** Undefined if a list may have any entries. */
  readonly items: (() => KnownFields) | undefined;
  /** Undefined if any field is allowed. */
  readonly fields: ReadonlyMap<string, () => KnownFields> | undefined;
}

const knownFields = new Map<string, KnownFields>();

/** Returns the known fields of a value with several schemas. A field is known if one schema describes it. */
function knownBy(described: readonly Schema[]): KnownFields {
  const schemas = described.flatMap(applied);
  const items = schemas.flatMap((schema) => schema.items ?? []);
  const named = schemas.map(({ properties }) => properties).filter((one) => one !== undefined);
  const names = new Set(named.flatMap(Object.keys));
  const inner = (name: string): Schema[] =>
    named.flatMap((one) => (Object.hasOwn(one, name) ? (one[name] ?? []) : []));
  return {
    items: items.length === 0 ? undefined : once(() => knownBy(items)),
    fields:
      named.length === 0
        ? undefined
        : new Map(Array.from(names, (name) => [name, once(() => knownBy(inner(name)))])),
  };
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

function collect(
  { items, fields }: KnownFields,
  value: unknown,
  path: UnknownField["path"],
  unknown: UnknownField[],
): void {
  if (typeof value !== "object" || value === null || unknown.length >= UNKNOWN_FIELDS_MAX) return;
  if (Array.isArray(value)) {
    if (items === undefined) return;
    for (const [index, item] of value.entries()) collect(items(), item, [...path, index], unknown);
    return;
  }
  if (fields === undefined) return;
  for (const [name, inner] of Object.entries(value)) {
    if (unknown.length >= UNKNOWN_FIELDS_MAX) return;
    const own = fields.get(name);
    if (own === undefined) unknown.push({ path: [...path, name], known: [...fields.keys()] });
    else if (typeof inner === "object") collect(own(), inner, [...path, name], unknown);
  }
}

/** Matchers whose operand is compared with the value itself, or with one of its items. */
const OF_VALUE = new Set(["$not", "$unordered", "$inOrder", "$exactly"]);

function collectExpected(
  known: KnownFields,
  expected: unknown,
  path: UnknownField["path"],
  unknown: UnknownField[],
): void {
  if (typeof expected !== "object" || expected === null || unknown.length >= UNKNOWN_FIELDS_MAX) return;
  if (Array.isArray(expected)) {
    for (const [index, item] of expected.entries())
      if (known.items !== undefined) collectExpected(known.items(), item, [...path, index], unknown);
    return;
  }
  for (const [name, inner] of Object.entries(expected)) {
    const below = [...path, name];
    const own = known.fields?.get(name);
    if (OF_VALUE.has(name)) collectExpected(known, inner, below, unknown);
    else if (name === "$each" && known.items !== undefined)
      collectExpected(known.items(), inner, below, unknown);
    else if (name === "$oneOf" && Array.isArray(inner))
      for (const [index, one] of inner.entries()) collectExpected(known, one, [...below, index], unknown);
    else if (own !== undefined) collectExpected(own(), inner, below, unknown);
    else if (known.fields !== undefined && !name.startsWith("$") && !isAbsence(inner))
      unknown.push({ path: below, known: [...known.fields.keys()] });
  }
}

function isAbsence(expected: unknown): boolean {
  return isRecord(expected) && expected["$absent"] === true;
}

/** Returns the beginning of a client's path or name. It fits into a header and ends with a whole character. */
export function shownName(path: string): string {
  const cut = path.slice(0, PATH_CHARACTERS_MAX).toWellFormed();
  if (encodeURI(cut).length <= PATH_BYTES_MAX) return cut;
  return path.slice(0, PATH_BYTES_MAX / ENCODED_CHARACTER_MAX).toWellFormed();
}

const PATH_CHARACTERS_MAX = 100;
/** Twenty paths fit in the head of an answer, which clients limit to sixteen thousand bytes. */
const PATH_BYTES_MAX = 360;
/** Three bytes of UTF-8, each as a percent sign and two digits. */
const ENCODED_CHARACTER_MAX = 9;

/** Returns the schema and all schemas that apply to the same value by reference. Conditions describe no field. */
function applied(schema: Schema): readonly Schema[] {
  const referenced = schema.$ref === undefined ? [] : applied(definition(referencedName(schema.$ref)).schema);
  return [schema, ...referenced, ...(schema.allOf ?? []).flatMap(applied)];
}
