import { createSubscription, openPartner } from "../../partner.ts";
import { expect, test } from "vitest";

test("a read shows the outcomes that are known as a barrier makes them part of the world", async () => {
  await using partner = await openPartner();
  const { id } = await createSubscription(partner);
  await partner.ask("POST", "/sandbox/acts/subscription.accept", { body: { id, wait: false } });
  const [delivery] = await partner.sandbox.deliveries();
  expect(delivery).toMatchObject({ status: "delivered", attempts: [{ status: 200 }] });
  const shown = await partner.ask("GET", "/sandbox/timeline");
  const coverage = await partner.ask("GET", "/sandbox/coverage");
  const digest = partner.sandbox.digest();
  await partner.advance("PT0S");
  const after = await partner.ask("GET", "/sandbox/timeline");
  expect(after.body["data"]).toEqual(shown.body["data"]);
  expect((await partner.ask("GET", "/sandbox/coverage")).body).toEqual(coverage.body);
  expect(partner.sandbox.digest()).toBe(digest);
  // With `next` a reader that goes on later misses nothing.
  const { body } = await partner.ask("GET", `/sandbox/timeline?since=${String(shown.body["next"])}`);
  expect(body["data"]).toMatchObject([{ kind: "attempt" }]);
});

test("a webhook about the same object is sent when the webhook before it is answered, without an advance", async () => {
  await using partner = await openPartner();
  const { id } = await createSubscription(partner);
  await partner.ask("POST", "/sandbox/acts/subscription.accept", { body: { id, wait: false } });
  const body = { id, reason: "PAYER_DECEASED", wait: false };
  await partner.ask("POST", "/sandbox/acts/subscription.request-cancellation", { body });
  expect(await partner.sandbox.deliveries()).toMatchObject([
    { status: "delivered" },
    { status: "delivered" },
  ]);
  expect(partner.receiver.received).toHaveLength(2);
});
