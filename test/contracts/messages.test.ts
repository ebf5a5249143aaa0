import type { EventName } from "../../src/simulator/api/vocabulary.ts";
import { expect, test } from "vitest";
import { eventShapes, events } from "../../src/simulator/api/events.ts";
import { signatureOf } from "../../src/simulator/api/signature.ts";
import { type Partner, openPartner } from "../partner.ts";
import { shapeProblems } from "../../src/simulator/api/validation.ts";

async function message(partner: Partner, description: string, providerStates: object[] = []) {
  const response = await partner.sandbox.fetch("/sandbox/pact/messages", {
    method: "POST",
    body: JSON.stringify({ description, providerStates }),
  });
  const text = await response.text();
  const header = response.headers.get("pact-message-metadata") ?? "bnVsbA==";
  const metadata = JSON.parse(Buffer.from(header, "base64").toString("utf8")) as Record<string, string>;
  return { status: response.status, text, body: JSON.parse(text) as Record<string, unknown>, metadata };
}

test.each(Object.keys(events) as EventName[])("without a state the message %s is sent", async (event) => {
  await using partner = await openPartner();
  const { status, body } = await message(partner, `${event} webhook`);
  expect(status).toBe(200);
  expect(body["event"]).toBe(event);
  const problems = eventShapes(events[event]).map((shape) => shapeProblems(shape, body).length);
  expect(problems).toContain(0);
});

test("the metadata contain the content type in every spelling and the signature of these very bytes", async () => {
  await using partner = await openPartner();
  const { text, metadata } = await message(partner, "ORDER-PAYOUT.PAID");
  expect(metadata).toEqual({
    contentType: "application/json",
    "content-type": "application/json",
    "Content-Type": "application/json",
    "X-Signature-SHA256": signatureOf("acme-webhook-secret", Buffer.from(text)),
  });
});

test.each([
  ["ORDER-PAYIN.ERROR of a refund", "REFUND"],
  ["ORDER-PAYIN.ERROR (PAY-IN)", "PAY-IN"],
  ["the event order-payin.error, type refund", "REFUND"],
])("%s is the event of type %s", async (description, type) => {
  await using partner = await openPartner();
  expect((await message(partner, description)).body).toMatchObject({ event: "ORDER-PAYIN.ERROR", type });
});

test("an event is sent in the states entered before it, or as the clock advances", async () => {
  await using partner = await openPartner();
  const state = { name: "a payout is pending", params: { externalId: "mine" } };
  await partner.ask("POST", "/sandbox/pact/states", {
    body: { action: "setup", state: state.name, params: state.params },
  });
  expect((await message(partner, "ORDER-PAYOUT.PAID", [state])).body).toMatchObject({ code: "mine" });
});

test("a description without an event name means the event that its state leads to, or the last one", async () => {
  await using partner = await openPartner();
  const failed = [{ name: "a refund failed" }];
  expect((await message(partner, "the money did not come back", failed)).body).toMatchObject({
    event: "ORDER-PAYIN.ERROR",
    type: "REFUND",
  });
  const undelivered = [{ name: "an event was not delivered" }];
  expect((await message(partner, "something was missed", undelivered)).body).toMatchObject({
    event: "SUBSCRIPTION.ACCEPTED",
  });
});

test("where a verifier sets up no states, they are entered with the message", async () => {
  await using partner = await openPartner();
  const state = { name: "a payout failed", params: { externalId: "yours" } };
  expect((await message(partner, "ORDER-PAYOUT.ERROR", [state])).body).toMatchObject({ code: "yours" });
});

test.each([
  ["ORDER-PAYOUT.PAYED", [], 'Did you mean "ORDER-PAYOUT.PAID"'],
  ["something happened", [], "names no event."],
  ["something happened", [{ name: "an account is closed" }], "its states do not lead to an event"],
  [
    "SUBSCRIPTION.ACCEPTED",
    [{ name: "a subscription waits for authorization" }],
    'The state "a subscription was accepted" leads to it.',
  ],
  ["SUBSCRIPTION.REJECTED", [{ name: "a subscription was accepted" }], "It sent SUBSCRIPTION.ACCEPTED."],
  ["ORDER-PAYOUT.PAID", [{ name: "a payout payd" }], "There is no provider state"],
])("the message %s out of %j is refused: %s", async (description, providerStates, sentence) => {
  await using partner = await openPartner();
  const { status, text } = await message(partner, description, providerStates);
  expect(status).toBe(400);
  expect(text.replaceAll('\\"', '"')).toContain(sentence);
});
