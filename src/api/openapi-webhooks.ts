import { events, eventShapes, type EventDescription } from "./events.ts";
import { exampleOf, withChanges } from "./examples.ts";
import { bodyContent } from "./openapi-responses.ts";
import { reference, type Json } from "./openapi-schemas.ts";
import type { ShapeName } from "./operations.ts";
import { definition } from "./schemas.ts";

/** Every event as an OpenAPI webhook: what arrives at the partner's URL and what the partner answers. */
export function webhooks(): Json {
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
        content: { "application/json": bodyContent("WebhookAcknowledgement") },
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
  const shapes = eventShapes(event);
  const examples = shapes.map((shape) => [shape, { value: eventExample(name, event, shape) }]);
  return {
    schema: shapes.length === 1 ? shapes.map(reference)[0] : { oneOf: shapes.map(reference) },
    examples: Object.fromEntries(examples) as Json,
  };
}

function eventExample(name: string, event: EventDescription, shape: ShapeName): unknown {
  return withChanges(exampleOf(definition(shape).schema), { event: name, ...event.shapes[shape] });
}
