import {
  ACCEPTED,
  ACCOUNT,
  type Deviations,
  LISTED,
  PAY,
  accepts,
  after,
  answers,
  answersWith,
  answersWithHeader,
  claim,
  expecting,
  order,
  payout,
  refund,
  refuses,
  rejects,
  subscription,
  swaps,
} from "./deviation.ts";

const WITHOUT_TOKEN = `${LISTED}
  as: null${expecting(401)}`;

/** Of the platform API as a whole, accounts and claims. */
export const ofInterface: Deviations = {
  "http.statuses": [
    { story: payout(), change: answersWith("createPayout", 202), observed: "created-202" },
    {
      story: payout(', amount: { currency: BRL, value: "0" }', expecting(400)),
      change: answersWith("createPayout", 422),
      observed: "INVALID_REQUEST 422",
      isUnseen: true,
    },
  ],
  "http.statuses-of-actions": {
    story: "\n- call: rotateWebhookSecret",
    change: answersWith("rotateWebhookSecret", 202),
    observed: "202",
  },
  "http.error-bodies": {
    story: payout(', amount: { currency: BRL, value: "0" }', expecting(400)),
    change: answersWith("createPayout", 400, '{"code":"E1","text":"no"}'),
    observed: "createPayout {code, text}",
  },
  "auth.header": {
    story: WITHOUT_TOKEN,
    change: answersWithHeader("www-authenticate", null),
    observed: "401 has no www-authenticate",
  },
  "auth.errors-everywhere": {
    story: WITHOUT_TOKEN,
    change: answersWith("listAccounts", 401, '{"reason":"no token"}'),
    observed: "listAccounts {reason}",
  },
  "tenancy.foreign-resource": [
    {
      story: `${subscription()}
- call: getSubscription
  path: { id: "\${sub.id}" }
  as: globex${expecting(404)}`,
      change: refuses(
        "getSubscription",
        () => '{"error":"INVALID_REQUEST","message":"No.","details":[]}',
        400,
      ),
      observed: "getSubscription 400 INVALID_REQUEST",
    },
    {
      story: `${claim()}
- call: cancelClaim
  path: { accountId: ${ACCOUNT}, claimId: "\${claim.claimId}" }
  as: globex${expecting(400)}`,
      change: refuses(
        "cancelClaim",
        () => '{"error":"NOT_FOUND","message":"Resource not found","details":[]}',
        404,
      ),
      observed: "cancelClaim 404 NOT_FOUND",
    },
  ],
  "payloads.lengths": [
    {
      story: `${payout()}${payout(`, description: ${"x".repeat(501)}`, expecting(400))}`,
      change: accepts("createPayout"),
      observed: "description is accepted",
    },
    {
      story:
        payout(`, description: ${"x".repeat(501)}`, expecting(400)) +
        payout(", description: A long description"),
      change: rejects("createPayout", "description", 1, "description has at most 10 characters"),
      observed: "description is refused",
    },
  ],
  "payloads.qrcode-images": {
    story: order("pix"),
    change: answers("createTransparentOrder", (text) =>
      text.replace('"iVBORw0KGgo', '"data:image/png;base64,iVBORw0KGgo'),
    ),
    observed: "with a data: prefix",
  },
  "idempotency.format": [
    {
      story: `${payout()}${payout("", `\n  key: null${expecting(400)}`)}`,
      change: accepts("createPayout"),
      observed: "createPayout: a missing key is accepted",
    },
    {
      story: `${order("pix")}${PAY}${refund()}${refund(", reason: Once more", `\n  key: not-a-uuid${expecting(400)}`)}`,
      change: accepts("refundOrder"),
      observed: "refundOrder: a key that is not a UUID is accepted",
    },
  ],
  "idempotency.replay": [
    {
      story: `${payout()}\n  key: k-1${payout()}\n  key: k-1`,
      change: answers("createPayout", (text) => text.replace(/"id":"[^"]*"/, '"id":"another"'), 1),
      observed: "it is a new answer",
    },
    {
      story: `${payout()}\n  key: k-1${payout()}\n  key: k-1`,
      change: answersWithHeader("idempotency-replayed", null),
      observed: "it has no such header",
    },
    {
      story: `${payout()}\n  key: k-1${payout(", description: Another", `\n  key: k-1${expecting(400)}`)}`,
      change: accepts("createPayout"),
      observed: "it gives a new answer",
    },
  ],
  "account.transitions": {
    story: `${LISTED}\n- advance: PT1M${LISTED}`,
    change: answers("listAccounts", (text) => text.replace('"status":"CLOSED"', '"status":"ACTIVE"'), 1),
    observed: "CLOSED becomes ACTIVE",
  },
  "claim.answer": {
    story: `${claim()}
- call: GET /sandbox/inbox
  save: inbox
- call: confirmClaim
  path: { accountId: ${ACCOUNT} }
  body: { validationId: "\${claim.validationId}", code: "\${inbox.data[0].code}" }`,
    change: answers("confirmClaim", (text) => text.replace('"PENDING"', '"CONFIRMED"')),
    observed: "CONFIRMED is not in the platform API",
  },
  "webhook.acknowledgement": [
    {
      story: `
- receiver: { answers: [500, 302, 200] }${payout()}${payout(", externalId: payout-2")}${after("PT10M")}${LISTED}`,
      change: (entries) => {
        const moved = entries.find(({ response }) => response.status === 302);
        const body = moved?.request.postData?.text;
        return entries.filter((entry) => entry === moved || entry.request.postData?.text !== body);
      },
      observed: "a redirect acknowledges",
    },
    {
      story: payout() + after("PT5S") + payout(", externalId: payout-2") + after("PT10M") + LISTED,
      change: (entries) => {
        const webhook = entries.find(({ _direction }) => _direction === "webhook");
        if (webhook === undefined) throw new Error("The story has no webhook.");
        const content = { ...webhook.response.content, text: "" };
        const attempt = (afterMs: number): typeof webhook => ({
          ...webhook,
          startedDateTime: new Date(Date.parse(webhook.startedDateTime) + afterMs).toISOString(),
          response: { ...webhook.response, content },
        });
        return entries.flatMap((entry) => (entry === webhook ? [attempt(0), attempt(60_000)] : [entry]));
      },
      observed: "a 2xx without a returnCode is retried",
      isUnseen: true,
    },
  ],
  "webhook.order": {
    story: `${ACCEPTED}${after("PT4S")}
- act: subscription.request-cancellation
  on: \${sub.id}
  with: { reason: REQUESTED_BY_PAYER, requestedBy: payer }`,
    change: swaps("SUBSCRIPTION.ACCEPTED", "SUBSCRIPTION.CANCELLATION.PENDING"),
    observed: "SUBSCRIPTION.ACCEPTED is sent after the later SUBSCRIPTION.CANCELLATION.PENDING",
  },
};
