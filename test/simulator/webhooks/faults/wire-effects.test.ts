import { expect, test } from "vitest";
import { only, openBench, signed } from "./on-the-wire.ts";
import { subscriptionBody } from "../../../partner.ts";

test("a refused connection is never opened", async () => {
  await using bench = await openBench();
  const delivery = await bench.strike({ effect: "refuse-connection", times: 1 });
  expect(bench.connections.made).toBe(0);
  expect(delivery["attempts"]).toMatchObject([{ error: "refused", injected: ["refuse-connection"] }]);
});

test.each(["slow-headers", "slow-body"])("%s brings a whole request in its own time", async (effect) => {
  await using bench = await openBench();
  const delivery = await bench.strike({ effect });
  const { headers, body } = only(bench);
  expect(headers["x-signature-sha256"]).toBe(signed(body));
  expect(delivery).toMatchObject({ status: "delivered", attempts: [{ injected: [effect] }] });
  expect(delivery["attempts"][0].durationMs).toBeGreaterThan(500);
});

test("a connection that is reset on connect transfers no bytes", async () => {
  await using bench = await openBench();
  const delivery = await bench.strike({ effect: "reset-on-connect", times: 1 });
  expect(bench.arrived).toEqual([]);
  expect(bench.connections.made).toBe(1);
  expect(delivery["attempts"]).toMatchObject([{ error: "reset", status: null }]);
});

test("after a lost 200 the receiver gets the event again", async () => {
  await using bench = await openBench();
  const delivery = await bench.strike({ effect: "reset-after-request", times: 1 });
  expect(delivery).toMatchObject({ status: "retrying", attempts: [{ error: "reset", status: null }] });
  expect(bench.arrived).toHaveLength(1);
  await bench.sandbox.advance("PT1M");
  const [first, second] = bench.arrived;
  expect(second?.body).toEqual(first?.body);
  expect((await bench.sandbox.deliveries())[0]).toMatchObject({ status: "delivered" });
});

test("an ignored answer ends at the deadline", async () => {
  await using bench = await openBench({ "webhook.timeout": "PT0.4S" });
  const delivery = await bench.strike({ effect: "ignore-answer", times: 1 });
  expect(bench.arrived).toHaveLength(1);
  expect(delivery["attempts"]).toMatchObject([{ error: "timeout", status: null }]);
});

test.each(["truncate-then-close", "truncate-then-reset"])("%s brings half a body", async (effect) => {
  await using bench = await openBench();
  const delivery = await bench.strike({ effect, times: 1 });
  expect(bench.arrived).toEqual([]);
  expect(bench.connections.made).toBe(1);
  expect(delivery["attempts"][0]).toMatchObject({ injected: [effect] });
  expect(delivery["status"]).toBe("retrying");
  await bench.sandbox.advance("PT1M");
  expect(bench.arrived).toHaveLength(1);
});

test("concurrent copies use connections of their own and end together", async () => {
  await using bench = await openBench();
  const delivery = await bench.strike({ effect: "duplicate-concurrent", copies: 4 });
  expect(bench.connections.made).toBe(5);
  expect(bench.arrived).toHaveLength(5);
  expect(new Set(bench.arrived.map(({ body }) => body.toString())).size).toBe(1);
  const all = await bench.sandbox.deliveries();
  expect(all.map(({ status }) => status as string)).toEqual(Array.from({ length: 5 }, () => "delivered"));
  expect(all.slice(1).every(({ duplicateOf }) => duplicateOf === delivery["id"])).toBe(true);
});

test("an event that the schedule delays makes no connection", async () => {
  await using bench = await openBench();
  const delivery = await bench.strike({ effect: "drop", times: 1 });
  expect(bench.connections.made).toBe(0);
  expect(delivery["attempts"]).toMatchObject([{ error: "timeout", injected: ["drop"] }]);
});

test.each(["refuse-connection", "reset-on-connect"])(
  "%s keeps an event away that leaves together with others",
  async (effect) => {
    await using bench = await openBench();
    const { sandbox } = bench;
    await sandbox.fault({ on: "webhook", effect: "together", event: "SUBSCRIPTION.ACCEPTED", nth: 1 });
    const event = "SUBSCRIPTION.CANCELLATION.PENDING";
    await sandbox.fault({ on: "webhook", effect: effect as "refuse-connection", event, times: 1 });
    const { id } = await sandbox.call("createSubscription", subscriptionBody() as never);
    await sandbox.act("subscription.accept", { id });
    await sandbox.act("subscription.request-cancellation", { id, reason: "REQUESTED_BY_PAYER" });
    await sandbox.advance("PT0S");
    expect(bench.arrived).toEqual([]);
    const [, newer] = await sandbox.deliveries();
    expect(newer).toMatchObject({
      event,
      status: "retrying",
      attempts: [{ status: null, injected: [effect] }],
    });
    await sandbox.advance("PT1M");
    expect(await sandbox.deliveries()).toMatchObject([
      { event: "SUBSCRIPTION.ACCEPTED", status: "delivered" },
      { event, status: "delivered" },
      {},
    ]);
  },
);
