import type { SandboxObject } from "../../../src/server/access/sandbox-interface.ts";
import { createSubscription, openPartner, payoutBody } from "../../partner.ts";
import { expect, test } from "vitest";
import { processorMs } from "../../processor-time.ts";

test("the collections are counted without being listed", async () => {
  await using partner = await openPartner();
  await createSubscription(partner);
  const { body } = await partner.ask("GET", "/sandbox/resources");
  const statuses = { PENDING_AUTHORIZATION: 1 };
  expect(body["data"]).toContainEqual(
    expect.objectContaining({ collection: "subscriptions", count: 1, statuses, noun: "subscription" }),
  );
  expect(body["data"]).toContainEqual(
    expect.objectContaining({
      collection: "orders",
      count: 0,
      statuses: {},
      ends: expect.objectContaining({ PAID: "good" }),
      origin: expect.objectContaining({ operation: "createTransparentOrder" }),
    }),
  );
});

test("the newest objects of a status can be requested, and an unknown status is refused with the nearest", async () => {
  await using partner = await openPartner();
  for (const externalId of ["a", "b", "c"]) await createSubscription(partner, { externalId });
  const { body } = await partner.ask("GET", "/sandbox/resources/subscriptions");
  const [first] = body["data"] as SandboxObject[];
  await partner.act("subscription.accept", { id: first?.["id"] });
  const idsOf = async (query: string): Promise<unknown> => {
    const found = await partner.ask("GET", `/sandbox/resources/subscriptions?${query}`);
    return (found.body["data"] as SandboxObject[]).map(({ externalId }) => externalId);
  };
  expect(await idsOf("status=ACCEPTED")).toEqual(["a"]);
  expect(await idsOf("status=PENDING_AUTHORIZATION&last=1")).toEqual(["c"]);
  expect(await idsOf("status=CANCELED")).toEqual([]);
  const refused = await partner.ask("GET", "/sandbox/resources/subscriptions?status=ACEPTED");
  expect(refused.status).toBe(400);
  expect(JSON.stringify(refused.body)).toContain("Did you mean ACCEPTED?");
});

test("what is due next is listed with its object, in the order in which it happens", async () => {
  await using partner = await openPartner();
  expect((await partner.ask("GET", "/sandbox/clock/due")).body).toEqual({ data: [], total: 0 });
  const { id } = await createSubscription(partner);
  await partner.act("subscription.accept", { id });
  await partner.act("subscription.request-cancellation", { id, reason: "REQUESTED_BY_PAYER" });
  const payout = { body: payoutBody(), key: "k" };
  const made = await partner.ask("POST", "/order/v1/banking/order-payouts", payout);
  const { body } = await partner.ask("GET", "/sandbox/clock/due");
  const due = body["data"] as SandboxObject[];
  expect(due.map(({ at, timer }) => [at, timer])).toEqual([
    ["2026-11-20T12:00:02.000Z", "payout.settlement"],
    ["2026-11-20T12:00:05.000Z", "cancellation.answer"],
  ]);
  expect(due[0]).toMatchObject({ collection: "payouts", objectId: made.body["id"] });
  expect(due[1]).toMatchObject({ collection: "cancellations" });
  const limited = await partner.ask("GET", "/sandbox/clock/due?limit=1");
  expect(limited.body).toEqual({ data: [due[0]], total: 2 });
  await partner.advance({ until: "next" });
  expect((await partner.ask("GET", "/sandbox/clock/due")).body).toEqual({ data: [due[1]], total: 1 });
});

test("a webhook that a receiver refused is due to be sent again, also while the clock stands", async () => {
  await using partner = await openPartner();
  partner.receiver.script([{ status: 500 }]);
  const { id } = await createSubscription(partner);
  await partner.act("subscription.accept", { id });
  const due = async () => (await partner.ask("GET", "/sandbox/clock/due")).body["data"];
  const retry = { timer: "webhook.retry", at: "2026-11-20T12:01:00.000Z" };
  expect(await due()).toEqual([expect.objectContaining(retry)]);
  expect(await due()).toEqual([expect.objectContaining(retry)]);
  await partner.advance({ to: retry.at });
  expect(await due()).toEqual([]);
});

test("what is due for every transaction of a large payout is listed in a moment", async () => {
  await using partner = await openPartner({ assumptions: { "payout.batch-threshold": "0.01" } });
  const body = payoutBody({ amount: { currency: "BRL", value: "30.00" } });
  const begun = processorMs();
  expect((await partner.ask("POST", "/order/v1/banking/order-payouts", { body, key: "k" })).status).toBe(201);
  const madeMs = processorMs() - begun;
  const listing = processorMs();
  const due = await partner.ask("GET", "/sandbox/clock/due");
  expect(due.body["total"]).toBe(3_000);
  // Where each of them makes the view of the whole payout, that takes a hundred times as long as to create it.
  expect(processorMs() - listing).toBeLessThan(10 * madeMs);
});

test("the newest objects of a collection can be requested", async () => {
  await using partner = await openPartner();
  for (const externalId of ["a", "b", "c"]) await createSubscription(partner, { externalId });
  const newest = async (last: string): Promise<unknown[]> => {
    const { body } = await partner.ask("GET", `/sandbox/resources/subscriptions?last=${last}`);
    return (body["data"] as SandboxObject[]).map(({ externalId }) => externalId as string);
  };
  expect(await newest("2")).toEqual(["b", "c"]);
  expect(await newest("0")).toEqual([]);
  expect(await newest("99")).toEqual(["a", "b", "c"]);
});

test.each(["resources/orders?last=-1", "deliveries?last=few", "timeline?since=1e3", "timeline?until=x"])(
  "/sandbox/%s is refused: it is not a number",
  async (path) => {
    await using partner = await openPartner();
    const refused = await partner.ask("GET", `/sandbox/${path}`);
    expect(refused.status).toBe(400);
    expect(JSON.stringify(refused.body)).toContain("must be a whole number");
  },
);

test("the newest deliveries can be requested", async () => {
  await using partner = await openPartner();
  for (const externalId of ["a", "b"]) {
    const { id } = await createSubscription(partner, { externalId });
    await partner.act(externalId === "a" ? "subscription.accept" : "subscription.reject", { id });
  }
  await partner.webhooks();
  const { body } = await partner.ask("GET", "/sandbox/deliveries?last=1");
  expect(body["data"]).toMatchObject([{ event: "SUBSCRIPTION.REJECTED" }]);
});

test("the timeline continues from where it was last read, and can show a single entry", async () => {
  await using partner = await openPartner();
  const { next } = (await partner.ask("GET", "/sandbox/timeline")).body;
  expect((await partner.ask("GET", `/sandbox/timeline?since=${String(next)}`)).body["data"]).toEqual([]);
  await createSubscription(partner);
  const news = (await partner.ask("GET", `/sandbox/timeline?since=${String(next)}`)).body;
  expect(news["data"]).toMatchObject([{ entry: next, cause: "call createSubscription" }]);
  const one = await partner.ask("GET", `/sandbox/timeline?since=${String(next)}&until=${String(next)}`);
  expect(one.body["data"]).toEqual(news["data"]);
});

test("an act is listed with the states that allow it and the resolved schema of its fields", async () => {
  await using partner = await openPartner();
  const { body } = await partner.ask("GET", "/sandbox/acts");
  const acts = new Map((body["data"] as SandboxObject[]).map((act) => [act["act"] as string, act]));
  expect(acts.get("order.pay")).toMatchObject({ from: ["INITIAL", "PENDING", "PARTIALLY_PAID", "ANALYSIS"] });
  expect(acts.get("webhook.set-url")).toMatchObject({ from: null });
  expect(acts.get("subscription.reject")).toMatchObject({ schema: null });
  const { schema } = acts.get("subscription.request-cancellation") as SandboxObject;
  expect(schema).toMatchObject({
    properties: { reason: { enum: expect.arrayContaining(["FRAUD_SUSPICION"]) as [] } },
  });
  expect(JSON.stringify(body)).not.toContain("$ref");
});

test("the plans that can be made are listed with their outcomes", async () => {
  await using partner = await openPartner();
  const { body } = await partner.ask("GET", "/sandbox/plans");
  expect(body["plans"]).toContainEqual({
    plan: "claim.answer",
    summary: "The donor's answer to a claim",
    outcomes: ["COMPLETED", "DENIED"],
  });
});
