import { expect, test } from "vitest";
import { createSubscription, openPartner, subscriptionBody } from "../../../partner.ts";

const WEBHOOK_URL = "https://bücher.example/ereignisse/größe?q=ä";

test("a webhook URL with letters beyond ASCII is accepted, comes back as it was sent, and gets the webhooks", async () => {
  await using partner = await openPartner();
  const { id } = await createSubscription(partner, { webhookUrl: WEBHOOK_URL });
  const { body } = await partner.ask("GET", `/order/v1/banking/subscriptions/${id}`);
  expect(body["webhookUrl"]).toBe(WEBHOOK_URL);
  await partner.act("subscription.accept", { id });
  expect(await partner.webhooks()).toHaveLength(1);
  expect(await partner.sandbox.deliveries()).toMatchObject([{ status: "delivered" }]);
});

test.each(["https://bücher.example/a b", "bücher.example", "https://bücher .example/", "https://"])(
  "%j is no webhook URL",
  async (webhookUrl) => {
    await using partner = await openPartner();
    const { status } = await partner.ask("POST", "/order/v1/banking/subscriptions", {
      body: subscriptionBody({ webhookUrl }),
    });
    expect(status).toBe(400);
  },
);

test("the scheme of a URL may be in capitals", async () => {
  await using partner = await openPartner();
  const created = await createSubscription(partner, { webhookUrl: "HTTP://RECEIVER.EXAMPLE/webhooks" });
  expect(created["status"]).toBe("PENDING_AUTHORIZATION");
});
