import type { ShapeName } from "./generated/shapes.ts";
import { catalog, steps } from "../platform/catalog.ts";
import type { AssumptionId } from "../platform/assumptions/assumptions.ts";
import { eventSchemas, webhooks } from "./openapi-events.ts";
import { bodyContent, responses, sharedHeaders, sharedResponses } from "./openapi-responses.ts";
import { flattened, componentSchemas, type Json } from "./openapi-schemas.ts";
import { operations, type Operation } from "./operations.ts";
import {
  apiDocument,
  bearerScheme,
  DEFAULT_SERVER,
  type DescribedServer,
  pathsOf,
} from "./openapi-document.ts";
import { definition, exampleOf } from "./schemas.ts";

const tags = [
  { name: "Authentication", description: "The token requests of a company." },
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

/**
 * Returns the OpenAPI 3.1 description of the API, webhooks included. It is composed of the operations, the events and
 * the schemas. The mark `x-assumption` names the parts that the published API does not show. `statusOf` returns the
 * status of a success, if an assumption decides it.
 */
export function openApiDocument(
  server: DescribedServer = DEFAULT_SERVER,
  statusOf: (operation: Operation) => 200 | 201 = ({ successStatus }) => successStatus,
): Json {
  const described = {
    paths: pathsOf(
      Object.values(operations).map((one) => [one, operationObject(one, statusOf(one))] as const),
    ),
    webhooks: webhooks(),
  };
  const responses = sharedResponses();
  const about = {
    title: "Banking, subscription and order service",
    summary: "Recurring-payment subscriptions, orders, refunds, payouts, accounts and PIX key claims.",
    description:
      "The platform API as the sandbox serves it. Paths, fields and statuses marked `x-assumption` are not shown by the platform API and are decided by the sandbox; `sandbank assumptions` lists them with their reasons.",
  };
  return apiDocument(about, server, {
    tags,
    security: [{ bearer: [] }],
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
      securitySchemes: {
        bearer: {
          ...bearerScheme(
            server,
            "An access token. `issueToken` gives one to a company with its client credentials.",
          ),
          "x-assumption": "auth.header",
        },
      },
    },
  });
}

function operationObject(operation: Operation, status: number): Json {
  const { operationId, tag, summary, description, assumption } = operation;
  return {
    operationId,
    tags: [tag],
    summary,
    description,
    ...(assumption !== undefined && { "x-assumption": assumption }),
    ...(operation.access === "anyone" && { security: [] }),
    parameters: [...pathParameters(operation), ...headerParameters(operation), ...queryParameters(operation)],
    ...(operation.request !== undefined && { requestBody: requestBody(operation, operation.request) }),
    responses: responses(operation, status),
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
  const plan = planParameter(operation);
  if (operation.idempotencyKey === undefined) return plan;
  const text = operation.tag === "Orders" ? "IdempotencyKeyOfOrder" : "IdempotencyKeyText";
  const name = operation.idempotencyKey === "uuid" ? "IdempotencyKeyUuid" : text;
  return [{ $ref: `#/components/parameters/${name}` }, ...plan];
}

/** Returns the header with plans for the new object. Its example is a plan that such an object can have. */
function planParameter({ operationId, creates }: Operation): Json[] {
  const own = catalog.find(({ api }) => Object.hasOwn(api.operations ?? {}, operationId))?.name ?? "";
  const planned = Array.from(steps).find(([, { plannedOn }]) => plannedOn.includes(own));
  if (creates !== true || planned === undefined) return [];
  const [plan, { step }] = planned;
  return [
    {
      name: "x-sandbox-plan",
      in: "header",
      required: false,
      description:
        "The outcomes of the next steps of the new object: plan=OUTCOME,OUTCOME, with a semicolon between plans. Only the sandbox reads it.",
      schema: { type: "string" },
      example: `${plan}=${step.outcomes[0] ?? ""}`,
    },
  ];
}

/**
 * Returns the header with this form of key. The platform API does not name the header of an order's message identifier.
 */
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
