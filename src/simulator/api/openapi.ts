import { catalog, steps } from "../platform/catalog.ts";
import type { AssumptionId } from "../platform/assumptions/assumptions.ts";
import { eventSchemas, webhooks } from "./openapi-events.ts";
import { bodyContent, refusals, sharedHeaders, sharedResponses, success } from "./openapi-responses.ts";
import { flattened, type Json } from "./openapi-schemas.ts";
import { operations, type Operation } from "./operations.ts";
import {
  bearerScheme,
  DEFAULT_SERVER,
  type DescribedServer,
  type DocumentInfo,
  openapiDocument,
} from "./openapi-document.ts";
import type { Schema } from "./schemas.ts";

const INFO: DocumentInfo = {
  title: "Banking, subscription and order service",
  summary: "Recurring-payment subscriptions, orders, refunds, payouts, accounts and PIX key claims.",
  description:
    "The platform API as the sandbox serves it. Paths, fields and statuses marked `x-assumption` are not shown by the platform API and are decided by the sandbox; `sandbank assumptions` lists them with their reasons.",
  tags: {
    Authentication: "The token requests of a company.",
    Subscriptions: "Recurring payments authorized through a QR code, and their charges.",
    Orders: "Pay-ins without a customer-facing screen.",
    Refunds: "Giving the money of an order back.",
    Payouts: "Paying out by PIX or TED.",
    Accounts: "The company's banking accounts.",
    "PIX key claims": "Taking over a key that someone else registered.",
    Webhooks: "The webhook configuration, and what could not be delivered.",
    ...Object.assign({}, ...catalog.map(({ api: { tags = {} } }) => tags)),
  },
};

/**
 * Returns the OpenAPI 3.1 description of the API, webhooks included. It is composed of the operations, the events and
 * the schemas. The mark `x-assumption` names the parts that the published API does not show. `statusOf` returns the
 * status of a success, if an assumption decides it.
 */
export function platformDocument(
  server: DescribedServer = DEFAULT_SERVER,
  statusOf?: (operation: Operation) => 200 | 201,
): Json {
  const about = "An access token. `issueToken` gives one to a company with its client credentials.";
  const bearer = { ...bearerScheme(server, about), "x-assumption": "auth.header" };
  const decorators = {
    marks,
    headers: headerParameters,
    parameterSchema,
    requestBody,
    success,
    refusals,
    security: [{ bearer: [] }],
    webhooks: webhooks(),
    schemas: eventSchemas(),
    components: {
      headers: sharedHeaders(),
      responses: sharedResponses(),
      parameters: {
        IdempotencyKeyUuid: idempotencyKey("uuid", "idempotency.format"),
        IdempotencyKeyText: idempotencyKey("text", "idempotency.format"),
        IdempotencyKeyOfOrder: idempotencyKey("text", "order.message-id-header"),
      },
      securitySchemes: { bearer },
    },
  };
  return openapiDocument<Operation>(operations, INFO, decorators, server, statusOf);
}

function marks({ assumption, access }: Operation): Json {
  return {
    ...(assumption !== undefined && { "x-assumption": assumption }),
    ...(access === "anyone" && { security: [] }),
  };
}

/** Returns the schema of a parameter without its description and its examples. */
function parameterSchema({ description: _description, examples: _examples, ...schema }: Schema): Json {
  return flattened(schema);
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

function requestBody({ request, isForm }: Operation): Json | undefined {
  if (request === undefined) return undefined;
  const mediaType = isForm ? "application/x-www-form-urlencoded" : "application/json";
  return { required: true, content: { [mediaType]: bodyContent(request) } };
}
