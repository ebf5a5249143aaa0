import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import ajvFormats from "ajv-formats";
import { readFileSync } from "node:fs";
import { type SchemaProblem, explainErrors, fieldName } from "../simulator/api/schema-errors.ts";
import type { Route } from "../simulator/api/routes.ts";
import { type Path, hint } from "./source.ts";
import { operations } from "./vocabulary.ts";
import { parseInstant } from "../simulator/engine/instant.ts";
import { isExpression, patternOf, postedPatternProblem } from "./pattern.ts";

interface SchemaNode {
  readonly [keyword: string]: unknown;
  readonly properties?: { readonly [name: string]: SchemaNode };
}

interface ScenarioSchema extends SchemaNode {
  readonly $defs: { readonly [name: string]: SchemaNode };
}

/** A mistake against the schema, at a path of the file. */
export interface SchemaMistake {
  readonly path: Path;
  /** True if the key at the end of the path is wrong, not its value. */
  readonly atKey: boolean;
  readonly message: string;
}

/** Reads `schemas/source/scenario.schema.json`, the description of the language for the runner and for editors. */
export function readScenarioSchema(): ScenarioSchema {
  schema ??= JSON.parse(
    readFileSync(new URL("../../schemas/source/scenario.schema.json", import.meta.url), "utf8"),
  ) as ScenarioSchema;
  return schema;
}

/** Returns the routes of the server. Editors offer them for `call`: those of the platform API and all others. */
export function serverRoutes(): readonly Route[] {
  const others = readScenarioSchema().$defs["callStep"]?.properties?.["call"]?.["examples"] as string[];
  return [
    ...Object.values(operations),
    ...others.map((route) => {
      const [method = "", path = ""] = route.split(" ");
      return { method, path };
    }),
  ];
}

/**
 * Finds the mistakes of `value` against the definition `name` of the scenario schema. Without a name, against the
 * file's own top level.
 */
export function schemaMistakes(value: unknown, name?: string): SchemaMistake[] {
  const validate = validatorOf(name);
  if (validate(value)) return [];
  const problems = explainErrors(validate.errors ?? [], { alternatives: "nearest", isIgnored });
  return problems.map((problem) => ({
    path: problem.path,
    atKey: problem.isAboutKey ?? false,
    message: sentence(problem),
  }));
}

/** Finds the mistakes of a value against a schema of our own, in sentences. */
export function valueMistakes(schema: object, value: unknown): string[] {
  const validate = (valueAjv ??= new Ajv2020({ allErrors: true, verbose: true, strict: false })).compile(
    schema,
  );
  if (validate(value)) return [];
  return explainErrors(validate.errors ?? [], { alternatives: "nearest" }).map(sentence);
}

/** Checks a param against the JSON Schema that its state declares for it. Returns a sentence, or undefined. */
export function paramMistake(
  name: string,
  value: unknown,
  { schema: declared, isPosted }: { readonly schema: unknown; readonly isPosted: boolean },
): string | undefined {
  try {
    const validate = paramCheckOf(declared, isPosted);
    if (validate(value)) return undefined;
    const [problem] = explainErrors(validate.errors ?? []);
    if (problem === undefined) return `The param \`${name}\` does not match its \`schema\`.`;
    const { unknownWord: _, ...named } = problem;
    return sentence({ ...named, path: [name, ...problem.path] });
  } catch (error) {
    return `The \`schema\` of the param \`${name}\` is not a JSON Schema: ${(error as Error).message}.`;
  }
}

/** The checks of params by their schemas: the shipped states declare the same few again and again. */
const paramChecks = new Map<string, ValidateFunction>();
const PARAM_CHECKS_MAX = 200;

function paramCheckOf(declared: unknown, isPosted: boolean): ValidateFunction {
  const key = JSON.stringify([isPosted, declared]);
  const known = paramChecks.get(key);
  if (known !== undefined) return known;
  const validator = (paramAjvs[isPosted ? "posted" : "own"] ??= paramValidator(isPosted));
  const check = validator.compile(declared as object | boolean);
  // The validator would keep every schema.
  validator.removeSchema(declared as object);
  if (paramChecks.size >= PARAM_CHECKS_MAX) paramChecks.clear();
  paramChecks.set(key, check);
  return check;
}

let schema: ScenarioSchema | undefined;
let ajv: Ajv2020 | undefined;
let valueAjv: Ajv2020 | undefined;
const paramAjvs: { own?: Ajv2020; posted?: Ajv2020 } = {};

const formats = {
  "date-time": (text: string) => parseInstant(text) !== undefined,
  regex: isExpression,
};

/** Supports every usual format, because users write the schemas of params. */
function paramValidator(isPosted: boolean): Ajv2020 {
  const regExp = Object.assign(
    (text: string) => {
      const problem = isPosted ? postedPatternProblem(text) : undefined;
      if (problem !== undefined) throw new Error(problem);
      return patternOf(text);
    },
    // Ajv asks for the name of the function in code that it would write to a file, which is not done here.
    { code: "patternOf" },
  );
  const validator = new Ajv2020({ strict: false, verbose: true, code: { regExp, optimize: false } });
  ajvFormats.default(validator);
  for (const [name, check] of Object.entries(formats)) validator.addFormat(name, check);
  return validator;
}

function validatorOf(name: string | undefined): ValidateFunction {
  if (ajv === undefined) {
    // The tests check the schema against the meta-schema, which takes as long as to compile it.
    const options = { meta: false, validateSchema: false, code: { optimize: false } };
    ajv = new Ajv2020({ allErrors: true, verbose: true, strict: false, formats, ...options });
    // Each step is checked by the schema of its verb. Only the schemas that a file needs are compiled.
    const { properties: { steps, ...properties } = {}, ...whole } = readScenarioSchema();
    const { items: _items, ...anySteps } = steps ?? {};
    ajv.addSchema({ ...whole, properties: { ...properties, steps: anySteps } });
  }
  const found = ajv.getSchema(
    name === undefined ? "scenario.schema.json" : `scenario.schema.json#/$defs/${name}`,
  );
  if (found === undefined) throw new Error(`The scenario schema has no definition ${name}.`);
  return found as ValidateFunction;
}

/**
 * Returns true for less usual alternatives: almost every value may also be an expression, and a file may have a state
 * in place of a name. A mistake rarely concerns them.
 */
function isIgnored(error: ErrorObject): boolean {
  if (error.instancePath === "" && error.params["missingProperty"] === "state") return true;
  return error.schemaPath.includes("$defs/interpolation/");
}

function sentence({ path, expected, found, unknownWord }: SchemaProblem): string {
  if (unknownWord !== undefined) {
    const { written, known } = unknownWord;
    const words = written.startsWith("$") && known.length === 0 ? matcherNames() : known;
    return `\`${written}\` is not known here. ${hint(
      written,
      words.filter((word) => word !== "$use"),
      "docs/scenario-reference.md",
    )}`;
  }
  const field = path.length === 0 ? "The file" : `\`${nameOf(path)}\``;
  return `${field} ${expected}${found === undefined ? "" : `; found ${found}`}.`;
}

/** Returns the last name of a path, with the positions after it: `between[1]`. */
function nameOf(path: readonly string[]): string {
  const last = path.findLastIndex((key) => !/^\d+$/.test(key));
  return fieldName(path.slice(Math.max(0, last)));
}

function matcherNames(): string[] {
  const names = Object.keys(readScenarioSchema().$defs["expected"]?.properties ?? {});
  return names.filter((name) => name.startsWith("$"));
}
