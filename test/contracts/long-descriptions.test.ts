import { detail, openPartner } from "../partner.ts";
import { expect, test } from "vitest";

test("a description or a state of unlimited length is refused before it is compared with anything", async () => {
  await using partner = await openPartner();
  const long = "A".repeat(160_000);
  const message = await partner.ask("POST", "/sandbox/pact/messages", { body: { description: long } });
  expect(detail(message, "description")).toMatchObject({ issue: "LIMIT" });
  const state = await partner.ask("POST", "/sandbox/pact/states", { body: { state: long } });
  expect(detail(state, "state")).toMatchObject({ issue: "LIMIT" });
  const states = Array.from({ length: 101 }, () => ({ name: "a payout was paid" }));
  const body = { description: "ORDER-PAYOUT.PAID", providerStates: states };
  expect(
    detail(await partner.ask("POST", "/sandbox/pact/messages", { body }), "providerStates"),
  ).toMatchObject({
    issue: "LIMIT",
  });
});
