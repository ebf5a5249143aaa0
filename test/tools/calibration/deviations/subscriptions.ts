import {
  ACCEPTED,
  CANCELED,
  type Deviations,
  INACTIVE,
  LISTED,
  accepts,
  after,
  answers,
  charge,
  expecting,
  refuses,
  sends,
  subscription,
  swaps,
  together,
} from "./deviation.ts";

const refused = (more: string): string => subscription() + subscription("other", more, expecting(400));

const FIRST_CHARGE = subscription("sub", "", "", "immediate");

const READ = `
- call: getSubscription
  path: { id: "\${sub.id}" }`;

const ALL = ["PENDING", "ACCEPTED"] as const;

/** Of subscriptions, their cancellations and charges. */
export const ofSubscriptions: Deviations = {
  "subscription.required-fields": {
    story: refused(", startDate: { $absent: true }"),
    change: accepts("createSubscription"),
    observed: "startDate may be left out",
  },
  "subscription.currency": {
    story: refused(', fixedAmount: { currency: USD, value: "5.00" }'),
    change: accepts("createSubscription"),
    observed: "it is accepted",
  },
  "subscription.both-amounts": [
    {
      story: subscription(
        "sub",
        ', fixedAmount: { currency: BRL, value: "5.00" }, maxAmountFloor: { currency: BRL, value: "5.00" }',
        expecting(400),
      ),
      change: refuses("createSubscription", (text) => text.replace('"maxAmountFloor"', '"body"')),
      observed: "400 with details of fixedAmount",
    },
    {
      story: refused(
        ', fixedAmount: { currency: BRL, value: "5.00" }, maxAmountFloor: { currency: BRL, value: "5.00" }',
      ),
      change: accepts("createSubscription"),
      observed: "it is accepted",
    },
  ],
  "subscription.inactive-account": {
    story: LISTED + subscription("sub", `, accountId: ${INACTIVE}`, expecting(403)),
    change: refuses(
      "createSubscription",
      () => '{"error":"INVALID_REQUEST","message":"The account is not active.","details":[]}',
      400,
    ),
    observed: "400 INVALID_REQUEST",
  },
  "subscription.initial-charge-on-journey-2": {
    story: refused(', initialCharge: { amount: { currency: BRL, value: "5.00" } }'),
    change: accepts("createSubscription"),
    observed: "it is accepted",
  },
  "subscription.end-before-start": {
    story: refused(", startDate: 2026-12-10, endDate: 2026-12-09"),
    change: accepts("createSubscription"),
    observed: "it is accepted",
  },
  "subscription.first-charge-after-the-end": {
    story: `${FIRST_CHARGE}\n- act: subscription.reject\n  on: \${sub.id}`,
    change: sends("ORDER-PAYIN.CANCELED", (text) => text.replaceAll("CANCELED", "EXPIRED")),
    observed: "its event is ORDER-PAYIN.EXPIRED",
  },
  "subscription.journey-3-payer": {
    story: `${subscription("sub", ', payer: { name: Pia, document: { type: CPF, number: "11144477735" } }', "", "immediate")}
- plan: order.payment
  on: \${sub.initialCharge.orderId}
  outcomes: [PAID]${after("PT1M")}`,
    change: sends("SUBSCRIPTION.ACCEPTED", (text) =>
      text.replace(/("payer":.*"number":")\d+/, "$184378543770"),
    ),
    observed: "another payer accepts",
  },
  "subscription.paid-and-refused": {
    story: `${FIRST_CHARGE}
- act: order.pay
  on: \${sub.initialCharge.orderId}
  with: { authorization: REJECTED }`,
    change: swaps("ORDER-PAYIN.PAID", "SUBSCRIPTION.REJECTED"),
    observed: "it comes after it",
  },
  "subscription.first-charge-fails": {
    story: FIRST_CHARGE + after("P2D") + READ,
    change: answers("getSubscription", (text) => text.replace("PENDING_AUTHORIZATION", "REJECTED")),
    observed: "it is REJECTED",
  },
  "subscription.registration": {
    story: `\n- plan: subscription.registration\n  outcomes: [ERROR]${FIRST_CHARGE}`,
    change: answers("createSubscription", (text) =>
      text.replace('"initialCharge":{', '"initialCharge":{"orderId":"99999999-9999-4999-8999-999999999999",'),
    ),
    observed: "it has an orderId",
  },
  "subscription.transitions": {
    story: ACCEPTED + CANCELED,
    change: sends("SUBSCRIPTION.CANCELLATION.ACCEPTED", (text) =>
      text.replace('"status":"CANCELED"', '"status":"REJECTED"'),
    ),
    observed: "ACCEPTED becomes REJECTED",
  },
  "subscription.after-end-date": {
    story: `${subscription("sub", ', endDate: "${today + P6D}"', "", "weekly")}
- act: subscription.accept
  on: \${sub.id}${charge()}${charge(', dueDate: "${today + P8D}"', expecting(400), "late")}`,
    change: accepts("createScheduledPayment"),
    observed: "it is accepted",
  },
  "subscription.events": [
    {
      story: ACCEPTED,
      change: sends("SUBSCRIPTION.ACCEPTED", (text) =>
        text.replace("SUBSCRIPTION.ACCEPTED", "SUBSCRIPTION.ACTIVE"),
      ),
      observed: "SUBSCRIPTION.ACTIVE is not known",
    },
    {
      story: ACCEPTED,
      change: sends("SUBSCRIPTION.ACCEPTED", (text) => text.replace('"occurredAt"', '"at"')),
      observed: "occurredAt",
    },
  ],
  "subscription.cancellable-in": {
    story: subscription() + CANCELED,
    change: together(
      ...ALL.map((status) =>
        sends(`SUBSCRIPTION.CANCELLATION.${status}`, (text) =>
          text.replace(/"status":"(PENDING_AUTHORIZATION|CANCELED)"/, '"status":"ERROR"'),
        ),
      ),
    ),
    observed: "ERROR allows it, too",
  },
  "subscription.identifiers": {
    story: ACCEPTED,
    change: answers("createSubscription", (text) =>
      text.replace(/"providerId":"[^"]*"/, '"providerId":"rec-42"'),
    ),
    observed: "providerId is rec-42",
  },
  "cancellation.event-canceled-at": {
    story: ACCEPTED + CANCELED,
    change: sends("SUBSCRIPTION.CANCELLATION.PENDING", (text) => text.replace('"canceledAt":null,', "")),
    observed: "PENDING: it is left out",
  },
  "cancellation.reasons-in-resource": {
    story: ACCEPTED + CANCELED + READ,
    change: answers("getSubscription", (text) => text.replace("REQUESTED_BY_PAYER", "FRAUD_SUSPICION")),
    observed: "REQUESTED_BY_PAYER is shown as FRAUD_SUSPICION",
  },
};
