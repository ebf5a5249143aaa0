import type { HttpInteraction } from "./pact-json.ts";
import type { SentMessage } from "./exchange.ts";
import { eventDescription, kindOf } from "./event-description.ts";
import { references } from "./references.ts";
import { rule } from "./pact-json.ts";

/** The header by which the signing proxy is told how to sign; it goes no further. */
export const SIGN_HEADER = "X-Sandbox-Sign";

/** How the proxy signs: as it should, with another secret, or not at all. */
type Signing = "valid" | "wrong-secret" | "none";

/** Where a receiver listens in the pact; the verifier is told the receiver's own address. */
const RECEIVER_PATH = "/";

/** The deliveries of a webhook as the receiver has to answer them: accepted, and turned away where badly signed. */
export function receiverInteractions(message: SentMessage): HttpInteraction[] {
  return [delivery(message, "valid", eventDescription(message.event, message.body))];
}

/** The same event badly signed. */
export function rejectionInteractions(message: SentMessage): HttpInteraction[] {
  const kind = kindOf(message.event, message.body);
  return [
    delivery(message, "wrong-secret", `${kind} signed with another secret is turned away`),
    delivery(message, "none", `${kind} without a signature is turned away`),
  ];
}

function delivery(message: SentMessage, signing: Signing, description: string): HttpInteraction {
  const contentType = "application/json";
  const isGood = signing === "valid";
  return {
    type: "Synchronous/HTTP",
    description,
    providerStates: [],
    comments: references(message.scenario),
    request: {
      method: "POST",
      path: RECEIVER_PATH,
      headers: { "Content-Type": [contentType], [SIGN_HEADER]: [signing] },
      // The bytes as they are sent: a pact that held JSON would write it anew.
      body: { content: Buffer.from(message.body).toString("base64"), contentType, encoded: "base64" },
    },
    response: {
      status: isGood ? 200 : 401,
      matchingRules: {
        status: rule({ match: "statusCode", status: isGood ? "success" : "clientError" }),
      },
    },
  };
}
