import type { HttpInteraction } from "./pact-json.ts";
import type { JsonObject } from "../../receiver/event-source.ts";
import type { SentMessage } from "./exchange.ts";
import type { Signing } from "../receiver-pact/signing.ts";
import { CANARIES } from "../../receiver/spellings.ts";
import { eventDescription, kindOf } from "./event-description.ts";
import { references } from "./references.ts";
import { rule } from "./pact-json.ts";
import { SIGN_HEADER } from "../receiver-pact/signing.ts";

/** Where a receiver listens in the pact; the verifier is told the receiver's own address. */
const RECEIVER_PATH = "/";

const JSON_TYPE = "application/json";

/** What comes badly signed, in words. */
const REJECTED: Readonly<Record<Exclude<Signing, "valid">, string>> = {
  "wrong-secret": "signed with another secret",
  "empty-secret": "signed with an empty secret",
  "other-bytes": "with the signature of the same content in other bytes",
  short: "with a signature of three digits",
  none: "without a signature",
};

/** The delivery of a webhook as the receiver has to acknowledge it. */
export function deliveryInteraction(message: SentMessage): HttpInteraction {
  return delivery(message, { description: eventDescription(message.event, message.body) });
}

/**
 * What one event suffices for: it is acknowledged when it comes again and in every spelling that JSON has, and
 * turned away where it is badly signed. Only a receiver that verifies the raw bytes does all of that.
 */
export function strictInteractions(message: SentMessage): HttpInteraction[] {
  const kind = kindOf(message.event, message.body);
  const event = JSON.parse(message.body) as JsonObject;
  const rejected = Object.entries(REJECTED) as [Signing, string][];
  return [
    delivery(message, { description: `${kind} that comes again is acknowledged` }),
    ...CANARIES.map(({ name, write }) =>
      delivery(
        { ...message, body: write(event) },
        { description: `${kind} spelt with ${name} is acknowledged` },
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
      // The bytes as they are sent: a pact that held JSON would write it anew.
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
