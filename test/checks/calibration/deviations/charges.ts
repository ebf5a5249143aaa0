import { ACCEPTED, CANCELED, type Deviations, after, charge, sends, swaps } from "./deviation.ts";

const CHARGED = ACCEPTED + charge();

const EVENT = "SUBSCRIPTION.SCHEDULED_PAYMENT";

const act = (name: string, on: string, more = ""): string => `
- act: ${name}
  on: ${on}${more}`;

/** Of scheduled payments. */
export const ofCharges: Deviations = {
  "charge.settles-as-order": {
    story: CHARGED + after("P6D"),
    change: swaps(`${EVENT}.COMPLETED`, "ORDER-PAYIN.PAID"),
    observed: "ORDER-PAYIN.PAID comes before COMPLETED",
  },
  "charge.imposed-cancellations": [
    {
      story: CHARGED + after("PT1M") + CANCELED,
      change: swaps("SUBSCRIPTION.CANCELLATION.ACCEPTED", `${EVENT}.CANCELLATION.ACCEPTED`),
      observed: "the event of the charge comes first",
    },
  ],
  "charge.end-to-end-id": {
    story: `${CHARGED}${after("PT1M")}${act("scheduled-payment.request-cancellation", "${charge.id}", "\n  with: { reason: REQUESTED_BY_RECEIVER, requestedBy: receiver }")}${after("PT1M")}`,
    change: sends(`${EVENT}.CANCELLATION.ACCEPTED`, (text) =>
      text.replace(/"endToEndId":"E[^"]{31}"/, `"endToEndId":"E${"7".repeat(31)}"`),
    ),
    observed: "it has 2",
  },
};
