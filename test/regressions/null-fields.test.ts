import { detail, openPartner, subscriptionBody } from "../partner.ts";
import { expect, test } from "vitest";

const PATH = "/order/v1/banking/subscriptions";

test.each(["endDate", "fixedAmount", "description", "allowChargeAfterDueDate"])(
  "null in %s is refused, and read as absent where the assumption says so",
  async (field) => {
    const body = subscriptionBody({ [field]: null });
    await using partner = await openPartner();
    const refused = await partner.ask("POST", PATH, { body });
    expect([refused.status, detail(refused, field)["issue"]]).toEqual([400, "INVALID"]);
    await using lenient = await openPartner({ assumptions: { "payloads.null-fields": "absent" } });
    expect((await lenient.ask("POST", PATH, { body })).status).toBe(201);
  },
);

test("null in a required field is refused either way", async () => {
  await using partner = await openPartner({ assumptions: { "payloads.null-fields": "absent" } });
  const refused = await partner.ask("POST", PATH, { body: subscriptionBody({ externalId: null }) });
  expect(detail(refused, "externalId")["issue"]).toBe("REQUIRED");
});

test("a payer of journey 2 is ignored, whatever it is", async () => {
  await using partner = await openPartner();
  expect((await partner.ask("POST", PATH, { body: subscriptionBody({ payer: null }) })).status).toBe(201);
});
