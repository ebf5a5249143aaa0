import { events, type EventDescription } from "./events.ts";
import { exampleOf } from "./examples.ts";
import { errorStatuses, operations, type Operation, type ShapeName } from "./operations.ts";
import { definition, definitions, referencedName, type Schema } from "./schemas.ts";
import type { ErrorCode } from "../platform/shapes.ts";

/** A part of an OpenAPI document. */
interface Json {
  readonly [key: string]: unknown;
}

const tags = [
  { name: "Authentication", description: "How a company gets a token." },
  {
    name: "Subscriptions",
    description: "Recurring payments authorized through a QR code, and their charges.",
  },
  { name: "Orders", description: "Pay-ins without a customer-facing screen." },
  { name: "Refunds", description: "Giving the money of an order back." },
  { name: "Payouts", description: "Paying out by PIX or TED." },
  { name: "Accounts", description: "The company's banking accounts." },
  { name: "PIX key claims", description: "Taking over a key that someone else registered." },
  { name: "Webhooks", description: "The webhook configuration, and what could not be delivered." },
];

const scope = "api://app-order-prd";

/**
 * The OpenAPI 3.1 description of the interface, webhooks included, put together from the operations, the
 * events and the schemas. Whatever the interface itself does not show is marked `x-assumption`.
 */
export function openApiDocument(): Json {
  return {
    openapi: "3.1.1",
    info: {
      title: "Banking, subscription and order service",
      version: "1.0.0",
      summary: "Recurring-payment subscriptions, orders, refunds, payouts, accounts and PIX key claims.",
      description:
        "The interface as the sandbox serves it. Paths, fields and statuses marked `x-assumption` are not shown by the interface and are decided by the sandbox; `sandbank assumptions` lists them with their reasons.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/", description: "The server that this description was read from." }],
    tags,
    security: [{ bearer: [] }, { oauth2: [scope] }],
    paths: paths(),
    webhooks: webhooks(),
    components: {
      schemas: Object.fromEntries(
        [...definitions().values()].map(({ name, schema }) => [name, flattened(schema)]),
      ),
      parameters: { IdempotencyKeyUuid: idempotencyKey("uuid"), IdempotencyKeyText: idempotencyKey("text") },
      securitySchemes: securitySchemes(),
    },
  };
}

function paths(): Json {
  const collected: Record<string, Record<string, Json>> = {};
  for (const operation of Object.values(operations) as Operation[]) {
    const item = (collected[operation.path] ??= {});
    item[operation.method.toLowerCase()] = operationObject(operation);
  }
  return collected;
}

function operationObject(operation: Operation): Json {
  const { operationId, tag, summary, description, assumption } = operation;
  return {
    operationId,
    tags: [tag],
    summary,
    description,
    ...(assumption !== undefined && { "x-assumption": assumption }),
    ...(!operation.authenticated && { security: [] }),
    parameters: [...pathParameters(operation), ...headerParameters(operation), ...queryParameters(operation)],
    ...(operation.request !== undefined && { requestBody: requestBody(operation, operation.request) }),
    responses: responses(operation),
  };
}

function pathParameters(operation: Operation): Json[] {
  return Object.entries(operation.parameters).map(([name, { description, examples, ...schema }]) => ({
    name,
    in: "path",
    required: true,
    description,
    schema,
    example: examples[0],
  }));
}

function headerParameters(operation: Operation): Json[] {
  if (operation.idempotencyKey === undefined) return [];
  const name = operation.idempotencyKey === "uuid" ? "IdempotencyKeyUuid" : "IdempotencyKeyText";
  return [{ $ref: `#/components/parameters/${name}` }];
}

function idempotencyKey(form: "uuid" | "text"): Json {
  return {
    name: "idempotency-key",
    in: "header",
    required: true,
    description:
      form === "uuid"
        ? "A UUID that makes the request safe to send again: the same key and body give the first answer."
        : "A key of 1 to 64 characters, a UUID recommended, that makes the request safe to send again: the same key and body give the first answer.",
    "x-assumption": "idempotency.format",
    schema: { type: "string", minLength: 1, maxLength: 64, ...(form === "uuid" && { format: "uuid" }) },
    example: "0f0d6b0e-4a1f-4b7e-8f3f-5d1d2a9c8b70",
  };
}

function queryParameters(operation: Operation): Json[] {
  if (operation.query === undefined) return [];
  const { schema } = definition(operation.query);
  const assumption = schema["x-assumption"];
  return Object.entries(schema.properties ?? {}).map(
    ([name, { description, examples: _examples, ...property }]) => ({
      name,
      in: "query",
      required: false,
      description,
      ...(assumption !== undefined && { "x-assumption": assumption }),
      schema: flattened(property),
      example: exampleOf(schema.properties?.[name] ?? {}),
    }),
  );
}

function requestBody(operation: Operation, shape: ShapeName): Json {
  const mediaType =
    operation.errorForm === "oauth" ? "application/x-www-form-urlencoded" : "application/json";
  return { required: true, content: { [mediaType]: content(shape) } };
}

/** A body: its schema and its examples, numbered where there are several. */
function content(shape: ShapeName): Json {
  const { schema } = definition(shape);
  const examples = schema.examples ?? [exampleOf(schema)];
  const named = examples.map((value, index) => [
    examples.length > 1 ? `example${index + 1}` : "example",
    { value },
  ]);
  return { schema: reference(shape), examples: Object.fromEntries(named) as Json };
}

function responses(operation: Operation): Json {
  const success = {
    description: definition(operation.response).schema.description,
    "x-assumption": operation.assumption ?? "http.statuses",
    content: { "application/json": content(operation.response) },
  };
  const failures = operation.errors.map((code) => [errorStatuses[code], errorResponse(operation, code)]);
  return { [operation.successStatus]: success, ...(Object.fromEntries(failures) as Json) };
}

const meanings: Readonly<Record<ErrorCode, { readonly meaning: string; readonly message: string }>> = {
  INVALID_REQUEST: { meaning: "The request is not valid.", message: "The request is not valid" },
  UNAUTHORIZED: { meaning: "The token is missing, unknown or expired.", message: "Unauthorized Request" },
  FORBIDDEN_ERROR: {
    meaning: "The token does not allow it.",
    message: "The token lacks the scope of this operation",
  },
  NOT_FOUND: { meaning: "There is no such resource.", message: "Resource not found" },
  INTERNAL_ERROR: { meaning: "An unexpected server error.", message: "Unexpected server error" },
};

function errorResponse(operation: Operation, code: ErrorCode): Json {
  const assumed = operation.assumedErrors.includes(code);
  const fallback = assumed ? "auth.errors-everywhere" : "http.statuses";
  const { shape, example } = errorBody(operation, code);
  return {
    description: meanings[code].meaning,
    "x-assumption": operation.assumption ?? fallback,
    content: { "application/json": { schema: reference(shape), examples: { example: { value: example } } } },
  };
}

function errorBody(operation: Operation, code: ErrorCode): { shape: ShapeName; example: unknown } {
  const { message } = meanings[code];
  if (operation.errorForm === "sentences") return { shape: "ErrorSentences", example: [message] };
  if (operation.errorForm === "oauth") {
    const error = { INVALID_REQUEST: "invalid_request", UNAUTHORIZED: "invalid_client" } as const;
    const oauthCode = code === "INVALID_REQUEST" || code === "UNAUTHORIZED" ? error[code] : "server_error";
    return { shape: "OAuthErrorBody", example: { error: oauthCode, error_description: `${message}.` } };
  }
  const details = code === "INVALID_REQUEST" ? [invalidField(operation)] : [];
  return { shape: "ErrorBody", example: { error: code, message, details } };
}

/** A field that this very operation may complain about: the first of its body, of its query or of its path. */
function invalidField(operation: Operation): Json {
  const shape = operation.request ?? operation.query;
  const names = shape === undefined ? Object.keys(operation.parameters) : bodyFields(shape);
  return { field: names[0] ?? "body", issue: "INVALID", description: "is not valid" };
}

function bodyFields(shape: ShapeName): string[] {
  return Object.keys(definition(shape).schema.properties ?? {});
}

function webhooks(): Json {
  const described: [string, EventDescription][] = Object.entries(events);
  return Object.fromEntries(described.map(([name, event]) => [name, { post: webhook(name, event) }]));
}

function webhook(name: string, event: EventDescription): Json {
  return {
    operationId: name,
    tags: [event.tag],
    summary: event.summary,
    description: `${event.summary}. A 2xx answer acknowledges the delivery; any other answer is retried 4 more times.`,
    ...(event.assumption !== undefined && { "x-assumption": event.assumption }),
    security: [],
    parameters: [signature],
    requestBody: { required: true, content: { "application/json": eventContent(name, event) } },
    responses: {
      "200": {
        description: "The event was received.",
        content: { "application/json": content("WebhookAcknowledgement") },
      },
      "401": { description: "The signature does not match. Any 4xx status says so." },
    },
  };
}

const signature = {
  name: "X-Signature-SHA256",
  in: "header",
  required: true,
  description:
    "sha256= and the hex HMAC-SHA256 of the raw body under the webhook secret. Compare it in constant time, over the bytes as they came.",
  schema: { type: "string", pattern: "^sha256=[0-9a-f]{64}$" },
  example: "sha256=5d5d139563c95b5967b9bd9a8c9b233a9dedb45072794cd232dc1b74832607d0",
};

function eventContent(name: string, event: EventDescription): Json {
  const schemas = event.shapes.map(reference);
  const examples = event.shapes.map((shape) => [shape, { value: eventExample(name, shape) }]);
  return {
    schema: schemas.length === 1 ? schemas[0] : { oneOf: schemas },
    examples: Object.fromEntries(examples) as Json,
  };
}

/** The shape's example with the name of this event, and its status where the name ends with one. */
function eventExample(name: string, shape: ShapeName): Json {
  const { schema } = definition(shape);
  const example = exampleOf(schema) as Json;
  const outcome = name.slice(name.lastIndexOf(".") + 1);
  return "status" in example ? { ...example, event: name, status: outcome } : { ...example, event: name };
}

function securitySchemes(): Json {
  return {
    bearer: {
      type: "http",
      scheme: "bearer",
      description: "An access token.",
      "x-assumption": "auth.header",
    },
    oauth2: {
      type: "oauth2",
      description: "Client credentials, one client per company.",
      "x-assumption": "auth.token-endpoint",
      flows: {
        clientCredentials: {
          tokenUrl: operations.issueToken.path,
          scopes: { [scope]: "Everything that the platform offers to a company." },
        },
      },
    },
  };
}

function reference(shape: ShapeName): Json {
  return { $ref: `#/components/schemas/${shape}` };
}

/** The schema with its references pointing into the document instead of between files. */
function flattened(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(flattened);
  if (typeof schema !== "object" || schema === null) return schema;
  const entries = Object.entries(schema as Schema).map(([key, value]) =>
    key === "$ref" && typeof value === "string"
      ? [key, `#/components/schemas/${referencedName(value)}`]
      : [key, key === "examples" ? value : flattened(value)],
  );
  return Object.fromEntries(entries) as unknown;
}
