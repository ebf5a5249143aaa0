import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import ajvFormats from "ajv-formats";
import type { ErrorObject, ValidateFunction } from "ajv/dist/2020.js";
import { parseInstant } from "../engine/instant.ts";
import { list, shown, suggestion } from "./mistake.ts";
import type { Path } from "./scenario.ts";

interface SchemaNode {
  readonly [keyword: string]: unknown;
  readonly properties?: { readonly [name: string]: SchemaNode };
}

interface ScenarioSchema extends SchemaNode {
  readonly $defs: { readonly [name: string]: SchemaNode };
}

/** Something that the schema forbids, at an address of the file. */
export interface SchemaMistake {
  readonly path: Path;
  /** Whether the key at the end of the path is meant, rather than its value. */
  readonly atKey: boolean;
  readonly message: string;
}

/** `schemas/scenario.schema.json`: the one description of the language, for the runner and for editors. */
export function readScenarioSchema(): ScenarioSchema {
  schema ??= JSON.parse(
    readFileSync(new URL("../../schemas/scenario.schema.json", import.meta.url), "utf8"),
  ) as ScenarioSchema;
  return schema;
}

/** What is wrong with `value` by the definition `name` of the scenario schema, or by the file's own top level. */
export function schemaMistakes(value: unknown, name?: string): SchemaMistake[] {
  const validate = validatorOf(name);
  if (validate(value)) return [];
  const errors = (validate.errors ?? []).filter(isTelling);
  const told = new Map<string, SchemaMistake>();
  for (const error of errors.toSorted((a, b) => rank(a) - rank(b))) {
    if (rank(error) > 1 && errors.some((other) => saysMore(other, error))) continue;
    const mistake = explain(error);
    const key = JSON.stringify([mistake.path, error.keyword === "required" && mistake.message]);
    if (!told.has(key)) told.set(key, mistake);
  }
  return [...told.values()];
}

/** What is wrong with the input of a state by the JSON Schema written beside it; a sentence, or undefined. */
export function paramMistake(value: unknown, schema: unknown): string | undefined {
  try {
    const validator = (paramAjv ??= paramValidator());
    const validate = validator.compile(schema as object | boolean);
    return validate(value) ? undefined : `its \`schema\` says: ${validator.errorsText(validate.errors)}`;
  } catch (error) {
    return `its \`schema\` is no JSON Schema: ${(error as Error).message}`;
  }
}

/** Knows every usual format: the schemas of params are the user's own. */
function paramValidator(): Ajv2020 {
  const validator = new Ajv2020({ strict: false });
  ajvFormats.default(validator);
  for (const [name, check] of Object.entries(formats)) validator.addFormat(name, check);
  return validator;
}

let paramAjv: Ajv2020 | undefined;
let schema: ScenarioSchema | undefined;
let ajv: Ajv2020 | undefined;

const formats = {
  "date-time": (text: string) => parseInstant(text) !== undefined,
  regex: isRegularExpression,
};

const formatNames: { readonly [format: string]: string } = {
  "date-time": "an ISO 8601 time with its offset, such as 2026-11-20T09:00:00-03:00",
  regex: "a regular expression",
};

function validatorOf(name: string | undefined): ValidateFunction {
  if (ajv === undefined) {
    ajv = new Ajv2020({ allErrors: true, verbose: true, strict: false, formats });
    ajv.addSchema(readScenarioSchema());
  }
  const found = ajv.getSchema(
    name === undefined ? "scenario.schema.json" : `scenario.schema.json#/$defs/${name}`,
  );
  if (found === undefined) throw new Error(`The scenario schema has no definition ${name}.`);
  return found as ValidateFunction;
}

function isRegularExpression(text: string): boolean {
  try {
    return new RegExp(text) instanceof RegExp;
  } catch {
    return false;
  }
}

/** These only say that something below them failed; that something is told by itself. */
const wrappers = new Set(["anyOf", "oneOf", "allOf", "if", "propertyNames"]);

/**
 * Nearly everywhere a value may also be an expression, and a file without a name may have a state: of such
 * alternatives the less usual one is never worth telling.
 */
function isTelling(error: ErrorObject): boolean {
  if (wrappers.has(error.keyword)) return false;
  if (error.instancePath === "" && error.params["missingProperty"] === "state") return false;
  return !error.schemaPath.includes("$defs/interpolation/");
}

/** Of several errors about one value the first of these is told: a wrong word says more than a wrong type. */
function rank(error: ErrorObject): number {
  if (error.keyword === "enum") return typeof error.data === "string" ? 0 : 2;
  return error.keyword === "type" ? 3 : 1;
}

/** Whether another alternative came further than the one that stumbled over the type of `error`'s value. */
function saysMore(other: ErrorObject, error: ErrorObject): boolean {
  if (other.instancePath === error.instancePath) return rank(other) < rank(error);
  return other.instancePath.startsWith(`${error.instancePath}/`);
}

function explain(error: ErrorObject): SchemaMistake {
  const path = error.instancePath
    .split("/")
    .slice(1)
    .map((segment) => segment.replaceAll("~1", "/").replaceAll("~0", "~"));
  const explained = explainKeyword(error, path.at(-1));
  return { path: [...path, ...explained.below], atKey: explained.atKey ?? false, message: explained.message };
}

interface Explained {
  readonly message: string;
  readonly below: readonly string[];
  readonly atKey?: boolean;
}

function explainKeyword(error: ErrorObject, key: string | undefined): Explained {
  const params = error.params as { readonly [name: string]: unknown };
  const found: unknown = error.data;
  const parent = (error.parentSchema ?? {}) as SchemaNode;
  const at = (message: string): Explained => ({ message, below: [] });
  switch (error.keyword) {
    case "required":
      return at(`\`${String(params["missingProperty"])}\` is missing.`);
    case "additionalProperties": {
      const unknown = String(params["additionalProperty"]);
      const known = Object.keys(parent.properties ?? {}).filter((name) => name !== "$use");
      return {
        message: `\`${unknown}\` is not known here. ${suggestion(unknown, known)}`,
        below: [unknown],
        atKey: true,
      };
    }
    case "false schema":
      return {
        message: `\`${key}\` is no matcher. ${suggestion(String(key), matchers())}`,
        below: [],
        atKey: true,
      };
    case "enum":
      return at(explainEnum(found, params["allowedValues"] as unknown[]));
    case "type":
      return at(`Found ${shown(found)}, where ${typeNames(params["type"] as string | string[])} is right.`);
    case "format":
      return at(
        `Found ${shown(found)}, where ${formatNames[String(params["format"])] ?? String(params["format"])} is right.`,
      );
    case "pattern":
      if (typeof parent["x-expected"] === "string")
        return at(`Found ${shown(found)}, where ${parent["x-expected"]} is right.`);
      return at(explainPattern(found, { name: error.propertyName, below: key }));
    case "minProperties":
    case "maxProperties":
      return at(explainCount(found, parent));
    case "minItems":
    case "maxItems":
      return at(`Found ${shown(found)}; the list has to have ${explainItems(parent)}.`);
    case "minimum":
    case "maximum":
      return at(`Found ${shown(found)}, where a number ${explainRange(parent)} is right.`);
    case "minLength":
      return at("Found an empty text. Say something.");
    case "dependentRequired":
      return at(
        `\`${String(params["missingProperty"])}\` is missing beside \`${String(params["property"])}\`.`,
      );
    default:
      return at(`Found ${shown(found)}; it ${error.message ?? "is wrong"}.`);
  }
}

const typeWords: { readonly [type: string]: string } = {
  array: "a list",
  object: "an object",
  string: "a text",
  number: "a number",
  integer: "a whole number",
  boolean: "true or false",
};

function typeNames(types: string | string[]): string {
  return [types]
    .flat()
    .map((type) => typeWords[type] ?? type)
    .join(" or ");
}

function explainCount(found: unknown, { properties = {}, maxProperties }: SchemaNode): string {
  const known = Object.keys(properties);
  if (known.length === 0) return `Found ${shown(found)}. Write at least one name here.`;
  const count = maxProperties === undefined ? "At least" : "Exactly";
  return `${count} one of ${list(known)} belongs here; found ${shown(found)}.`;
}

function explainItems({ minItems, maxItems }: SchemaNode): string {
  if (minItems === maxItems) return `exactly ${shown(minItems)}`;
  return minItems === undefined ? `at most ${shown(maxItems)}` : `at least ${shown(minItems)}`;
}

function explainRange({ minimum, maximum }: SchemaNode): string {
  if (maximum === undefined) return `of at least ${shown(minimum)}`;
  return minimum === undefined
    ? `of at most ${shown(maximum)}`
    : `from ${shown(minimum)} to ${shown(maximum)}`;
}

function explainEnum(found: unknown, allowed: readonly unknown[]): string {
  const words = allowed.map(String);
  if (typeof found === "string") return `\`${found}\` is not known here. ${suggestion(found, words)}`;
  return `Found ${shown(found)}. It can be ${list(words)}.`;
}

function explainPattern(
  found: unknown,
  { name: propertyName, below }: { readonly name: string | undefined; readonly below: string | undefined },
): string {
  const name = propertyName ?? (typeof found === "string" ? found : shown(found));
  if (below === "headers") return `\`${name}\` cannot be the name of a header. It has spaces or signs in it.`;
  return `\`${name}\` cannot be a name. A name has letters, digits, _ and -, and begins with a letter.`;
}

function matchers(): string[] {
  const names = Object.keys(readScenarioSchema().$defs["expected"]?.properties ?? {});
  return names.filter((name) => name.startsWith("$"));
}
