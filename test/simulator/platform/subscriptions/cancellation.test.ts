import { type Partner, createSubscription, openPartner } from "../../../partner.ts";
import { expect, test } from "vitest";
import type { SandboxObject } from "../../../../src/server/access/sandbox-interface.ts";
import { shapeProblems } from "../../../../src/simulator/api/validation.ts";

const PAYER = { type: "CPF", number: "52998224725" };
const RECEIVER = { type: "CNPJ", number: "11222333000181" };

async function acceptedSubscription(partner: Partner): Promise<string> {
  const { id } = await createSubscription(partner);
  await partner.act("subscription.accept", { id });
  await partner.webhooks();
  return String(id);
}

async function cancellationsOf(partner: Partner, id: string): Promise<SandboxObject[]> {
  const { body } = await partner.ask("GET", `/order/v1/banking/subscriptions/${id}`);
  return body["cancellations"] as SandboxObject[];
}

test("a request is PENDING, then accepted: the events are exactly those in the tables of the platform API", async () => {
  await using partner = await openPartner();
  const id = await acceptedSubscription(partner);
  await partner.act("subscription.request-cancellation", { id, reason: "REQUESTED_BY_PAYER" });
  await partner.advance("PT5S");
  const [, pending, accepted] = await partner.webhooks();
  const [cancellation] = await cancellationsOf(partner, id);
  expect(pending).toEqual({
    event: "SUBSCRIPTION.CANCELLATION.PENDING",
    occurredAt: "2026-11-20T12:00:00.000Z",
    data: {
      id,
      externalId: "subscription-1",
      status: "ACCEPTED",
      cancellation: {
        id: cancellation?.["id"],
        status: "PENDING",
        reason: "REQUESTED_BY_PAYER",
        createdAt: "2026-11-20T12:00:00.000Z",
        canceledAt: null,
        customer: { document: PAYER },
      },
    },
  });
  expect(accepted).toEqual({
    event: "SUBSCRIPTION.CANCELLATION.ACCEPTED",
    occurredAt: "2026-11-20T12:00:05.000Z",
    data: {
      id,
      externalId: "subscription-1",
      status: "CANCELED",
      cancellation: {
        id: cancellation?.["id"],
        status: "ACCEPTED",
        reason: "REQUESTED_BY_PAYER",
        createdAt: "2026-11-20T12:00:00.000Z",
        canceledAt: "2026-11-20T12:00:05.000Z",
        customer: { document: PAYER },
      },
    },
  });
  for (const event of [pending, accepted])
    expect(shapeProblems("SubscriptionCancellationEvent", event)).toEqual([]);
});

test("the subscription shows its requests with their history", async () => {
  await using partner = await openPartner();
  const id = await acceptedSubscription(partner);
  await partner.sandbox.plan({ plan: "cancellation.answer", outcomes: ["REJECTED", "ERROR", "ACCEPTED"] });
  for (const reason of ["FRAUD_SUSPICION", "PAYER_DECEASED", "ACCOUNT_CANCELLATION"]) {
    await partner.act("subscription.request-cancellation", { id, reason });
    await partner.advance("PT5S");
  }
  const requests = await cancellationsOf(partner, id);
  expect(requests.map(({ status, reason }) => [status, reason])).toEqual([
    ["REJECTED", "FRAUD_SUSPICION"],
    ["ERROR", "PAYER_DECEASED"],
    ["ACCEPTED", "ACCOUNT_CANCELLATION"],
  ]);
  expect(requests[0]).toEqual({
    id: expect.any(String) as string,
    idempotencyKey: expect.any(String) as string,
    status: "REJECTED",
    statusHistory: [
      { status: "INITIAL", createdAt: "2026-11-20T12:00:00.000Z" },
      { status: "PENDING", createdAt: "2026-11-20T12:00:00.000Z" },
      { status: "REJECTED", createdAt: "2026-11-20T12:00:05.000Z" },
    ],
    reason: "FRAUD_SUSPICION",
    customer: { document: PAYER },
    createdAt: "2026-11-20T12:00:00.000Z",
    updatedAt: "2026-11-20T12:00:05.000Z",
  });
});

test("a rejected request leaves the subscription unchanged, a failed one sends no event", async () => {
  await using partner = await openPartner();
  const id = await acceptedSubscription(partner);
  await partner.sandbox.plan({ plan: "cancellation.answer", outcomes: ["REJECTED", "ERROR"] });
  for (const reason of ["FRAUD_SUSPICION", "PAYER_DECEASED"]) {
    await partner.act("subscription.request-cancellation", { id, reason });
    await partner.advance("PT5S");
  }
  const events = (await partner.webhooks()).slice(1);
  expect(events.map((event) => [event["event"], (event["data"] as SandboxObject)["status"]])).toEqual([
    ["SUBSCRIPTION.CANCELLATION.PENDING", "ACCEPTED"],
    ["SUBSCRIPTION.CANCELLATION.REJECTED", "ACCEPTED"],
    ["SUBSCRIPTION.CANCELLATION.PENDING", "ACCEPTED"],
  ]);
});

test.each([
  [{ reason: "REQUESTED_BY_PAYER" }, PAYER],
  [{ reason: "REQUESTED_BY_RECEIVER" }, RECEIVER],
  [{ reason: "ACCOUNT_CANCELLATION" }, PAYER],
  [{ reason: "ACCOUNT_CANCELLATION", requestedBy: "receiver" }, RECEIVER],
  [{ reason: "REQUESTED_BY_PAYER", requestedBy: "payer" }, PAYER],
])("%j names the requester", async (fields, document) => {
  await using partner = await openPartner();
  const id = await acceptedSubscription(partner);
  await partner.act("subscription.request-cancellation", { id, ...fields });
  const [, event] = await partner.webhooks();
  expect(event).toMatchObject({ data: { cancellation: { customer: { document } } } });
});

test.each([
  [{}, "reason"],
  [{ reason: "BORED" }, "reason"],
  [{ reason: "FRAUD_SUSPICION", requestedBy: "bank" }, "requestedBy"],
  [{ reason: "REQUESTED_BY_PAYER", requestedBy: "receiver" }, "requestedBy"],
  [{ reason: "FRAUD_SUSPICION", why: "x" }, "why"],
])("a request with %j is refused and the field named", async (fields, field) => {
  await using partner = await openPartner();
  const id = await acceptedSubscription(partner);
  const path = "/sandbox/acts/subscription.request-cancellation";
  const refused = await partner.ask("POST", path, { body: { id, ...fields } });
  expect(refused.status).toBe(400);
  expect(refused.body).toMatchObject({ details: [{ field }] });
});

test("one request at a time", async () => {
  await using partner = await openPartner();
  const id = await acceptedSubscription(partner);
  const request = { body: { id, reason: "FRAUD_SUSPICION" } };
  expect((await partner.ask("POST", "/sandbox/acts/subscription.request-cancellation", request)).status).toBe(
    200,
  );
  const second = await partner.ask("POST", "/sandbox/acts/subscription.request-cancellation", request);
  expect(second.status).toBe(409);
  expect(second.body["message"]).toContain("Possible acts: cancellation.accept");
});

test("an act may answer before the timer, which then does nothing", async () => {
  for (const [name, status] of [
    ["cancellation.accept", "ACCEPTED"],
    ["cancellation.reject", "REJECTED"],
    ["cancellation.fail", "ERROR"],
  ] as const) {
    await using partner = await openPartner();
    const subscription = await acceptedSubscription(partner);
    await partner.act("subscription.request-cancellation", { id: subscription, reason: "FRAUD_SUSPICION" });
    const [request] = await cancellationsOf(partner, subscription);
    expect(await partner.act(name, { id: request?.["id"] })).toMatchObject({ status });
    await partner.advance("P1D");
    expect((await cancellationsOf(partner, subscription))[0]).toMatchObject({ status });
    const again = await partner.ask("POST", "/sandbox/acts/cancellation.accept", {
      body: { id: request?.["id"] },
    });
    expect(again.status).toBe(409);
  }
});

test("a request whose subscription has ended otherwise is rejected", async () => {
  await using partner = await openPartner();
  const { id } = await createSubscription(partner);
  await partner.act("subscription.request-cancellation", { id, reason: "REQUESTED_BY_RECEIVER" });
  await partner.act("subscription.reject", { id });
  await partner.advance("PT5S");
  const events = await partner.webhooks();
  expect(events.at(-1)).toMatchObject({
    event: "SUBSCRIPTION.CANCELLATION.REJECTED",
    data: { status: "REJECTED", cancellation: { status: "REJECTED", canceledAt: null } },
  });
});

test("a pending subscription can be canceled too, with its first charge", async () => {
  await using partner = await openPartner();
  const { id } = await createSubscription(partner, {
    type: "AUTHORIZATION_QRCODE_IMMEDIATE_PAYMENT",
    initialCharge: { amount: { currency: "BRL", value: "59.90" } },
  });
  await partner.act("subscription.request-cancellation", { id, reason: "REQUESTED_BY_RECEIVER" });
  await partner.advance("PT5S");
  const events = await partner.webhooks();
  expect(events.map((event) => event["event"])).toEqual([
    "SUBSCRIPTION.CANCELLATION.PENDING",
    "ORDER-PAYIN.CANCELED",
    "SUBSCRIPTION.CANCELLATION.ACCEPTED",
  ]);
});

test.each(["subscription.reject", "subscription.fail"])(
  "after %s there is nothing to cancel",
  async (name) => {
    await using partner = await openPartner();
    const { id } = await createSubscription(partner);
    await partner.act(name, { id });
    const path = "/sandbox/acts/subscription.request-cancellation";
    expect((await partner.ask("POST", path, { body: { id, reason: "FRAUD_SUSPICION" } })).status).toBe(409);
  },
);
