import { catalog } from "../platform/catalog.ts";
import type { AssumptionId } from "../platform/assumptions/assumptions.ts";
import { eventSchemas, webhooks } from "./openapi-events.ts";
import { bodyContent, responses, sharedHeaders, sharedResponses } from "./openapi-responses.ts";
import { flattened, componentSchemas, type Json } from "./openapi-schemas.ts";
import { operations, type Operation, type ShapeName } from "./operations.ts";
import { definition, exampleOf } from "./schemas.ts";

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
  ...catalog.flatMap(({ api: { tags: own = {} } }) =>
    Object.entries(own).map(([name, description]) => ({ name, description })),
  ),
];

const scope = "api://app-order-prd";

/**
 * The OpenAPI 3.1 description of the interface, webhooks included, composed of the operations, the
 * events and the schemas. What the interface itself does not show is marked `x-assumption`.
 */
export function openApiDocument(): Json {
  const described = { paths: paths(), webhooks: webhooks() };
  const responses = sharedResponses();
  return {
    openapi: "3.1.1",
    info: {
      title: "Banking, subscription and order service",
      version: "1.0.0",
      summary: "Recurring-payment subscriptions, orders, refunds, payouts, accounts and PIX key claims.",
      description:
        "The interface as the sandbox serves it. Paths, fields and statuses marked `x-assumption` are not shown by the interface and are decided by the sandbox; `sandbank assumptions` lists them with their reasons.",
      contact: { name: "The maintainers of sandbank" },
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/", description: "The server that this description was read from." }],
    tags,
    security: [{ bearer: [] }, { oauth2: [scope] }],
    ...described,
    components: {
      schemas: componentSchemas([described, responses], eventSchemas()),
      headers: sharedHeaders(),
      responses,
      parameters: {
        IdempotencyKeyUuid: idempotencyKey("uuid", "idempotency.format"),
        IdempotencyKeyText: idempotencyKey("text", "idempotency.format"),
        IdempotencyKeyOfOrder: idempotencyKey("text", "order.message-id-header"),
      },
      securitySchemes: securitySchemes(),
    },
  };
}

function paths(): Json {
  const collected: Record<string, Record<string, Json>> = {};
  for (const operation of Object.values(operations)) {
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
  const text = operation.tag === "Orders" ? "IdempotencyKeyOfOrder" : "IdempotencyKeyText";
  const name = operation.idempotencyKey === "uuid" ? "IdempotencyKeyUuid" : text;
  return [{ $ref: `#/components/parameters/${name}` }];
}

/** The header of that form. The interface shows an order's message identifier without the name of its header. */
function idempotencyKey(form: "uuid" | "text", assumption: AssumptionId): Json {
  return {
    name: "idempotency-key",
    in: "header",
    required: true,
    description:
      form === "uuid"
        ? "A UUID that makes the request safe to send again: the same key and body give the first answer."
        : "A key of 1 to 64 characters, a UUID recommended, that makes the request safe to send again: the same key and body give the first answer.",
    "x-assumption": assumption,
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
  return { required: true, content: { [mediaType]: bodyContent(shape) } };
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
