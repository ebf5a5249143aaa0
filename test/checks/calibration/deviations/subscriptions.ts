import { ACCEPTED, CANCELED, type Deviations, answers, sends, subscription, swaps } from "./deviation.ts";

const FIRST_CHARGE = subscription("sub", "", "", "immediate");

/** Of subscriptions, their cancellations and charges. */
export const ofSubscriptions: Deviations = {
  "subscription.paid-and-refused": {
    story: `${FIRST_CHARGE}
- act: order.pay
  on: \${sub.initialCharge.orderId}
  with: { authorization: REJECTED }`,
    change: swaps("ORDER-PAYIN.PAID", "SUBSCRIPTION.REJECTED"),
    observed: "it comes after it",
  },
  "subscription.transitions": {
    story: ACCEPTED + CANCELED,
    change: sends("SUBSCRIPTION.CANCELLATION.ACCEPTED", (text) =>
      text.replace('"status":"CANCELED"', '"status":"REJECTED"'),
    ),
    observed: "ACCEPTED becomes REJECTED",
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
};
