import { createSubscription, openPartner } from "../partner.ts";
import { expect, test } from "vitest";

/** A UUID in capitals passed for a UUID and was then not found. */
test("an object is found by its id in capitals too", async () => {
  await using partner = await openPartner();
  const { id } = await createSubscription(partner);
  const capitals = String(id).toUpperCase();
  const found = await partner.ask("GET", `/order/v1/banking/subscriptions/${capitals}`);
  expect(found.status).toBe(200);
  expect(found.body["id"]).toBe(id);
});
