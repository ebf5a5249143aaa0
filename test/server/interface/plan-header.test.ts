import type { SandboxObject } from "../../../src/server/access/sandbox-interface.ts";
import { type Partner, openPartner, payoutBody, subscriptionBody } from "../../partner.ts";
import { expect, test } from "vitest";
import { parse } from "yaml";

const payout = payoutBody({ externalId: "p-1", amount: { currency: "BRL", value: "10.00" } });

const START = "2026-11-20T09:00:00-03:00";

interface Sent {
  readonly path?: string;
  readonly key?: string;
  readonly body?: object;
}

async function create(
  partner: Partner,
  plan: string,
  { path = "order-payouts", key = "k-1", body = payout }: Sent = {},
) {
  const response = await partner.sandbox.fetch(`/order/v1/banking/${path}`, {
    method: "POST",
    headers: { authorization: "Bearer acme-token", "idempotency-key": key, "x-sandbox-plan": plan },
    body: JSON.stringify(body),
  });
  const answer = (await response.json()) as SandboxObject & {
    details: { field: string; description: string }[];
  };
  return { status: response.status, echoed: response.headers.get("x-sandbox-plan"), body: answer };
}

const statuses = async (partner: Partner, collection: string): Promise<unknown[]> => {
  const { data } = (await partner.ask("GET", `/sandbox/resources/${collection}`)).body;
  return (data as SandboxObject[]).map(({ status }) => status);
};

test("a plan that comes with a call is for what the call makes, and is repeated in the answer", async () => {
  await using partner = await openPartner({ start: START });
  await create(partner, "payout.settlement=PAID", { key: "k-0", body: { ...payout, externalId: "p-0" } });
  const made = await create(partner, "payout.settlement=ERROR");
  expect(made).toMatchObject({ status: 201, echoed: "payout.settlement=ERROR" });
  const other = { ...payout, externalId: "p-2" };
  await partner.ask("POST", "/order/v1/banking/order-payouts", { key: "k-2", body: other });
  await partner.advance("PT1M");
  expect(await statuses(partner, "payouts")).toEqual(["PAID", "ERROR", "PAID"]);
  const { data } = (await partner.ask("GET", "/sandbox/plans")).body;
  expect(data).toMatchObject([
    { plan: "payout.settlement", outcomes: ["PAID"], used: 1 },
    { plan: "payout.settlement", on: made.body["id"], outcomes: ["ERROR"], used: 1 },
  ]);
});

test("it is used before a plan for the next object of its kind, also by a step within the call", async () => {
  await using partner = await openPartner({ start: START });
  const plan = { plan: "subscription.registration", outcomes: ["REGISTERED"] };
  expect((await partner.ask("POST", "/sandbox/plans", { body: { ...plan } })).status).toBeLessThan(500);
  const made = await create(partner, "subscription.registration=ERROR", {
    path: "subscriptions",
    body: subscriptionBody(),
  });
  expect(made.status).toBe(201);
  await partner.advance("PT1M");
  expect(await statuses(partner, "subscriptions")).toEqual(["ERROR"]);
});

test("several plans are separated by semicolons", async () => {
  await using partner = await openPartner({ start: START });
  const sub = await create(partner, "subscription.authorization=ACCEPTED ; cancellation.answer=REJECTED", {
    path: "subscriptions",
    body: subscriptionBody(),
  });
  expect(sub.body).toMatchObject({ status: expect.any(String) });
  expect(sub.status).toBe(201);
  const { data } = (await partner.ask("GET", "/sandbox/plans")).body;
  expect(data).toMatchObject([
    { plan: "subscription.authorization", on: sub.body["id"] },
    { plan: "cancellation.answer", on: sub.body["id"] },
  ]);
});

for (const [plan, word] of [
  ["payout.setlement=ERROR", "Did you mean payout.settlement?"],
  ["payout.settlement=BROKEN", "must be one of"],
  ["payout.settlement", "must be one of"],
  ["payout.settlement=ERROR;", "There is no plan"],
  ["", "There is no plan"],
  ["refund.outcome=ERROR", "this call makes none"],
  ["subscription.registration=ERROR", "this call makes none"],
] as const)
  test(`the plan "${plan}" is refused, and nothing is made`, async () => {
    await using partner = await openPartner({ start: START });
    const { status, body } = await create(partner, plan);
    expect(status).toBe(400);
    expect(body.details).toMatchObject([
      { field: "x-sandbox-plan", description: expect.stringContaining(word) },
    ]);
    expect(await statuses(partner, "payouts")).toEqual([]);
    expect((await partner.ask("GET", "/sandbox/plans")).body["data"]).toEqual([]);
    expect((await create(partner, "payout.settlement=ERROR")).status).toBe(201);
  });

test("a call that creates nothing takes no plan", async () => {
  await using partner = await openPartner({ start: START });
  const answer = await partner.sandbox.fetch("/order/v1/banking/accounts", {
    headers: { authorization: "Bearer acme-token", "x-sandbox-plan": "payout.settlement=ERROR" },
  });
  expect(answer.status).toBe(400);
});

test("a recording has the header", async () => {
  await using partner = await openPartner({ start: START });
  await create(partner, "payout.settlement=ERROR");
  const { steps } = parse(await partner.sandbox.recording()) as { steps: { headers?: object }[] };
  expect(steps[0]?.headers).toEqual({ "x-sandbox-plan": "payout.settlement=ERROR" });
});

test("the order of a first charge is made by the call that creates its subscription", async () => {
  await using partner = await openPartner({ start: START });
  const made = await create(partner, "order.payment=PAID", {
    path: "subscriptions",
    body: subscriptionBody({
      type: "AUTHORIZATION_QRCODE_IMMEDIATE_PAYMENT",
      initialCharge: {
        amount: { currency: "BRL", value: "10.00" },
        expireDateTime: "2026-11-20T15:00:00-03:00",
      },
    }),
  });
  const { orderId } = made.body["initialCharge"] as { orderId: string };
  expect((await partner.ask("GET", "/sandbox/plans")).body["data"]).toMatchObject([{ on: orderId }]);
});
