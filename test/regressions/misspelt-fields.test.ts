import { expect, test } from "vitest";
import { openPartner } from "../partner.ts";

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

test("an unknown company is refused with the path that lists companies", async () => {
  await using partner = await openPartner();
  const url = "http://127.0.0.1:4011/webhooks";
  await expect(partner.act("webhook.set-url", { id: "acne", url })).rejects.toThrow(
    /There is no object .*acne.* in companies\. GET \/sandbox\/worlds lists them\./,
  );
});
