import { expect, test } from "vitest";
import { openPartner, type Partner, subscriptionBody } from "../../../partner.ts";
import { askPayout, createPayout, payoutNow, reais } from "../payouts/payout-requests.ts";
import {
  acceptedSubscription,
  chargeBody,
  chargeOf,
  createCharge,
  planSettlement,
  putCharge,
} from "../scheduled-payments/charge.ts";
import { makeOrder, orderBody } from "../orders/asking.ts";
import { paidOrder, refund, refundBody, refunded } from "../refunds/paid-order.ts";

type Story = (partner: Partner) => Promise<unknown>;

/** What a story comes to where an assumption has a value. */
async function told(assumptions: object, story: Story): Promise<unknown> {
  await using partner = await openPartner({ assumptions });
  return await story(partner);
}

async function eventNames(partner: Partner): Promise<unknown[]> {
  return (await partner.webhooks()).map(({ event }) => event);
}

/** The events about cancellations, each with its status and its canceledAt. */
async function cancellationEvents(partner: Partner): Promise<unknown[]> {
  return (await partner.webhooks()).flatMap(({ event, data }) => {
    const { cancellation, status } = data as { status: string; cancellation?: { canceledAt: string | null } };
    const name = String(event).replace(/^.*CANCELLATION\./, "");
    return cancellation === undefined ? [] : [`${name} of ${status}, canceledAt ${cancellation.canceledAt}`];
  });
}

async function settlementError(partner: Partner): Promise<unknown> {
  const { id: subscription } = await acceptedSubscription(partner);
  const { id } = await createCharge(partner, subscription);
  await planSettlement(partner, id, ["SETTLEMENT_ERROR", "SETTLED"]);
  await partner.advance({ to: "2026-11-25T00:06:00-03:00" });
  return (await cancellationEvents(partner)).map((event) => String(event).split(",")[0]);
}

async function canceledWithCharge(partner: Partner): Promise<unknown> {
  const { id } = await acceptedSubscription(partner);
  await createCharge(partner, id);
  await partner.advance("PT1M");
  await partner.act("subscription.request-cancellation", { id, reason: "REQUESTED_BY_PAYER" });
  await partner.advance("PT1M");
  return (await eventNames(partner)).filter((name) => /SCHEDULED_PAYMENT\.CANCELLATION/.test(String(name)));
}

/** The status and the issues of a charge that is requested. */
async function chargeAnswer(partner: Partner, subscription: unknown, changed: object): Promise<string> {
  const { status, body } = await putCharge(partner, subscription, chargeBody(changed));
  const details = (body["details"] ?? []) as { field: string; issue: string }[];
  return [status, ...details.map(({ field, issue }) => `${field} ${issue}`)].join(" ");
}

const PENDING = "SUBSCRIPTION.SCHEDULED_PAYMENT.CANCELLATION.PENDING";
const ACCEPTED = "SUBSCRIPTION.SCHEDULED_PAYMENT.CANCELLATION.ACCEPTED";

/** A story of each assumption: what it comes to by default, and with the other value. */
const stories: readonly [setting: string, story: Story, usual: unknown, other: unknown][] = [
  [
    "subscription.events=none",
    async (partner) => {
      await acceptedSubscription(partner);
      return eventNames(partner);
    },
    ["SUBSCRIPTION.ACCEPTED"],
    [],
  ],
  [
    "charge.events=none",
    async (partner) => {
      const { id } = await acceptedSubscription(partner);
      await createCharge(partner, id);
      await partner.advance({ to: "2026-11-25T01:00:00-03:00" });
      return (await eventNames(partner)).slice(1);
    },
    [
      "SUBSCRIPTION.SCHEDULED_PAYMENT.ACCEPTED",
      "SUBSCRIPTION.SCHEDULED_PAYMENT.COMPLETED",
      "ORDER-PAYIN.PAID",
    ],
    ["ORDER-PAYIN.PAID"],
  ],
  [
    "order.events=paid",
    async (partner) => {
      const { id } = await makeOrder(partner, orderBody("PIX"));
      await makeOrder(partner, orderBody("PIX"));
      await partner.act("order.pay", { id });
      await partner.advance("P2D");
      return eventNames(partner);
    },
    ["ORDER-PAYIN.PAID", "ORDER-PAYIN.EXPIRED"],
    ["ORDER-PAYIN.PAID"],
  ],
  [
    "subscription.initial-charge-on-journey-2=ignore",
    async (partner) => {
      const body = subscriptionBody({ initialCharge: { amount: reais("5.00") } });
      const answered = await partner.ask("POST", "/order/v1/banking/subscriptions", { body });
      return [answered.status, "initialCharge" in answered.body];
    },
    [400, false],
    [201, false],
  ],
  [
    "subscription.after-end-date=accept",
    async (partner) => {
      const { id } = await acceptedSubscription(partner, { endDate: "2026-11-24" });
      return chargeAnswer(partner, id, {});
    },
    "400 dueDate INVALID",
    "200",
  ],
  [
    "charge.per-cycle=any",
    async (partner) => {
      const { id } = await acceptedSubscription(partner);
      await createCharge(partner, id);
      return chargeAnswer(partner, id, { externalId: "charge-2" });
    },
    "400 dueDate CYCLE_TAKEN",
    "200",
  ],
  [
    "charge.amount=accept-then-reject",
    async (partner) => {
      const { id } = await acceptedSubscription(partner, { fixedAmount: reais("10.00") });
      const answer = await chargeAnswer(partner, id, {});
      await partner.advance("PT5S");
      return [answer, ...(await eventNames(partner)).slice(1)];
    },
    ["400 amount.value INVALID"],
    ["200", "SUBSCRIPTION.SCHEDULED_PAYMENT.REJECTED"],
  ],
  [
    "charge.settlement-error-cancellation=pending-first",
    settlementError,
    ["ACCEPTED of CANCELED"],
    ["PENDING of ACCEPTED", "ACCEPTED of CANCELED"],
  ],
  ["charge.imposed-cancellations=pending-first", canceledWithCharge, [ACCEPTED], [PENDING, ACCEPTED]],
  [
    "cancellation.event-canceled-at=time",
    async (partner) => {
      const { id } = await acceptedSubscription(partner);
      await partner.act("subscription.request-cancellation", { id, reason: "REQUESTED_BY_PAYER" });
      await partner.advance("PT5S");
      return cancellationEvents(partner);
    },
    ["PENDING of ACCEPTED, canceledAt null", "ACCEPTED of CANCELED, canceledAt 2026-11-20T12:00:05.000Z"],
    [
      "PENDING of ACCEPTED, canceledAt 2026-11-20T12:00:00.000Z",
      "ACCEPTED of CANCELED, canceledAt 2026-11-20T12:00:05.000Z",
    ],
  ],
  [
    "payout.parent-status=paid",
    async (partner) => {
      const { id } = await createPayout(partner, { amount: reais("20000.00") });
      await partner.act("payout.fail", { id, sequence: 2 });
      await partner.advance("PT2S");
      return [(await payoutNow(partner, id))["status"], ...(await eventNames(partner))];
    },
    ["ERROR", "ORDER-PAYOUT.ERROR"],
    ["PAID", "ORDER-PAYOUT.PAID"],
  ],
  [
    "refund.insufficient-balance=refuse",
    async (partner) => {
      const { orderId } = await paidOrder(partner);
      // All that acme has, and what the order brought.
      expect((await askPayout(partner, { amount: reais("100059.90") })).status).toBe(201);
      return (await refund(partner, refundBody(orderId))).status;
    },
    200,
    400,
  ],
  [
    "refund.event-fields=sentence",
    async (partner) => {
      const { orderId } = await paidOrder(partner);
      await refunded(partner, orderId, "59.90");
      await partner.advance("PT5S");
      return (await partner.webhooks()).at(-1)?.["message"];
    },
    "",
    "The payment was refunded.",
  ],
];

test.each(stories)("%s", async (setting, story, usual, other) => {
  const [id = "", value] = setting.split("=");
  expect(await told({}, story)).toEqual(usual);
  expect(await told({ [id]: value }, story)).toEqual(other);
});

test("a charge of another amount than the fixed one is REJECTED, and never settles", async () => {
  await using partner = await openPartner({ assumptions: { "charge.amount": "accept-then-reject" } });
  const { id } = await acceptedSubscription(partner, { fixedAmount: reais("10.00") });
  const charge = await createCharge(partner, id);
  await partner.advance("P10D");
  expect(await chargeOf(partner, charge["id"])).toMatchObject({ status: "REJECTED" });
});
