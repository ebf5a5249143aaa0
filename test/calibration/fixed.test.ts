import type { HarEntry } from "../../src/har/har.ts";
import { calibrated, storyOf, trafficOf } from "./traffic.ts";
import { expect, test } from "vitest";

/** A story, and what a platform does in it that the sandbox does not: a change of its answers or webhooks. */
interface Deviation {
  readonly story: string;
  readonly change: (text: string, entry: HarEntry) => string;
  /** Of the whole session, where it is not in one exchange. */
  readonly reorder?: (entries: readonly HarEntry[]) => readonly HarEntry[];
  readonly observed: string;
}

const SUBSCRIBED = `
- call: createSubscription
  body: { $use: subscription.monthly, externalId: sub-1 }
  save: sub
- act: subscription.accept
  on: \${sub.id}`;

const PAYOUT = `
- call: createPayout
  body: { $use: payout.pix }
  key: k-1
  save: payout`;

const CHARGED = `${SUBSCRIBED}
- call: createScheduledPayment
  path: { id: "\${sub.id}" }
  body: { $use: charge.first }
- advance: P6D`;

const ORDERED = `
- call: createTransparentOrder
  body: { $use: order.pix }
  key: k-1
  save: order
- act: order.pay
  on: \${order.id}
- call: refundOrder
  body: { $use: refund.whole, orderId: "\${order.id}", amount: "1.00" }
- advance: PT1M`;

const deviations: Readonly<Record<string, Deviation>> = {
  "http.error-bodies": {
    story: `${PAYOUT.replace("payout.pix }", 'payout.pix, amount: { currency: BRL, value: "0" } }')}\n  expect: { status: 400 }`,
    change: (text, { response }) => (response.status === 400 ? '{"code":"E1","text":"no"}' : text),
    observed: "createPayout {code, text}",
  },
  "refund.error-bodies": {
    story: `
- call: refundOrder
  body: { $use: refund.whole }
  expect: { status: 400 }`,
    change: () => '{"error":"INVALID_REQUEST","message":"No.","details":[]}',
    observed: "refundOrder {error, message, details}",
  },
  "subscription.identifiers": {
    story: SUBSCRIBED,
    change: (text) => text.replace(/"providerId":"[^"]*"/, '"providerId":"rec-42"'),
    observed: "providerId is rec-42",
  },
  "cancellation.event-canceled-at": {
    story: `${SUBSCRIBED}
- act: subscription.request-cancellation
  on: \${sub.id}
  with: { reason: REQUESTED_BY_PAYER, requestedBy: payer }
- advance: PT1M`,
    change: (text) => text.replace('"canceledAt":null,', ""),
    observed: "PENDING: it is left out",
  },
  "payout.control-number": {
    story: `${PAYOUT.replace("payout.pix", "payout.ted")}\n- advance: PT1M`,
    change: (text) => text.replace(/"controlNumber":"[^"]*"/, '"controlNumber":"7-1"'),
    observed: "it is 7-1",
  },
  "idempotency.replay": {
    story: `${PAYOUT}${PAYOUT.replace("save: payout", "save: again")}`,
    change: (text, { response }) =>
      response.headers.some(({ name }) => name === "idempotency-replayed")
        ? text.replace(/"id":"[^"]*"/, '"id":"another"')
        : text,
    observed: "it is a new answer",
  },
  "order.response-groups": {
    story: ORDERED,
    change: (text) => text.replace('"qrcodeData":', '"deeplink":"app://pay","data":'),
    observed: "PIX: deeplink, qrcodeImageBase64",
  },
  "order.statuses": {
    story: ORDERED,
    change: (text) => text.replace('"status":"PAID"', '"status":"UNDER_REVIEW"'),
    observed: "UNDER_REVIEW is not in the interface",
  },
  "refund.end-to-end-id": {
    story: ORDERED,
    change: (text) => text.replace(/"endToEndId":"D[^"]*"/, '"endToEndId":"E1"'),
    observed: "it is E1",
  },
  "refund.event-fields": {
    story: ORDERED,
    change: (text) => text.replace('"message":""', '"message":"Done."'),
    observed: "it has a message",
  },
  "charge.settles-as-order": {
    story: CHARGED,
    change: (text) => text,
    reorder: (entries) => {
      const text = ({ request }: HarEntry): string => request.postData?.text ?? "";
      const completed = entries.filter((entry) => text(entry).includes("SCHEDULED_PAYMENT.COMPLETED"));
      return [...entries.filter((entry) => !completed.includes(entry)), ...completed];
    },
    observed: "ORDER-PAYIN.PAID comes before COMPLETED",
  },
  "charge.events": {
    story: CHARGED,
    change: (text) => text.replace("SCHEDULED_PAYMENT.COMPLETED", "SCHEDULED_PAYMENT.PAID"),
    observed: "SUBSCRIPTION.SCHEDULED_PAYMENT.PAID is not known",
  },
};

test.each(Object.entries(deviations))(
  "a platform that does not keep %s is recognised",
  async (id, { story, change, reorder, observed }) => {
    const { entries, result } = await trafficOf(storyOf(story));
    expect(result.failure?.message).toBeUndefined();
    const changed = entries.map((entry): HarEntry => {
      const { request, response } = entry;
      if (entry._direction === "webhook") {
        const postData = { mimeType: "application/json", text: change(request.postData?.text ?? "", entry) };
        return { ...entry, request: { ...request, postData } };
      }
      const content = { ...response.content, text: change(response.content.text ?? "", entry) };
      return { ...entry, response: { ...response, content } };
    });
    expect(calibrated({ "a.har": entries }).notImitated).toEqual([]);
    const report = calibrated({ "a.har": reorder?.(changed) ?? changed });
    expect(report.notImitated).toContain(id);
    const verdict = report.assumptions.find((one) => one.id === id);
    expect(String(verdict?.observed?.value)).toContain(observed);
    expect(report.config.assumptions).toEqual({});
  },
);
