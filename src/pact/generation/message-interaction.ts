import type { MessageInteraction } from "./pact-json.ts";
import type { SentMessage } from "./exchange.ts";
import { definition } from "../../api/schemas.ts";
import { events, eventShapes } from "../../api/events.ts";
import { expectedBy } from "./matching-rules.ts";
import { eventDescription } from "./event-description.ts";
import { stateAfter } from "./record.ts";
import { references } from "./references.ts";
import { rule } from "./pact-json.ts";
import { validateShape } from "../../api/validation.ts";

/** The message interaction of a webhook; its description begins with its event. */
export function messageInteraction(message: SentMessage): MessageInteraction {
  const { scenario, event, body, metadata } = message;
  const example = JSON.parse(body) as unknown;
  const shape = eventShapes(events[event as keyof typeof events]).find(
    (one) => validateShape(one, example).length === 0,
  );
  if (shape === undefined) throw new Error(`no shape of ${event} fits ${body}`);
  const expected = expectedBy(definition(shape).schema, example);
  return {
    type: "Asynchronous/Messages",
    description: eventDescription(event, body),
    providerStates: [stateAfter(scenario)],
    comments: references(scenario),
    contents: { content: expected.content, contentType: "application/json", encoded: false },
    metadata,
    matchingRules: {
      // The event is what the message is about: no other may come in its place.
      body: { ...expected.rules, "$.event": rule({ match: "equality" }) },
      metadata: {
        contentType: rule({ match: "regex", regex: "^application/json(;.*)?$" }),
        "X-Signature-SHA256": rule({ match: "regex", regex: "^sha256=[0-9a-f]{64}$" }),
      },
    },
  };
}
