import type { ShapeName } from "./generated/shapes.ts";
import type { EventDescription } from "../platform/operations.ts";
import { events, eventShapes, typeOfShape } from "./events.ts";
import { bodyContent } from "./openapi-responses.ts";
import { componentSchema, type Json } from "./openapi-schemas.ts";
import { definition, exampleOf, withChanges } from "./schemas.ts";
import { SIGNATURE_HEADER } from "./signature.ts";

const described = Object.entries<EventDescription>(events);

/** Returns every event as an OpenAPI webhook: the request to the partner's URL and the partner's answer. */
export function webhooks(): Json {
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
        content: { "application/json": bodyContent("WebhookAcknowledgement") },
      },
    },
  };
}

const signature = {
  name: SIGNATURE_HEADER,
  in: "header",
  required: true,
  description:
    "sha256= and the hex HMAC-SHA256 of the raw body under the webhook secret. Compare it in constant time, over the bytes as they came.",
  schema: { type: "string", pattern: "^sha256=[0-9a-f]{64}$" },
  example: "sha256=5d5d139563c95b5967b9bd9a8c9b233a9dedb45072794cd232dc1b74832607d0",
};

function eventContent(name: string, event: EventDescription): Json {
  const examples = eventShapes(event).map((shape) => [shape, { value: eventExample(name, event, shape) }]);
  return { schema: schemaReference(schemaName(name)), examples: Object.fromEntries(examples) as Json };
}

function eventExample(name: string, event: EventDescription, shape: ShapeName): unknown {
  return withChanges(exampleOf(definition(shape).schema), { event: name, ...event.shapes[shape] });
}

/**
 * Returns a schema for each event, with the name of the event as a constant. An event of two shapes is a union of them
 * that their `type` distinguishes.
 */
export function eventSchemas(): Json {
  const schemas = described.flatMap(([name, event]) => schemasOf(name, event));
  return Object.fromEntries(schemas) as Json;
}

function schemasOf(name: string, event: EventDescription): [string, Json][] {
  const shapes = eventShapes(event);
  const [only] = shapes;
  if (shapes.length === 1 && only !== undefined) return [[schemaName(name), schemaOf(name, event, only)]];
  const variants = shapes.map((shape): [string, Json] => [
    schemaName(`${name}.${typeOfShape(shape)}`),
    schemaOf(name, event, shape),
  ]);
  const types = shapes.map((shape, at) => [typeOfShape(shape), schemaPath(variants[at]?.[0] ?? "")]);
  const union = {
    description: `${event.summary}.`,
    type: "object",
    properties: {
      event: { type: "string", enum: [name], const: name },
      type: { type: "string", enum: shapes.map(typeOfShape) },
    },
    required: ["event", "type"],
    unevaluatedProperties: true,
    oneOf: variants.map(([variant]) => schemaReference(variant)),
    discriminator: { propertyName: "type", mapping: Object.fromEntries(types) as Json },
  };
  return [[schemaName(name), union], ...variants];
}

/** Returns the shape of an event with its own `event` as a constant and its own example. */
function schemaOf(name: string, event: EventDescription, shape: ShapeName): Json {
  const { properties, ...schema } = componentSchema(shape);
  const { event: written, ...others } = properties as Record<string, Json>;
  const constant = { ...written, enum: [name], const: name, examples: [name] };
  return {
    ...schema,
    description: `${event.summary}.`,
    properties: { event: constant, ...others },
    examples: [eventExample(name, event, shape)],
  };
}

/** Writes `ORDER-PAYIN.PARTIALLY_PAID` as `OrderPayinPartiallyPaidEvent`. */
function schemaName(event: string): string {
  const words = event.toLowerCase().split(/[-._]/);
  return `${words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("")}Event`;
}

function schemaPath(name: string): string {
  return `#/components/schemas/${name}`;
}

function schemaReference(name: string): Json {
  return { $ref: schemaPath(name) };
}
