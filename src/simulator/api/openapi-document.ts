import { Temporal } from "temporal-polyfill";
import { isRecord } from "../engine/json.ts";
import type { HttpOperation } from "../platform/operations.ts";
import { componentSchemas, type Json } from "./openapi-schemas.ts";
import { definition, exampleOf, referencedName, type Schema } from "./schemas.ts";

/** The server that a document describes: its address, a token that works at once, and its date. */
export interface DescribedServer {
  readonly url: string;
  readonly token: string;
  /** The date in the time zone of the platform. The examples are of this day. */
  readonly today: string;
}

/** The day of the examples as the schemas have them. */
const EXAMPLE_DAY = "2026-11-20";

/** A server with the defaults, on the day of the examples. */
export const DEFAULT_SERVER: DescribedServer = {
  url: "http://127.0.0.1:4010",
  token: "acme-token",
  today: EXAMPLE_DAY,
};

/** Returns the security scheme of a company's token. */
export function bearerScheme({ token }: DescribedServer, description: string): Json {
  return {
    type: "http",
    scheme: "bearer",
    description: `${description} The token \`${token}\` works at once.`,
    // Scalar fills its form with this token.
    "x-scalar-secret-token": token,
  };
}

const EXAMPLE_KEYS = new Set(["example", "examples"]);

/** The words about an API at the beginning of its document. */
export interface DocumentInfo {
  readonly title: string;
  readonly summary: string;
  readonly description: string;
  /** The sections of the document: their names and their descriptions. */
  readonly tags: Readonly<Record<string, string>>;
}

/** The parts of a document in which one API differs from another. */
export interface Decorators<Operation> {
  /** Returns the fields beside the description of an operation, such as its security. */
  readonly marks: (operation: Operation) => Json;
  /** Returns the headers that an operation takes. */
  readonly headers?: (operation: Operation) => Json[];
  /** Returns the schema of a parameter in the form of the document. */
  readonly parameterSchema: (schema: Schema, name: string, id: string) => Json;
  /** Returns the body that an operation takes. Undefined if it takes no body. */
  readonly requestBody: (operation: Operation) => Json | undefined;
  /** Returns the fields of the answer to a success, except its description. */
  readonly success: (operation: Operation) => Json;
  /** Returns the refusals by their statuses. */
  readonly refusals: (operation: Operation) => Json;
  readonly security?: readonly Json[];
  readonly webhooks?: Json;
  /** The schemas that do not come from a file of schemas. */
  readonly schemas: Json;
  /** The shared parts, except the schemas. */
  readonly components: { readonly responses: Json; readonly securitySchemes: Json } & Json;
}

/**
 * Returns the OpenAPI 3.1 document of an API. Its examples are of the day of the server. `statusOf` returns the status
 * of a success, if an assumption decides it.
 */
export function openapiDocument<Operation extends HttpOperation>(
  catalog: Readonly<Record<string, Operation>>,
  { title, tags, ...about }: DocumentInfo,
  decorators: Decorators<Operation>,
  server: DescribedServer = DEFAULT_SERVER,
  statusOf: (operation: Operation) => 200 | 201 = ({ successStatus = 200 }) => successStatus,
): Json {
  const { security, webhooks, schemas, components } = decorators;
  const contact = { name: "The maintainers of sandbank" };
  const license = { name: "MIT", identifier: "MIT" };
  const paths: Record<string, Record<string, Json>> = {};
  for (const [id, operation] of Object.entries(catalog)) {
    const { path, method } = operation;
    const described = operationObject({ id, operation, status: statusOf(operation) }, decorators);
    (paths[path.replaceAll("*}", "}")] ??= {})[method.toLowerCase()] = described;
  }
  const document = {
    openapi: "3.1.0",
    info: { title, version: "1.0.0", ...about, contact, license },
    servers: [{ url: server.url, description: "The sandbox." }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    ...(security !== undefined && { security }),
    paths,
    ...(webhooks !== undefined && { webhooks }),
    components: {
      schemas: componentSchemas([paths, webhooks ?? {}, components.responses], schemas),
      ...components,
    },
  };
  return withCurrentDates(document, server);
}

function operationObject<Operation extends HttpOperation>(
  { id, operation, status }: { id: string; operation: Operation; status: number },
  { marks, headers, parameterSchema, requestBody, success, refusals }: Decorators<Operation>,
): Json {
  const { tag, summary, description = `${summary}.`, response } = operation;
  const body = requestBody(operation);
  const succeeded = { description: definition(response).schema.description, ...success(operation) };
  const schemaOf: SchemaOf = (schema, name) => parameterSchema(schema, name, id);
  return {
    operationId: id,
    tags: [tag],
    summary,
    description,
    ...marks(operation),
    parameters: [
      ...pathParameters(operation, schemaOf),
      ...(headers?.(operation) ?? []),
      ...queryParameters(operation, schemaOf),
    ],
    ...(body !== undefined && { requestBody: body }),
    responses: { [status]: succeeded, ...refusals(operation) },
  };
}

type SchemaOf = (schema: Schema, name: string) => Json;

function pathParameters({ parameters = {} }: HttpOperation, schemaOf: SchemaOf): Json[] {
  return Object.entries(parameters).map(([name, { description, examples, ...schema }]) => ({
    name,
    in: "path",
    required: true,
    description,
    schema: schemaOf(schema, name),
    example: examples[0],
  }));
}

function queryParameters({ query }: HttpOperation, schemaOf: SchemaOf): Json[] {
  if (query === undefined) return [];
  const { properties = {}, required = [], "x-assumption": assumption } = definition(query).schema;
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: "query",
    required: required.includes(name),
    description: schema.description ?? definition(referencedName(schema.$ref ?? "")).schema.description,
    ...(assumption !== undefined && { "x-assumption": assumption }),
    schema: schemaOf(schema, name),
    example: exampleOf(schema),
  }));
}

/** Returns the document with the examples of that day. */
function withCurrentDates(document: Json, { today }: Pick<DescribedServer, "today">): Json {
  const entries = Object.entries(document).map(([key, value]) => {
    if (EXAMPLE_KEYS.has(key)) return [key, datedFrom(value, today)];
    return [key, partWithDates(value, today)];
  });
  return Object.fromEntries(entries) as Json;
}

function partWithDates(part: unknown, today: string): unknown {
  if (Array.isArray(part)) return part.map((item) => partWithDates(item, today));
  return isRecord(part) ? withCurrentDates(part, { today }) : part;
}

/**
 * Returns an example with the dates of that day. Its dates keep their distance from the day of the examples: a charge
 * that is due in five days stays due in five days. Dates before that day, such as a birth, stay.
 */
export function datedFrom(example: unknown, today: string): unknown {
  const { days } = Temporal.PlainDate.from(EXAMPLE_DAY).until(today);
  return JSON.parse(JSON.stringify(example), (_, value: unknown) =>
    typeof value === "string" ? movedDate(value, days) : value,
  ) as unknown;
}

function movedDate(text: string, days: number): string {
  const [, date, time = ""] = /^(\d{4}-\d\d-\d\d)(T\d.*)?$/.exec(text) ?? [];
  return date === undefined || date < EXAMPLE_DAY
    ? text
    : `${Temporal.PlainDate.from(date).add({ days }).toString()}${time}`;
}
