import { afterAll, beforeAll, expect, test } from "vitest";
import { type Bug, bugs } from "../../partners/bookkeeper.ts";
import { BOOKS, openPlayedBooks, type PlayedBooks, tracesIn } from "./played-books.ts";
import { failureLines } from "../../../src/scenarios/result.ts";

let partner: PlayedBooks;
beforeAll(async () => {
  partner = await openPlayedBooks();
});
afterAll(() => partner[Symbol.asyncDispose]());

const { rows: _, ...TOTALS } = BOOKS;

const played = (steps: readonly object[], more: object = {}, books: object = TOTALS): string =>
  JSON.stringify({
    name: "planted",
    seed: 5,
    start: "2026-11-20T09:00:00-03:00",
    probe: { url: `${partner.url}/books`, settle: "PT0.02S", books },
    ...more,
    steps,
  });

const order = (externalId: string, value: string, save = "order", currency = "BRL"): object => ({
  call: "createTransparentOrder",
  body: {
    $use: currency === "MXN" ? "order.spei" : "order.deposit",
    order: {
      externalId,
      paymentMethod: currency === "MXN" ? "SPEI" : "DEPOSIT",
      amount: { currency, value },
      notificationUrl: "http://receiver.example/webhooks",
    },
  },
  save,
});
const act = (name: string, on: string, fields?: object): object => ({
  act: name,
  on,
  ...(fields && { with: fields }),
});
const payout = (externalId: string, value: string, save = "payout"): object => ({
  call: "createPayout",
  body: { $use: "payout.pix", externalId, amount: { currency: "BRL", value } },
  save,
});
const batch = {
  call: "createPayout",
  body: {
    $use: "payout.ted",
    externalId: "batch-1",
    paymentMethod: "PIX",
    amount: { currency: "BRL", value: "40000.00" },
  },
  save: "payout",
};
const plan = (name: string, ...outcomes: string[]): object => ({ plan: name, outcomes });
const refund = (amount: string): object => ({
  call: "refundOrder",
  body: { $use: "refund.part", orderId: "${order.id}", amount },
});
const wait = { advance: "PT5S" };
const paid = [order("shop-1", "100.00"), act("order.pay", "${order.id}")];
const subscribed = [
  { call: "createSubscription", body: { $use: "subscription.monthly", externalId: "gym-1" }, save: "sub" },
  act("subscription.accept", "${sub.id}"),
  {
    call: "createScheduledPayment",
    path: { id: "${sub.id}" },
    body: { $use: "charge.first" },
    save: "charge",
  },
];

interface Planted {
  readonly steps: readonly object[];
  /** The sum that is wrong. */
  readonly path: string;
  /** What happened at the entry that is reported. */
  readonly entry: RegExp;
  readonly more?: object;
  readonly books?: object;
}

const planted: Readonly<Record<Bug, Planted>> = {
  "refund-error-for-order-error": {
    steps: [...paid, plan("refund.outcome", "ERROR"), refund("30.00"), wait],
    path: "received",
    entry: /^refund\.fail: INITIAL → ERROR, which moves nothing of this sum, announced by ORDER-PAYIN\.ERROR/,
  },
  "net-for-gross": {
    steps: paid,
    path: "received",
    entry: /^order\.pay: INITIAL → PAID, 100\.00 to account 1111/,
  },
  "resend-twice": {
    steps: [
      { fault: { on: "webhook", event: "ORDER-PAYIN.PAID", effect: "duplicate-late", after: "PT1H" } },
      ...paid,
      order("shop-2", "70.00", "other"),
      { advance: "PT2H" },
    ],
    path: "received",
    entry: /^order\.pay: INITIAL → PAID, 100\.00 to account/,
  },
  "part-refund-as-whole": {
    steps: [...paid, refund("30.00"), wait],
    path: "refunded",
    entry: /^refund\.settle: INITIAL → REFUNDED.*, 30\.00/,
  },
  "refused-refund-counted": {
    steps: [...paid, plan("refund.outcome", "REJECTED"), refund("30.00"), wait],
    path: "refunded",
    entry: /^refund\.reject: INITIAL → REJECTED, which moves nothing/,
  },
  "failed-refund-counted": {
    steps: [...paid, plan("refund.outcome", "ERROR"), refund("30.00"), wait],
    path: "refunded",
    entry: /^refund\.fail: INITIAL → ERROR, which moves nothing/,
  },
  "batch-child-twice": { steps: [batch, wait], path: "paidOut", entry: /payout\.settle: PENDING → PAID/ },
  "cents-lost": {
    steps: [order("shop-1", "19.99"), act("order.pay", "${order.id}")],
    path: "received",
    entry: /^order\.pay.*19\.99 to account/,
  },
  "sum-of-floats": {
    steps: [
      order("shop-1", "0.10"),
      act("order.pay", "${order.id}"),
      order("shop-2", "0.20", "other"),
      act("order.pay", "${other.id}"),
    ],
    path: "received",
    entry: /^order\.pay.*0\.20 to account/,
  },
  "return-not-taken-back": {
    steps: [
      { call: "createPayout", body: { $use: "payout.ted", externalId: "ted-1" }, save: "payout" },
      wait,
      act("payout.return", "${payout.id}"),
    ],
    // TEDs settle on bank business days.
    more: { start: "2026-11-23T09:00:00-03:00", assumptions: { "payout.ted-returns": true } },
    path: "paidOut",
    entry: /1250\.00 back to account 1111.*/,
  },
  "day-in-utc": {
    steps: [{ advance: { to: "2026-11-20T22:30:00-03:00" } }, ...paid],
    books: { totals: { received: '$.days["2026-11-20"]' } },
    path: "received",
    entry: /^order\.pay.*100\.00 to account/,
  },
  "first-charge-forgotten": {
    steps: [
      { call: "createSubscription", body: { $use: "subscription.immediate" }, save: "sub" },
      act("order.pay", "${sub.initialCharge.orderId}"),
    ],
    path: "received",
    entry: /order\.pay: INITIAL → PAID.*59\.90 to account.*ORDER-PAYIN\.PAID/,
  },
  "part-payment-ignored": {
    steps: [order("shop-1", "100.00"), act("order.pay", "${order.id}", { amount: "40.00" })],
    path: "received",
    entry: /^order\.pay-partly: INITIAL → PARTIALLY_PAID, 40\.00/,
  },
  "part-payment-twice": {
    steps: [
      order("shop-1", "100.00"),
      act("order.pay", "${order.id}", { amount: "40.00" }),
      act("order.pay", "${order.id}"),
    ],
    path: "received",
    entry: /^order\.pay: PARTIALLY_PAID → PAID, 60\.00/,
  },
  "failed-payout-counted": {
    steps: [plan("payout.settlement", "ERROR"), payout("order-1", "100.00"), wait],
    path: "paidOut",
    entry: /payout\.fail: PENDING → ERROR, which moves nothing/,
  },
  "canceled-payout-counted": {
    steps: [plan("payout.settlement", "CANCELED"), payout("order-1", "100.00"), wait],
    path: "paidOut",
    entry: /payout\.cancel: PENDING → CANCELED, which moves nothing/,
  },
  "second-refund-dropped": {
    steps: [...paid, refund("30.00"), refund("20.00"), wait],
    path: "refunded",
    entry: /^refund\.settle.*, 20\.00/,
  },
  "charge-twice": {
    steps: [...subscribed, { advance: "P6D" }],
    path: "received",
    entry: /scheduled-payment\.settle.*59\.90 to account/,
  },
  "resent-charge-ignored": {
    steps: [
      ...subscribed,
      plan("scheduled-payment.settlement", "SETTLEMENT_ERROR", "SETTLED"),
      { advance: "P6D" },
    ],
    path: "received",
    entry: /scheduled-payment\.settle.*59\.90 to account/,
  },
  "same-payout-for-a-copy": {
    steps: [payout("order-1", "100.00"), payout("order-2", "100.00", "other"), wait],
    path: "paidOut",
    entry: /payout\.settle: PENDING → PAID, 100\.00 from account|payout\.settle: PENDING → PAID, 100\.00/,
  },
  "expired-order-counted": {
    steps: [order("shop-1", "100.00"), { advance: "P2D" }],
    books: TOTALS,
    path: "received",
    entry: /^order\.expire: INITIAL → EXPIRED, which moves nothing/,
  },
  "pesos-as-reais": {
    steps: [order("tienda-1", "250.00", "order", "MXN"), act("order.pay", "${order.id}")],
    path: "received",
    entry: /^order\.pay.*250\.00 MXN to account/,
  },
  "payers-fees-counted": {
    steps: [order("shop-1", "100.00"), act("order.pay", "${order.id}")],
    more: { assumptions: { "order.fee-fixed": 100 } },
    path: "received",
    entry: /^order\.pay.*100\.00 to account/,
  },
  "thousands-cut": {
    steps: [order("shop-1", "1250.00"), act("order.pay", "${order.id}")],
    path: "received",
    entry: /^order\.pay.*1250\.00 to account/,
  },
};

test.each(bugs)("%s is found, with the entry at which it happened", async (bug) => {
  const { steps, path, entry, more, books } = planted[bug];
  const text = played(steps, more, books);
  const [right] = await partner.play(text, "right.yaml");
  // A returned TED is told by no event, so that no partner knows of it.
  const isToldOf = bug !== "return-not-taken-back";
  expect(isToldOf && right?.failure ? failureLines(right.failure) : []).toEqual([]);
  expect(right && tracesIn(right)).toEqual([]);
  const [wrong] = await partner.play(text, "wrong.yaml", bug);
  const { books: [found] = [], message } = wrong?.failure ?? {};
  expect({ message, path: found?.path, sentence: found?.entry?.sentence }).toEqual({
    message,
    path: `$books.${path}`,
    sentence: expect.stringMatching(entry) as string,
  });
});

/** The errors that are seen without any books, by what is reported of them. */
const SEEN: Partial<Readonly<Record<Bug, RegExp>>> = {
  "refused-refund-counted": /^trace-without-money: ORDER-PAYIN\.REJECTED .*\$\.refunded/,
  "failed-refund-counted": /^trace-without-money: ORDER-PAYIN\.ERROR .*\$\.refunded/,
  "first-charge-forgotten": /^event-without-trace: .*moved 59\.90 BRL/,
  "part-payment-ignored": /^event-without-trace: ORDER-PAYIN\.PARTIALLY_PAID .*moved 40\.00 BRL of shop-1/,
  "failed-payout-counted":
    /^trace-without-money: ORDER-PAYOUT\.ERROR .*\$\.paidOut changed from 0\.00 to 100\.00/,
  "canceled-payout-counted": /^trace-without-money: ORDER-PAYOUT\.CANCELED .*\$\.paidOut/,
  "second-refund-dropped": /^event-without-trace: ORDER-PAYIN\.REFUNDED \(event 3\) moved 20\.00 BRL/,
  "resent-charge-ignored": /^event-without-trace: .*ORDER-PAYIN\.PAID \(event 6\) moved 59\.90 BRL/,
  "expired-order-counted": /^trace-without-money: ORDER-PAYIN\.EXPIRED .*\$\.received/,
};

test.each(bugs)(
  "without books, %s is reported where an event left no trace, or one too many",
  async (bug) => {
    const { steps, more } = planted[bug];
    const text = played(steps, { ...more, probe: { url: `${partner.url}/books`, settle: "PT0.02S" } });
    const [wrong] = await partner.play(text, "wrong.yaml", bug);
    const seen = SEEN[bug];
    const found = wrong === undefined ? [] : tracesIn(wrong);
    expect(found.map((text) => seen?.test(text) ?? text)).toEqual(seen === undefined ? [] : [true]);
  },
);

test("what a request of the scenario changes is no trace of the event that follows", async () => {
  const steps = [
    ...paid,
    { request: `POST ${partner.url}/reset` },
    order("shop-2", "100.00", "other"),
    act("order.pay", "${other.id}"),
  ];
  const probe = { url: `${partner.url}/books`, settle: "PT0.02S" };
  const [result] = await partner.play(played(steps, { probe }), "reset.yaml");
  expect(result && [result.status, ...tracesIn(result)]).toEqual(["passed"]);
});
