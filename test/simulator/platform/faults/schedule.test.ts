import type { SandboxObject } from "../../../../src/server/access/sandbox-interface.ts";
import { ACME_ACCOUNT, type Partner, createSubscription, openPartner } from "../../../partner.ts";
import { describe, expect, test } from "vitest";

/** The events in the order in which the receiver got them, without the first part of their names. */
function received({ receiver }: Partner): string[] {
  return receiver.received.map(({ body }) => {
    const { event } = JSON.parse(body) as { event: string };
    return event.split(".").slice(1).join(".");
  });
}

/** A subscription that is accepted: one event about it. */
async function accepted(partner: Partner, externalId = "subscription-1"): Promise<string> {
  const { id } = await createSubscription(partner, { externalId });
  await partner.act("subscription.accept", { id });
  await partner.advance("PT0S");
  return id as string;
}

/** A second and a third event about it, five seconds apart. */
async function canceled(partner: Partner, id: string): Promise<void> {
  const fields = { id, reason: "REQUESTED_BY_RECEIVER" };
  await partner.act("subscription.request-cancellation", fields);
  await partner.advance("PT0S");
}

async function nowOf(partner: Partner): Promise<number> {
  return Date.parse(String((await partner.ask("GET", "/sandbox/clock")).body["now"]));
}

async function deliveriesOf(partner: Partner): Promise<SandboxObject[]> {
  return (await partner.ask("GET", "/sandbox/deliveries")).body["data"] as SandboxObject[];
}

test("a delayed event is sent when its delay is over, and its attempt names the fault", async () => {
  await using partner = await openPartner();
  await partner.sandbox.fault({ on: "webhook", effect: "delay", by: "PT5M" });
  await accepted(partner);
  expect(received(partner)).toEqual([]);
  const [waiting] = await deliveriesOf(partner);
  expect(waiting).toMatchObject({
    status: "scheduled",
    progress: "scheduled, next in 5 m 0 s",
    attempts: [],
  });
  await partner.advance("PT4M59S");
  expect(received(partner)).toEqual([]);
  await partner.advance("PT1S");
  expect(received(partner)).toEqual(["ACCEPTED"]);
  const [delivery] = await deliveriesOf(partner);
  expect(delivery).toMatchObject({ status: "delivered", attempts: [{ injected: ["delay"] }] });
});

test("a duplicated event is sent again as a separate delivery, with the same bytes and signature", async () => {
  await using partner = await openPartner();
  await partner.sandbox.fault({ on: "webhook", effect: "duplicate", copies: 2 });
  await accepted(partner);
  const [first, second, third, ...others] = partner.receiver.received;
  expect(second).toEqual(first);
  expect(third).toEqual(first);
  expect(others).toEqual([]);
  const [original, copy] = await deliveriesOf(partner);
  expect(original).toMatchObject({ duplicateOf: null, attempts: [{ trigger: "scheduled" }] });
  expect(copy).toMatchObject({
    duplicateOf: original?.["id"],
    status: "delivered",
    attempts: [{ trigger: "injected", injected: ["duplicate"] }],
  });
  expect(copy?.["id"]).not.toBe(original?.["id"]);
});

test("copies keep their gap, and are sent only after the event was acknowledged", async () => {
  await using partner = await openPartner();
  await partner.sandbox.fault({ on: "webhook", effect: "duplicate", copies: 2, gap: "PT10S" });
  partner.receiver.script([500]);
  await accepted(partner);
  expect(received(partner)).toHaveLength(1);
  await partner.advance("PT1M");
  expect(received(partner)).toHaveLength(2);
  await partner.advance("PT10S");
  expect(received(partner)).toHaveLength(3);
  await partner.advance("PT10S");
  expect(received(partner)).toHaveLength(4);
});

test("a copy that fails starts no retries and is not listed as undelivered", async () => {
  await using partner = await openPartner();
  await partner.sandbox.fault({ on: "webhook", effect: "duplicate" });
  partner.receiver.script([200, 500]);
  await accepted(partner);
  await partner.advance("P1D");
  expect(received(partner)).toHaveLength(2);
  const listed = await partner.ask("GET", "/order/v1/webhook/events");
  expect(listed.body["data"]).toEqual([]);
});

test("concurrent copies are sent with the first attempt and not with its retries", async () => {
  await using partner = await openPartner();
  await partner.sandbox.fault({ on: "webhook", effect: "duplicate-concurrent", copies: 3 });
  partner.receiver.script([500, 500, 500, 500]);
  await accepted(partner);
  expect(received(partner)).toHaveLength(4);
  await partner.advance("PT1M");
  expect(received(partner)).toHaveLength(5);
  const all = await deliveriesOf(partner);
  expect(all.map(({ status }) => status as string)).toEqual([
    "delivered",
    "undelivered",
    "undelivered",
    "undelivered",
  ]);
});

test("a late duplicate is sent long after the event", async () => {
  await using partner = await openPartner();
  await partner.sandbox.fault({ on: "webhook", effect: "duplicate-late", after: "P3D" });
  await accepted(partner);
  await partner.advance("P2D");
  expect(received(partner)).toHaveLength(1);
  await partner.advance("P1D");
  expect(received(partner)).toHaveLength(2);
});

test("a reordered event is sent after the next one", async () => {
  await using partner = await openPartner();
  await partner.sandbox.fault({ on: "webhook", effect: "reorder" });
  const id = await accepted(partner);
  expect(received(partner)).toEqual([]);
  await canceled(partner, id);
  expect(received(partner)).toEqual(["CANCELLATION.PENDING", "ACCEPTED"]);
});

test("a reordered event that nothing follows is sent at the end of its window", async () => {
  await using partner = await openPartner();
  await partner.sandbox.fault({ on: "webhook", effect: "reorder", window: "PT2M" });
  await accepted(partner);
  await partner.advance("PT1M59S");
  expect(received(partner)).toEqual([]);
  await partner.advance("PT1S");
  expect(received(partner)).toEqual(["ACCEPTED"]);
});

test("an interleaved retry is sent after newer state, however long that takes", async () => {
  await using partner = await openPartner();
  await partner.sandbox.fault({ on: "webhook", effect: "interleave-retry", times: 1 });
  const id = await accepted(partner);
  await partner.advance("PT2H");
  expect(received(partner)).toEqual([]);
  await canceled(partner, id);
  expect(received(partner)).toEqual(["CANCELLATION.PENDING", "ACCEPTED"]);
});

test("an interleaved retry that was overtaken in time is sent at its regular time", async () => {
  await using partner = await openPartner();
  await partner.sandbox.fault({ on: "webhook", effect: "interleave-retry", event: "*.ACCEPTED", times: 1 });
  const id = await accepted(partner);
  await canceled(partner, id);
  expect(received(partner)).toEqual(["CANCELLATION.PENDING"]);
  await partner.advance("PT1M");
  expect(received(partner).slice(0, 3)).toEqual([
    "CANCELLATION.PENDING",
    "CANCELLATION.ACCEPTED",
    "ACCEPTED",
  ]);
});

test("a dropped attempt is never sent, fails with a timeout, and is retried", async () => {
  await using partner = await openPartner();
  await partner.sandbox.fault({ on: "webhook", effect: "drop", attempt: 1 });
  await accepted(partner);
  expect(received(partner)).toEqual([]);
  await partner.advance("PT1M");
  const [delivery] = await deliveriesOf(partner);
  expect(delivery).toMatchObject({
    status: "delivered",
    attempts: [
      { error: "timeout", status: null, injected: ["drop"] },
      { error: null, injected: [] },
    ],
  });
});

test("drop-first drops the first attempts of each event, and with five the event is undelivered", async () => {
  await using partner = await openPartner();
  await partner.sandbox.fault({ on: "webhook", effect: "drop-first", attempts: 2, times: 1 });
  await partner.sandbox.fault({ on: "webhook", effect: "drop-first", attempts: 5 });
  await accepted(partner, "one");
  await accepted(partner, "two");
  await partner.advance("PT6M");
  expect(received(partner)).toEqual(["ACCEPTED"]);
  await partner.advance("PT3H");
  const [one, two] = await deliveriesOf(partner);
  expect([one?.["attempts"].length, one?.["status"]]).toEqual([3, "delivered"]);
  expect([two?.["attempts"].length, two?.["status"]]).toEqual([5, "undelivered"]);
});

test("nothing is delivered in an outage, and the backlog is sent when it ends", async () => {
  await using partner = await openPartner();
  const between = ["2026-11-20T09:00:00-03:00", "2026-11-20T13:00:00-03:00"];
  await partner.sandbox.fault({ on: "webhook", effect: "outage", between });
  await accepted(partner, "one");
  await partner.advance("PT3H");
  await accepted(partner, "two");
  await partner.advance("PT59M59S");
  expect(received(partner)).toEqual([]);
  await partner.advance("PT1S");
  expect(received(partner)).toEqual(["ACCEPTED", "ACCEPTED"]);
  const all = await deliveriesOf(partner);
  for (const { attempts } of all) {
    expect(attempts).toMatchObject([
      { error: "refused", injected: ["outage"] },
      { error: null, injected: [] },
    ]);
  }
});

test("a lost event is never sent and never listed", async () => {
  await using partner = await openPartner();
  await partner.sandbox.fault({ on: "webhook", effect: "lose" });
  const id = await accepted(partner);
  await partner.advance("P30D");
  expect(received(partner)).toEqual([]);
  expect(await deliveriesOf(partner)).toMatchObject([
    { objectId: id, status: "lost", attempts: [], progress: "lost: no attempt will be made" },
  ]);
  const listed = await partner.ask("GET", "/order/v1/webhook/events");
  expect(listed.body["data"]).toEqual([]);
});

test("a late event arrives after as many later events as the fault says", async () => {
  await using partner = await openPartner();
  await partner.sandbox.fault({ on: "webhook", effect: "late", events: 2, nth: 1 });
  const id = await accepted(partner);
  await canceled(partner, id);
  expect(received(partner)).toEqual(["CANCELLATION.PENDING"]);
  await partner.advance("P2D");
  expect(received(partner)).toEqual(["CANCELLATION.PENDING", "CANCELLATION.ACCEPTED", "ACCEPTED"]);
  const [late] = await deliveriesOf(partner);
  expect(late).toMatchObject({ status: "delivered", attempts: [{ injected: ["late"] }] });
});

test("a webhook that a fault holds back shows the fault and the end of its wait", async () => {
  await using partner = await openPartner();
  await partner.sandbox.fault({ on: "webhook", effect: "late", events: 2, nth: 1 });
  const objectId = await accepted(partner);
  const until = "2 later events have arrived, or the fault f1 is removed";
  const held = { event: "SUBSCRIPTION.ACCEPTED", objectId, fault: "f1", effect: "late", until };
  const [late] = await deliveriesOf(partner);
  expect(late?.["progress"]).toBe(`scheduled, held by the fault late until ${until}`);
  const due = await partner.ask("GET", "/sandbox/clock/due");
  expect(due.body["held"]).toMatchObject([held]);
  const idle = await partner.ask("POST", "/sandbox/clock/advance", { body: { until: "idle" } });
  expect(idle.body["held"]).toMatchObject([held]);
  await canceled(partner, objectId);
  expect((await deliveriesOf(partner))[0]?.["progress"]).toContain("until 1 later event has arrived");
  await partner.sandbox.removeFaults();
  expect((await partner.ask("GET", "/sandbox/clock/due")).body["held"]).toBeUndefined();
});

test("several late events each wait for later ones", async () => {
  await using partner = await openPartner();
  await partner.sandbox.fault({ on: "webhook", effect: "late", nth: 1 });
  await partner.sandbox.fault({ on: "webhook", effect: "late", nth: 1, event: "*.PENDING" });
  await canceled(partner, await accepted(partner));
  await partner.advance("PT5S");
  expect(received(partner)).toEqual(["CANCELLATION.ACCEPTED", "ACCEPTED", "CANCELLATION.PENDING"]);
});

test("an event that is lost on the way is not the later event that a late one waits for", async () => {
  await using partner = await openPartner();
  await partner.sandbox.fault({ on: "webhook", effect: "late", nth: 1 });
  await partner.sandbox.fault({ on: "webhook", effect: "drop-first", attempts: 1, event: "*.PENDING" });
  await partner.sandbox.fault({ on: "webhook", effect: "lose", event: "*.CANCELLATION.ACCEPTED" });
  await canceled(partner, await accepted(partner));
  expect(received(partner)).toEqual([]);
  await partner.advance("PT1M");
  expect(received(partner)).toEqual(["CANCELLATION.PENDING", "ACCEPTED"]);
});

test.each(["refuse-connection", "reset-on-connect"])(
  "an event whose first attempt ends with %s has not arrived, so a late one still waits",
  async (effect) => {
    await using partner = await openPartner();
    await partner.sandbox.fault({ on: "webhook", effect: "late", nth: 1 });
    await partner.sandbox.fault({ on: "webhook", effect, event: "*.PENDING", attempt: 1 });
    await canceled(partner, await accepted(partner));
    expect(received(partner)).toEqual([]);
    await partner.advance("PT1M");
    expect(received(partner)).toEqual(["CANCELLATION.ACCEPTED", "ACCEPTED", "CANCELLATION.PENDING"]);
  },
);

test("an event that no receiver listens for has not arrived, so a late one still waits", async () => {
  const sent: string[] = [];
  await using partner = await openPartner({
    transport: async (requests) =>
      requests.map(({ body }) => {
        const { event } = JSON.parse(Buffer.from(body).toString()) as { event: string };
        sent.push(event);
        const error = sent.length === 1 ? "refused" : null;
        const nothing = { message: "", responseHeaders: {}, responseBody: "", responseTruncated: false };
        return { status: error === null ? 200 : null, error, ...nothing, durationMs: 0 };
      }),
  });
  await partner.sandbox.fault({ on: "webhook", effect: "late", nth: 1 });
  await canceled(partner, await accepted(partner));
  expect(sent).toEqual(["SUBSCRIPTION.CANCELLATION.PENDING"]);
  await partner.advance("P2D");
  expect(sent.slice(1)).toEqual([
    "SUBSCRIPTION.CANCELLATION.ACCEPTED",
    "SUBSCRIPTION.ACCEPTED",
    "SUBSCRIPTION.CANCELLATION.PENDING",
  ]);
});

test("a late event whose later event never comes is sent when the fault is removed", async () => {
  await using partner = await openPartner();
  const { id } = await partner.sandbox.fault({ on: "webhook", effect: "late" });
  await accepted(partner);
  await partner.advance("P1Y");
  expect(received(partner)).toEqual([]);
  expect(await partner.ask("DELETE", `/sandbox/faults/${id}`)).toMatchObject({ status: 200 });
  await partner.advance("PT0S");
  expect(received(partner)).toEqual(["ACCEPTED"]);
});

test("two events about one object leave in one exchange, and each has an outcome of its own", async () => {
  const exchanges: string[][] = [];
  await using partner = await openPartner({
    transport: async (requests) => {
      exchanges.push(
        requests.map(({ body }) => (JSON.parse(Buffer.from(body).toString()) as { event: string }).event),
      );
      return requests.map((_, index) => ({
        status: index === 0 ? 200 : 500,
        error: index === 0 ? null : "non-2xx",
        message: "",
        responseHeaders: {},
        responseBody: "",
        responseTruncated: false,
        durationMs: 0,
      }));
    },
  });
  await partner.sandbox.fault({ on: "webhook", effect: "together", event: "SUBSCRIPTION.ACCEPTED", nth: 1 });
  const id = await accepted(partner);
  await accepted(partner, "subscription-2");
  await partner.act("subscription.request-cancellation", { id, reason: "REQUESTED_BY_PAYER" });
  await partner.advance("PT0S");
  expect(exchanges).toEqual([
    ["SUBSCRIPTION.ACCEPTED"],
    ["SUBSCRIPTION.CANCELLATION.PENDING", "SUBSCRIPTION.ACCEPTED"],
  ]);
  const [held, , newer] = await deliveriesOf(partner);
  expect(newer).toMatchObject({ status: "delivered" });
  expect(held).toMatchObject({ status: "retrying", attempts: [{ status: 500, injected: ["together"] }] });
  await partner.advance("PT1M");
  expect(exchanges.at(-1)).toEqual(["SUBSCRIPTION.ACCEPTED"]);
});

test("an early event is answered before the call that announced it", async () => {
  await using partner = await openPartner({ assumptions: { "autopilot.payout.settlement": "immediate" } });
  await partner.sandbox.fault({ on: "webhook", effect: "early", event: "ORDER-PAYOUT.*" });
  const order: string[] = [];
  partner.receiver.hold();
  const call = partner
    .ask("POST", "/order/v1/banking/order-payouts", {
      key: "early-1",
      body: PAYOUT,
    })
    .then(({ status }) => order.push(`answer ${status}`));
  while (partner.receiver.heldCount === 0) await new Promise(setImmediate);
  // A call in the meantime, such as one of the receiver, does not wait.
  await partner.ask("GET", "/order/v1/banking/accounts");
  order.push("webhook");
  partner.receiver.reply(200);
  await call;
  expect(order).toEqual(["webhook", "answer 201"]);
});

const PAYOUT = {
  accountId: ACME_ACCOUNT,
  externalId: "early-1",
  description: "Early",
  amount: { currency: "BRL", value: "10.00" },
  paymentMethod: "PIX",
  paymentData: { pixKey: "ok@pix.example" },
};

describe("an early event of the next timer of a call", () => {
  const payOut = (partner: Partner) =>
    partner.ask("POST", "/order/v1/banking/order-payouts", { key: "early-1", body: PAYOUT });

  test("is answered before the call, to which the clock moves, where it is due soon enough", async () => {
    await using partner = await openPartner();
    await partner.sandbox.fault({
      on: "webhook",
      effect: "early",
      event: "ORDER-PAYOUT.PAID",
      within: "PT30S",
    });
    const before = await nowOf(partner);
    const { status, body } = await payOut(partner);
    expect([status, body["status"]]).toEqual([201, "PENDING"]);
    expect(received(partner)).toEqual(["PAID"]);
    expect((await nowOf(partner)) - before).toBe(2_000);
    const [delivery] = await deliveriesOf(partner);
    expect(delivery).toMatchObject({ status: "delivered", attempts: [{ injected: ["early"] }] });
  });

  test.each([
    ["it is due later", { event: "ORDER-PAYOUT.PAID", within: "PT1S" }],
    ["it announces another event", { event: "ORDER-PAYOUT.CANCELED", within: "PT30S" }],
    ["the fault says nothing of timers", { event: "ORDER-PAYOUT.PAID" }],
  ])("comes as usual where %s", async (_, selected) => {
    await using partner = await openPartner();
    await partner.sandbox.fault({ on: "webhook", effect: "early", ...selected });
    const before = await nowOf(partner);
    await payOut(partner);
    expect(received(partner)).toEqual([]);
    expect(await nowOf(partner)).toBe(before);
  });

  test("comes as usual where the caller is a receiver that handles a webhook", async () => {
    await using partner = await openPartner();
    await partner.sandbox.fault({
      on: "webhook",
      effect: "early",
      event: "ORDER-PAYOUT.PAID",
      within: "PT30S",
    });
    partner.receiver.hold();
    const { id } = await createSubscription(partner, { externalId: "subscription-1" });
    await partner.act("subscription.accept", { id });
    while (partner.receiver.heldCount === 0) await new Promise(setImmediate);
    expect(await payOut(partner)).toMatchObject({ status: 201 });
    partner.receiver.reply(200);
    await partner.advance("PT0S");
    expect(received(partner)).toEqual(["ACCEPTED"]);
  });
});

test("a copy for the end is sent when the faults are removed, after what they held back", async () => {
  await using partner = await openPartner();
  await partner.sandbox.fault({ on: "webhook", effect: "duplicate-at-end", nth: 1 });
  await partner.sandbox.fault({ on: "webhook", effect: "late", nth: 1, event: "*.CANCELLATION.ACCEPTED" });
  await canceled(partner, await accepted(partner));
  await partner.advance("P1D");
  expect(received(partner)).toEqual(["ACCEPTED", "CANCELLATION.PENDING"]);
  await partner.ask("DELETE", "/sandbox/faults");
  await partner.advance("PT0S");
  expect(received(partner).slice(2)).toEqual(["CANCELLATION.ACCEPTED", "ACCEPTED"]);
});

test("objectNumber selects an object by the order in which events announced them", async () => {
  await using partner = await openPartner();
  await partner.sandbox.fault({ on: "webhook", effect: "delay", by: "PT1H", objectNumber: 2 });
  await accepted(partner, "subscription-1");
  await accepted(partner, "subscription-2");
  await accepted(partner, "subscription-3");
  expect((await deliveriesOf(partner)).map(({ status }) => status)).toEqual([
    "delivered",
    "scheduled",
    "delivered",
  ]);
});
