import {
  ACCEPTED,
  ACCOUNT,
  CANCELED,
  type Deviations,
  LISTED,
  accepts,
  after,
  answers,
  charge,
  expecting,
  refuses,
  sends,
  sendsBefore,
  subscription,
  swaps,
} from "./deviation.ts";

const CHARGED = ACCEPTED + charge();

const EVENT = "SUBSCRIPTION.SCHEDULED_PAYMENT";

const act = (name: string, on: string, more = ""): string => `
- act: ${name}
  on: ${on}${more}`;

/** A request to cancel that comes before its answer. */
const pending = (text: string): string =>
  text
    .replace("CANCELLATION.ACCEPTED", "CANCELLATION.PENDING")
    .replace('"status":"ACCEPTED"', '"status":"PENDING"')
    .replace(/"canceledAt":"[^"]*"/, '"canceledAt":null');

/** Of scheduled payments. */
export const ofCharges: Deviations = {
  "charge.endpoint": [
    {
      story: CHARGED,
      change: answers("createScheduledPayment", (text) => text.replace('"settlementDate"', '"settlesOn"')),
      observed: "it lacks settlementDate",
    },
    {
      story: CHARGED + charge().replace(/\n  save: .*/, ""),
      change: answers(
        "createScheduledPayment",
        (text) => text.replace(/"id":"[^"]*"/, '"id":"99999999-9999-4999-8999-999999999999"'),
        1,
      ),
      observed: "it gives another charge",
    },
  ],
  "charge.events": {
    story: CHARGED + after("P6D"),
    change: sends(`${EVENT}.COMPLETED`, (text) => text.replace(`${EVENT}.COMPLETED`, `${EVENT}.PAID`)),
    observed: `${EVENT}.PAID is not known`,
  },
  "charge.settles-as-order": {
    story: CHARGED + after("P6D"),
    change: swaps(`${EVENT}.COMPLETED`, "ORDER-PAYIN.PAID"),
    observed: "ORDER-PAYIN.PAID comes before COMPLETED",
  },
  "charge.settlement-error-cancellation": {
    story: `${CHARGED}
- plan: scheduled-payment.settlement
  on: \${charge.id}
  outcomes: [SETTLEMENT_ERROR, SETTLED]${after("P6D")}`,
    change: sendsBefore(`${EVENT}.CANCELLATION.ACCEPTED`, pending),
    observed: "a PENDING is sent before it",
  },
  "charge.per-cycle": {
    story: CHARGED + charge(', dueDate: "${today + P6D}"', expecting(400), "second"),
    change: accepts("createScheduledPayment"),
    observed: "it is accepted",
  },
  "charge.inactive-account": {
    story: `${ACCEPTED}${act("account.deactivate", ACCOUNT)}${LISTED}${charge("", expecting(403))}`,
    change: refuses(
      "createScheduledPayment",
      () => '{"error":"INVALID_REQUEST","message":"The account is not active.","details":[]}',
      400,
    ),
    observed: "400 INVALID_REQUEST",
  },
  "charge.account-closed": {
    story: CHARGED + after("PT1M") + act("account.close", ACCOUNT),
    change: sendsBefore(`${EVENT}.CANCELLATION.ACCEPTED`, pending),
    observed: "a PENDING is sent before it",
  },
  "charge.imposed-cancellations": [
    {
      story: CHARGED + after("PT1M") + CANCELED,
      change: swaps("SUBSCRIPTION.CANCELLATION.ACCEPTED", `${EVENT}.CANCELLATION.ACCEPTED`),
      observed: "the event of the charge comes first",
    },
    {
      story: CHARGED + after("PT1M") + CANCELED,
      change: sendsBefore(`${EVENT}.CANCELLATION.ACCEPTED`, pending),
      observed: "a PENDING is sent before it",
    },
  ],
  "charge.end-to-end-id": {
    story: `${CHARGED}${after("PT1M")}${act("scheduled-payment.request-cancellation", "${charge.id}", "\n  with: { reason: REQUESTED_BY_RECEIVER, requestedBy: receiver }")}${after("PT1M")}`,
    change: sends(`${EVENT}.CANCELLATION.ACCEPTED`, (text) =>
      text.replace(/"endToEndId":"E[^"]{31}"/, `"endToEndId":"E${"7".repeat(31)}"`),
    ),
    observed: "it has 2",
  },
  "charge.rejection-codes": {
    story: CHARGED + act("scheduled-payment.reject", "${charge.id}"),
    change: sends(`${EVENT}.REJECTED`, (text) => text.replace('"data":{', '"data":{"rejectionCode":"AM02",')),
    observed: "it is in rejectionCode",
  },
  "charge.unanswered": {
    story: `assumptions: { autopilot.scheduled-payment.scheduling: manual }
steps:${CHARGED}${after("P6D")}`,
    change: sends(`${EVENT}.ERROR`, (text) => text.replaceAll('ERROR"', 'REJECTED"')),
    observed: "it ends in REJECTED",
  },
  "charge.amount": {
    story: `${subscription("sub", "", "", "fixed")}${act("subscription.accept", "${sub.id}")}${charge()}${charge(', amount: { currency: BRL, value: "60.00" }, dueDate: "${today + P35D}"', expecting(400), "other")}`,
    change: accepts("createScheduledPayment"),
    observed: "it is accepted",
  },
};
