import type { OperationId } from "./vocabulary.ts";
import type { Ajv2020, Options, ValidateFunction } from "ajv/dist/2020.js";
import { createRequire } from "node:module";
import { operations } from "./operations.ts";
import { definition, schemaDocuments } from "./schemas.ts";
import { isDuration, parseInstant } from "../engine/instant.ts";
import { UUID } from "../engine/uuid.ts";

const options: Options = {
  allErrors: true,
  strict: true,
  strictRequired: false,
  allowUnionTypes: true,
  verbose: true,
  // The tests check the schemas against the meta-schema; at every start that would cost more than all other checks.
  meta: false,
  validateSchema: false,
  // The examples and defaults of a schema are read by people and by OpenAPI; the checks look at the rest.
  keywords: ["x-assumption", "x-expected", "x-rule"],
  // To shorten the code of a check takes a third of its compilation, and makes it no quicker.
  code: { optimize: false },
};

/** The origin of a checked value. A JSON body stays as it is, and the text of a query is converted. */
export type SchemaSource = "json" | "text";

const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T/i;

const compilers = new Map<SchemaSource, Ajv2020>();

/** Loaded at the first check: a server that starts need not wait for it. */
const load = createRequire(import.meta.url);

/** Returns the ajv instance of all checks, with all schema files added. */
export function compilerFor(source: SchemaSource): Ajv2020 {
  const known = compilers.get(source);
  if (known) return known;
  const { Ajv2020 } = load("ajv/dist/2020.js") as typeof import("ajv/dist/2020.js");
  const { default: ajvFormats } = load("ajv-formats") as typeof import("ajv-formats");
  const compiler = new Ajv2020(
    source === "text" ? { ...options, coerceTypes: true, useDefaults: true } : options,
  );
  ajvFormats(compiler);
  // The grammar of a URI has no largest port number, but a connection has.
  const isUri = ajvFormats.get("uri") as (text: string) => boolean;
  // Letters beyond ASCII are sent as punycode, or as escapes: an HTTP client writes them so.
  const isWritable = (text: string): boolean => isUri(text.replaceAll(/[^\0-\x7f]/g, "a"));
  compiler.addFormat("uri", (text: string) => isWritable(text) && URL.canParse(text));
  // RFC 4122 writes a UUID without the prefix of its URN, and RFC 3339 separates date and time with a T.
  compiler.addFormat("uuid", UUID);
  const isTimestamp = ajvFormats.get("date-time") as { validate: (text: string) => boolean };
  compiler.addFormat("date-time", (text: string) => TIMESTAMP.test(text) && isTimestamp.validate(text));
  // The sandbox's own API takes every instant and every duration that the clock can read.
  compiler.addFormat("instant", (text: string) => parseInstant(text) !== undefined);
  compiler.addFormat("duration", (text: string) => isDuration(text));
  for (const document of schemaDocuments()) compiler.addSchema(document);
  compilers.set(source, compiler);
  return compiler;
}

/**
 * Returns the check of one shape. ajv compiles it at its first use and keeps it. With the source `text` the check
 * converts the value in place and fills in defaults.
 */
export function checkOf(shape: string, source: SchemaSource = "json"): ValidateFunction {
  const { file } = definition(shape);
  const check = compilerFor(source).getSchema(`${file}#/$defs/${shape}`);
  if (!check) throw new Error(`Failed to compile the shape ${shape}: ajv does not find it in ${file}.`);
  return check;
}

const parameterChecks = new Map<OperationId, ValidateFunction>();

/** Returns the check of an operation's path parameters. It is compiled at its first use and kept. */
export function parametersCheckOf(operationId: OperationId): ValidateFunction {
  const known = parameterChecks.get(operationId);
  if (known) return known;
  const { parameters } = operations[operationId];
  const names = Object.keys(parameters);
  const check = compilerFor("json").compile({ type: "object", properties: parameters, required: names });
  parameterChecks.set(operationId, check);
  return check;
}
