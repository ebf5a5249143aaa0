import { bodySpellings } from "../../simulator/platform/faults/body-spellings.ts";
import { definition } from "../../simulator/api/schemas.ts";
import { events, eventShapes } from "../../simulator/api/events.ts";
import { expectedBy } from "./matching-rules.ts";
import { type HttpInteraction, type MessageInteraction, references, rule } from "./pact-json.ts";
import { SIGN_HEADER, type Signing } from "../verification/receiver-verification.ts";
import { type SentMessage, stateAfter } from "./recording.ts";
import { shapeProblems } from "../../simulator/api/validation.ts";
import { SIGNATURE_HEADER } from "../../simulator/api/signature.ts";

const JSON_TYPE = "application/json";

/** Describes an event for a pact: its kind first, then a sentence. */
function descriptionOf({ kind: { name, summary } }: SentMessage): string {
  return `${name}: ${summary}`;
}

/** Returns the message interaction of a webhook. Its description begins with its event. */
export function messageInteraction(message: SentMessage): MessageInteraction {
  const { scenario, kind, body, metadata } = message;
  const example = JSON.parse(body) as unknown;
  const shape = eventShapes(events[kind.event]).find((one) => shapeProblems(one, example).length === 0);
  if (shape === undefined) throw new Error(`no shape of ${kind.event} fits ${body}`);
  const expected = expectedBy(definition(shape).schema, example);
  return {
    type: "Asynchronous/Messages",
    description: descriptionOf(message),
    providerStates: [stateAfter(scenario)],
    comments: references(scenario),
    contents: { content: expected.content, contentType: JSON_TYPE, encoded: false },
    metadata,
    matchingRules: {
      // The event is the subject of the message, so no other event may replace it.
      body: { ...expected.rules, "$.event": rule({ match: "equality" }) },
      metadata: {
        contentType: rule({ match: "regex", regex: `^${JSON_TYPE}(;.*)?$` }),
        [SIGNATURE_HEADER]: rule({ match: "regex", regex: "^sha256=[0-9a-f]{64}$" }),
      },
    },
  };
}

/** The receiver's path in the pact; the verifier is given the receiver's own URL. */
const RECEIVER_PATH = "/";

/** The descriptions of deliveries with a bad signature in pacts. */
const REJECTED: Readonly<Record<Exclude<Signing, "valid">, string>> = {
  "wrong-secret": "signed with another secret",
  "empty-secret": "signed with an empty secret",
  "other-bytes": "with the signature of the same content in other bytes",
  short: "with a signature of three digits",
  none: "without a signature",
};

/** Returns the delivery of a webhook as an interaction. The receiver has to acknowledge it. */
export function deliveryInteraction(message: SentMessage): HttpInteraction {
  return delivery(message, { description: descriptionOf(message) });
}

/**
 * Interactions with one event: it is acknowledged when it is delivered again and in every spelling that JSON
 * allows, and rejected with a bad signature. Only a receiver that verifies the raw bytes does all of that.
 */
export function strictInteractions(message: SentMessage): HttpInteraction[] {
  const { name: kind } = message.kind;
  const event = JSON.stringify(JSON.parse(message.body));
  const rejected = Object.entries(REJECTED) as [Signing, string][];
  return [
    delivery(message, { description: `${kind} that comes again is acknowledged` }),
    ...Object.values(bodySpellings).map(({ is, write }) =>
      delivery(
        { ...message, body: write(event) },
        { description: `${kind} spelt with ${is} is acknowledged` },
      ),
    ),
    ...rejected.map(([signing, what]) =>
      delivery(message, { description: `${kind} ${what} is turned away`, signing }),
    ),
  ];
}

function delivery(
  message: SentMessage,
  { description, signing = "valid" }: { readonly description: string; readonly signing?: Signing },
): HttpInteraction {
  const isGood = signing === "valid";
  return {
    type: "Synchronous/HTTP",
    description,
    providerStates: [],
    comments: references(message.scenario),
    request: {
      method: "POST",
      path: RECEIVER_PATH,
      headers: { "Content-Type": [JSON_TYPE], [SIGN_HEADER]: [signing] },
      // The bytes as they are sent: JSON in a pact would be written in another form.
      body: {
        content: Buffer.from(message.body).toString("base64"),
        contentType: JSON_TYPE,
        encoded: "base64",
      },
    },
    response: {
      status: isGood ? 200 : 401,
      matchingRules: {
        status: rule({ match: "statusCode", status: isGood ? "success" : "clientError" }),
      },
    },
  };
}
