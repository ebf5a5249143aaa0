import { parse } from "yaml";
import { readFileSync } from "node:fs";

const start = "2026-11-20T09:00:00-03:00";

const refund = {
  call: "refundOrder",
  body: {
    orderId: "${first.id}",
    amount: "10.00",
    reason: "CUSTOMER_REQUEST",
    requestedBy: { name: "Ana", email: "ana@acme.example" },
  },
};

function sale(name: string, paymentMethod: string, value: string): object {
  return {
    externalId: `${name}-\${run}`,
    paymentMethod,
    amount: { currency: "BRL", value },
    notificationUrl: "http://receiver.example/webhooks",
  };
}

interface Life {
  readonly name: string;
  readonly start: string;
  readonly steps: readonly object[];
}

const { name, steps } = parse(readFileSync("scenarios/explore/subscription-life.yaml", "utf8")) as Life;

/** The life of a subscription, in six events about three objects. */
export const life: Life = { name, start, steps };

/** The steps of a charge that is canceled before its day. */
const canceled = [
  {
    call: "createScheduledPayment",
    path: { id: "${sub.id}" },
    body: {
      purpose: "FIRST_ATTEMPT",
      externalId: "canceled-${run}",
      amount: { currency: "BRL", value: "59.90" },
      dueDate: "2026-11-28",
    },
    save: "canceled",
  },
  { advance: "PT1M" },
  {
    act: "scheduled-payment.request-cancellation",
    on: "${canceled.id}",
    with: { reason: "REQUESTED_BY_PAYER" },
  },
  { advance: "PT1M" },
];

/** The scenarios that partners are judged with. */
export const scenarios = {
  /** A subscription with a canceled charge, a settled one, its order and a cancellation. */
  life: { ...life, steps: [...steps.slice(0, 2), ...canceled, ...steps.slice(2)] },
  /** Two sales, one of them late in the evening, two partial refunds, and a batch of which one part fails. */
  sales: {
    name: "Two sales, two refunds and a batch",
    start,
    steps: [
      {
        call: "createTransparentOrder",
        body: { $use: "order.pix", order: sale("first", "PIX", "100.10") },
        save: "first",
      },
      { act: "order.pay", on: "${first.id}" },
      {
        call: "createPayout",
        body: {
          $use: "payout.ted",
          externalId: "batch-${run}",
          amount: { currency: "BRL", value: "40000.00" },
        },
        save: "batch",
      },
      { plan: "payout.settlement", on: "${batch.id}", outcomes: ["PAID", "ERROR", "PAID"] },
      // It is 22:00 of this day, and the next day in UTC.
      { advance: "PT13H" },
      {
        call: "createTransparentOrder",
        body: { $use: "order.deposit", order: sale("second", "DEPOSIT", "10.10") },
        save: "second",
      },
      { act: "order.pay", on: "${second.id}" },
      { advance: "PT1M" },
      // Two refunds of one instant.
      refund,
      refund,
      { advance: "PT30M" },
    ],
  },
  /** Two orders are paid out; the partner's system drives. */
  payouts: {
    name: "Two orders are paid out",
    start,
    assumptions: { "payout.pix-delay": "PT30M" },
    steps: [
      { request: "POST partner:/orders", body: { order: "first-${run}", amount: "100.00" } },
      { request: "POST partner:/orders", body: { order: "second-${run}", amount: "50.00" } },
      { advance: "P1D" },
      { request: "POST partner:/work", tick: true },
      { advance: "P2D" },
      { request: "POST partner:/work", tick: true },
    ],
  },
  /** A subscription is accepted, and a nightly job pays a bonus for it. */
  nights: {
    name: "A bonus for a new subscription",
    start,
    steps: [
      {
        call: "createSubscription",
        body: { $use: "subscription.monthly", externalId: "pupil-${run}" },
        save: "pupil",
      },
      { act: "subscription.accept", on: "${pupil.id}" },
      { advance: "PT1H" },
      { request: "POST partner:/nightly", tick: true },
      { advance: "P1D" },
      { request: "POST partner:/nightly", tick: true },
      { advance: "PT1H" },
    ],
  },
};

/** Returns the scenarios of payers for the address of their own API. */
export function payerScenarios(base: string) {
  // The customer tries again before a payout settles.
  const assumptions = { "payout.pix-delay": "PT30M" };
  const order = (name: string, amount: string) => ({ order: `${name}-\${run}`, amount });
  const ends = [{ advance: "PT1H" }, { request: `POST ${base}/jobs/work`, tick: true }];
  return {
    orders: {
      name: "Two orders are paid out",
      start,
      assumptions,
      steps: [
        { request: `POST ${base}/orders`, body: order("first", "100.00") },
        { request: `POST ${base}/orders`, body: order("second", "50.00") },
        ...ends,
      ],
    },
    batch: {
      name: "A batch is paid out",
      start,
      assumptions,
      steps: [
        {
          request: `POST ${base}/batches`,
          body: { parts: [order("one", "10.00"), order("two", "20.00"), order("three", "30.00")] },
        },
        ...ends,
      ],
    },
    refund: {
      name: "An order is refunded",
      start,
      steps: [
        { call: "createTransparentOrder", body: { $use: "order.pix" }, save: "sale" },
        { act: "order.pay", on: "${sale.id}" },
        { advance: "PT1M" },
        { request: `POST ${base}/refunds`, body: { order: "sale-${run}", id: "${sale.id}" } },
        { advance: "PT1H" },
      ],
    },
  };
}
