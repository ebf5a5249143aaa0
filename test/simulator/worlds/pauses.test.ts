import { cpSync, mkdtempSync } from "node:fs";
import { join } from "node:path";
import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { createSubscription, openPartner, type Partner, RECEIVER_URL } from "../../partner.ts";
import { orderBody } from "../platform/orders/asking.ts";
import { ScriptedReceiver } from "../../../src/scenarios/receiver.ts";
import { transportTo } from "../../../src/simulator/webhooks/in-process.ts";
import { turns } from "../../turns.ts";

/** A session in which webhooks about one object follow each other. `pause` is called between two requests. */
async function session(partner: Partner, pause: () => Promise<unknown>): Promise<string> {
  const steps: (() => Promise<unknown>)[] = [];
  let order: Record<string, unknown> = {};
  let subscription = "";
  const act = (name: string, input: () => object) => () => partner.act(name, { ...input(), wait: false });
  steps.push(
    () => partner.ask("PATCH", "/sandbox/settings", { body: { webhookUrl: `${RECEIVER_URL}/2` } }),
    async () => {
      const body = orderBody("PIX", { externalId: "pauses" });
      order = (await partner.ask("PUT", "/order/v2/transparent", { key: "order-1", body })).body;
    },
    act("order.pay", () => ({ id: order["id"] })),
    async () => (subscription = (await createSubscription(partner)).id),
    act("subscription.accept", () => ({ id: subscription })),
    act("subscription.request-cancellation", () => ({ id: subscription, reason: "PAYER_DECEASED" })),
    () =>
      partner.ask("POST", "/order/v2/refund", {
        key: "refund-1",
        body: { orderId: order["id"], reason: "REQUESTED_BY_CUSTOMER" },
      }),
    () => partner.sandbox.fault({ on: "webhook", effect: "duplicate", times: 1 }),
    () => partner.advance("PT30S"),
  );
  for (const step of steps) {
    await step();
    await pause();
  }
  return partner.sandbox.digest();
}

test("the same calls give the same journal, however long the pauses between them are", async () => {
  const digests: string[] = [];
  const untilAnswered = (partner: Partner) => async () => {
    await partner.sandbox.deliveries();
    await turns(300);
  };
  for (const pauseOf of [() => async () => undefined, () => () => turns(5), untilAnswered]) {
    await using partner = await openPartner();
    partner.receiver.script([200, 500, 200, 503]);
    digests.push(await session(partner, pauseOf(partner)));
  }
  expect(new Set(digests).size).toBe(1);
});

test("a webhook that arrived is not sent again after a kill", async () => {
  const folder = mkdtempSync(join(tmpdir(), "answered-"));
  await using partner = await openPartner({ data: join(folder, "data") });
  const { id } = await createSubscription(partner);
  await partner.act("subscription.accept", { id });
  expect(await partner.sandbox.deliveries()).toMatchObject([{ status: "delivered" }]);
  // What a kill would leave.
  const left = mkdtempSync(join(tmpdir(), "killed-"));
  cpSync(folder, left, { recursive: true });
  const receiver = new ScriptedReceiver();
  await using again = await openPartner({ data: join(left, "data"), transport: transportTo(receiver) });
  await again.advance("PT1H");
  expect(receiver.received).toEqual([]);
  expect(await again.sandbox.deliveries()).toMatchObject([{ status: "delivered" }]);
});
