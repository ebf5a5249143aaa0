import { createSubscription, openPartner } from "../../partner.ts";
import { expect, test } from "vitest";
import type { SandboxObject } from "../../../src/server/access/sandbox-interface.ts";

test("health is answered without a token", async () => {
  await using partner = await openPartner();
  const { status, body } = await partner.ask("GET", "/sandbox/health", { token: null });
  expect(status).toBe(200);
  expect(body).toMatchObject({ status: "ok" });
});

test("an unknown token is refused by the sandbox's own API too", async () => {
  await using partner = await openPartner();
  expect((await partner.ask("GET", "/sandbox/clock", { token: "nobody" })).status).toBe(401);
});

test("the acts are listed with their collections", async () => {
  await using partner = await openPartner();
  const { body } = await partner.ask("GET", "/sandbox/acts");
  const acts = body["data"] as SandboxObject[];
  expect(acts).toContainEqual({
    act: "subscription.accept",
    collection: "subscriptions",
    summary: expect.any(String) as string,
    fields: "SubscriptionAcceptFields",
    from: ["PENDING_AUTHORIZATION"],
    schema: expect.objectContaining({ additionalProperties: false }) as object,
  });
});

test.each([
  ["subscription.acept", { id: "x" }, 404, "Did you mean subscription.accept?"],
  ["subscription.accept", {}, 400, "id must name an object of subscriptions"],
  ["subscription.accept", { id: 7 }, 400, "id must name an object of subscriptions"],
  ["subscription.accept", { id: "00000000-0000-4000-8000-000000000000" }, 404, "There is no object"],
  ["subscription.accept", { id: "x", payer: { name: "P" } }, 400, "payer.document"],
  ["subscription.reject", { id: "x", why: "y" }, 400, "why"],
])("the act %s with %j is refused with a sentence to act on", async (act, body, status, sentence) => {
  await using partner = await openPartner();
  const refused = await partner.ask("POST", `/sandbox/acts/${act}`, { body });
  expect(refused.status).toBe(status);
  expect(JSON.stringify(refused.body)).toContain(sentence);
});

test("the company's webhook URL is set without naming an id, and its events go there", async () => {
  await using partner = await openPartner();
  const url = "http://elsewhere.example/hooks";
  const set = await partner.ask("POST", "/sandbox/acts/webhook.set-url", { body: { url } });
  expect(set.body).toMatchObject({ url, secret: "acme-webhook-secret" });
  const bad = await partner.ask("POST", "/sandbox/acts/webhook.set-url", { body: { url: "nowhere" } });
  expect(bad.body).toMatchObject({ details: [{ field: "url" }] });
});

test("without a token a webhook URL is set for the first company of the world", async () => {
  await using partner = await openPartner();
  const webhook = await partner.act("webhook.set-url", { url: "http://receiver.example/set" });
  expect(webhook["secret"]).toBe("acme-webhook-secret");
});

test("an unknown company is refused with the path that lists companies", async () => {
  await using partner = await openPartner();
  const url = "http://127.0.0.1:4011/webhooks";
  await expect(partner.act("webhook.set-url", { id: "acne", url })).rejects.toThrow(
    /There is no object .*acne.* in companies\. GET \/sandbox\/worlds lists them\./,
  );
});

test.each([
  [
    { plan: "subscription.authorisation", outcomes: ["ACCEPTED"] },
    "plan",
    "Did you mean subscription.authorization?",
  ],
  [{ plan: "subscription.authorization", outcomes: [] }, "outcomes", "ACCEPTED, REJECTED, ERROR"],
  [{ plan: "subscription.authorization" }, "outcomes", "ACCEPTED, REJECTED, ERROR"],
  [{ plan: "subscription.authorization", outcomes: ["ACCEPTED", "MAYBE"] }, "outcomes[1]", '"MAYBE"'],
  [{ plan: "subscription.authorization", on: 5, outcomes: ["ACCEPTED"] }, "on", "5"],
])("the plan %j is refused by its %s", async (body, field, sentence) => {
  await using partner = await openPartner();
  const refused = await partner.ask("POST", "/sandbox/plans", { body });
  expect(refused.status).toBe(400);
  expect(refused.body).toMatchObject({
    details: [{ field, description: expect.stringContaining(sentence) as string }],
  });
});

test("plans are listed with the outcomes that were used, and can be removed", async () => {
  await using partner = await openPartner();
  await partner.sandbox.plan({ plan: "subscription.authorization", outcomes: ["REJECTED", "ACCEPTED"] });
  await createSubscription(partner);
  const { body } = await partner.ask("GET", "/sandbox/plans");
  expect(body["data"]).toMatchObject([{ plan: "subscription.authorization", on: null, used: 1 }]);
  expect((await partner.ask("DELETE", "/sandbox/plans")).status).toBe(200);
  expect((await partner.ask("GET", "/sandbox/plans")).body["data"]).toEqual([]);
});

test("resources are shown in the shape of the platform API, one or all", async () => {
  await using partner = await openPartner();
  const { id } = await createSubscription(partner);
  const read = await partner.ask("GET", `/order/v1/banking/subscriptions/${String(id)}`);
  const one = await partner.ask("GET", `/sandbox/resources/subscriptions/${String(id)}`);
  const all = await partner.ask("GET", "/sandbox/resources/subscriptions");
  expect(one.body).toEqual(read.body);
  expect(all.body["data"]).toEqual([read.body]);
  expect((await partner.ask("GET", "/sandbox/resources/subscriptions/none")).status).toBe(404);
  const unknown = await partner.ask("GET", "/sandbox/resources/subscription");
  expect(unknown.body["message"]).toContain("Did you mean subscriptions?");
});

test("deliveries can be filtered by event, object and status", async () => {
  await using partner = await openPartner();
  const first = await createSubscription(partner, { externalId: "a" });
  const second = await createSubscription(partner, { externalId: "b" });
  await partner.act("subscription.accept", { id: first["id"] });
  await partner.act("subscription.reject", { id: second["id"] });
  await partner.webhooks();
  const events = async (query: string): Promise<unknown[]> => {
    const { body } = await partner.ask("GET", `/sandbox/deliveries?${query}`);
    return (body["data"] as SandboxObject[]).map(({ event }) => event as string);
  };
  expect(await events("")).toEqual(["SUBSCRIPTION.ACCEPTED", "SUBSCRIPTION.REJECTED"]);
  expect(await events("event=SUBSCRIPTION.REJECTED")).toEqual(["SUBSCRIPTION.REJECTED"]);
  expect(await events(`object=${String(first["id"])}`)).toEqual(["SUBSCRIPTION.ACCEPTED"]);
  expect(await events("status=undelivered")).toEqual([]);
  expect(await events("status=delivered")).toHaveLength(2);
});

test("the timeline shows what happened to an object and what caused it", async () => {
  await using partner = await openPartner();
  const { id } = await createSubscription(partner);
  await partner.act("subscription.accept", { id });
  await partner.webhooks();
  const { body } = await partner.ask("GET", `/sandbox/timeline?about=${String(id)}`);
  const lines = (body["data"] as SandboxObject[]).map(
    ({ what, cause }) => `${String(what)} (${String(cause)})`,
  );
  expect(lines).toEqual([
    "subscription.register: INITIAL → PENDING_AUTHORIZATION (call createSubscription)",
    "subscription.accept: PENDING_AUTHORIZATION → ACCEPTED (act subscription.accept)",
    "webhook SUBSCRIPTION.ACCEPTED (act subscription.accept)",
    "attempt 1 of SUBSCRIPTION.ACCEPTED answered 200 (delivery SUBSCRIPTION.ACCEPTED)",
  ]);
});

test("a bug is answered with 500, the seed and the journal position, without a stack", async () => {
  await using partner = await openPartner({
    audit: (_simulation, entry) => {
      if (entry.cause.name === "createSubscription") throw new Error("a bug of ours");
    },
  });
  const failed = await partner.ask("POST", "/order/v1/banking/subscriptions", {
    body: (await import("../../partner.ts")).subscriptionBody(),
  });
  expect(failed.status).toBe(500);
  expect(failed.body).toMatchObject({ error: "INTERNAL_ERROR", details: [] });
  expect(failed.body["message"]).toContain("seed 7 and journal position");
  expect(JSON.stringify(failed.body)).not.toContain("at ");
});

test.each(["Basic YWNtZTphY21lLXNlY3JldA==", "acme-token", "Bearer", "Bearer no-such-token"])(
  "the header Authorization: %s, an unknown token, is 401 and changes nothing",
  async (authorization) => {
    await using partner = await openPartner();
    const send = (method: string, path: string) =>
      partner.sandbox.fetch(path, { method, headers: { authorization } });
    await createSubscription(partner);
    expect((await send("POST", "/sandbox/reset")).status).toBe(401);
    expect((await send("GET", "/sandbox/timeline/stream")).status).toBe(401);
    const { body } = await partner.ask("GET", "/sandbox/resources/subscriptions");
    expect(body["data"]).toHaveLength(1);
  },
);

test("a body that is no object is refused with what it is", async () => {
  await using partner = await openPartner();
  const { body } = await partner.ask("PUT", "/sandbox/clock", { body: [] });
  expect(body["details"]).toMatchObject([{ description: "The body must be a JSON object; found an array." }]);
});
