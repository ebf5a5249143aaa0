import { expect, test } from "vitest";
import { ACME_ACCOUNT, detail, openPartner } from "../../partner.ts";

const LONG = "x".repeat(5_000);
const URL_WITH_PASSWORD = "http://me:pass-word@receiver.example/hook";

/** These requests ignored unknown fields, so that a misspelt one had no effect. */
test.each([
  ["PUT", "/sandbox/clock", { mode: "running", nwo: "2026-11-21T09:00:00-03:00" }, "nwo", "now"],
  ["POST", "/sandbox/clock/advance", { by: "PT1M", wiat: false }, "wiat", "wait"],
  ["POST", "/sandbox/scenarios/orders/spei/run", { sead: 7 }, "sead", "seed"],
  ["GET", "/sandbox/deliveries?evnt=SUBSCRIPTION.*", undefined, "evnt", "event"],
])("%s %s reports an unknown field and changes nothing", async (method, path, body, field, meant) => {
  await using partner = await openPartner();
  const refused = await partner.ask(method, path, { body, token: null });
  expect(refused.status).toBe(400);
  const description = `There is no field "${field}" here. Did you mean ${meant}?`;
  expect(refused.body["details"]).toEqual([{ field, issue: "NOT_ALLOWED", description }]);
  const { body: clock } = await partner.ask("GET", "/sandbox/clock", { token: null });
  expect(clock).toEqual({ mode: "frozen", now: "2026-11-20T12:00:00.000Z" });
});

test("an advance with two targets reports what was found", async () => {
  await using partner = await openPartner();
  const advance = async (body: object) =>
    (await partner.ask("POST", "/sandbox/clock/advance", { body })).body["details"];
  const wanted = "Send exactly one of `by` (a duration), `to` (a timestamp) and `until` (next or idle)";
  expect(await advance({})).toEqual([
    { field: "by", issue: "REQUIRED", description: `${wanted}; found none.` },
  ]);
  expect(await advance({ to: "2026-11-21T09:00:00-03:00", until: "idle" })).toEqual([
    { field: "to", issue: "MUTUALLY_EXCLUSIVE", description: `${wanted}; found to and until.` },
  ]);
});

test("a field is named once in the message, also with several problems", async () => {
  await using partner = await openPartner();
  const assumptions = { "charge.retries": 1, "charge.retries-max": "many" };
  const { body } = await partner.ask("POST", "/sandbox/worlds", { body: { assumptions } });
  expect(body["message"]).toBe("The request is not valid: see assumptions.");
  expect(body["details"]).toHaveLength(2);
});

test.each([
  ["POST", "/sandbox/clock/advance", { by: LONG }],
  ["PUT", "/sandbox/clock", { now: LONG }],
  ["POST", "/sandbox/worlds", { start: LONG }],
  ["POST", "/sandbox/plans", { plan: LONG, outcomes: [LONG] }],
  ["POST", "/sandbox/acts/subscription.accept", { id: { [LONG]: LONG } }],
  ["POST", "/sandbox/acts/subscription.accept", { id: LONG }],
  ["POST", "/sandbox/acts/account.close", { id: ACME_ACCOUNT, [LONG]: 1 }],
  ["POST", "/sandbox/pact/states", { state: "", action: LONG }],
  ["POST", "/sandbox/pact/messages", { description: "", providerStates: LONG }],
  ["GET", `/sandbox/deliveries?status=${LONG}`, undefined],
])("a refusal shows only the beginning of a long value (%s %s)", async (method, path, body) => {
  await using partner = await openPartner();
  const answer = await partner.sandbox.fetch(path, { method, ...(body && { body: JSON.stringify(body) }) });
  const text = await answer.text();
  expect([400, 404]).toContain(answer.status);
  expect(text.length).toBeLessThan(1_500);
});

test("a world, its settings and an act refuse a webhook URL with a password", async () => {
  await using partner = await openPartner();
  const asks = [
    partner.ask("POST", "/sandbox/worlds", { body: { webhookUrl: URL_WITH_PASSWORD } }),
    partner.ask("PATCH", "/sandbox/settings", { body: { webhookUrl: URL_WITH_PASSWORD } }),
    partner.ask("POST", "/sandbox/acts/webhook.set-url", { body: { id: "acme", url: URL_WITH_PASSWORD } }),
  ];
  for (const [index, answer] of (await Promise.all(asks)).entries()) {
    expect(answer.status).toBe(400);
    expect(detail(answer, index === 2 ? "url" : "webhookUrl")["description"]).toContain(
      "without a user and a password",
    );
  }
});

test("all mistakes of a new world are reported together", async () => {
  await using partner = await openPartner();
  const body = { seed: "x", assumptions: { "claim.resends": "often", nothing: 1 } };
  const refused = await partner.ask("POST", "/sandbox/worlds", { body });
  expect(refused.body["details"]).toMatchObject([
    { field: "seed" },
    { field: "assumptions" },
    { field: "assumptions" },
  ]);
});
