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
  sendsBefore,
  subscription,
  swaps,
} from "./deviation.ts";

const WITHOUT_TOKEN = `${LISTED}
  as: null${expecting(401)}`;

const TOKEN = `
- call: issueToken
  body: { grant_type: client_credentials, client_id: acme, client_secret: acme-secret, scope: "api://app-order-prd/.default" }
  as: null`;

/** Of the interface as a whole, accounts and claims. */
export const ofInterface: Deviations = {
  "http.statuses": [
    { story: payout(), change: answersWith("createPayout", 200), observed: "createPayout 200" },
    {
      story: payout(', amount: { currency: BRL, value: "0" }', expecting(400)),
      change: answersWith("createPayout", 422),
      observed: "INVALID_REQUEST 422",
    },
  ],
  "http.statuses-of-actions": {
    story: "\n- call: rotateWebhookSecret",
    change: answersWith("rotateWebhookSecret", 201),
    observed: "rotateWebhookSecret 201",
  },
  "http.error-bodies": {
    story: payout(', amount: { currency: BRL, value: "0" }', expecting(400)),
    change: answersWith("createPayout", 400, '{"code":"E1","text":"no"}'),
    observed: "createPayout {code, text}",
  },
  "http.rate-limits": {
    story: LISTED,
    change: answersWith("listAccounts", 429, '{"error":"TOO_MANY_REQUESTS","message":"","details":[]}'),
    observed: "429 of listAccounts",
    isUnseen: true,
  },
  "http.paths": {
    story: `\n- call: GET /order/v1/banking/nothing\n  allowUnknown: true${expecting(404)}`,
    change: (entries) => entries.map((entry) => ({ ...entry, response: { ...entry.response, status: 403 } })),
    observed: "403 NOT_FOUND",
  },
  "http.request-bodies": {
    story: `${payout()}\n  headers: { content-type: text/plain }`,
    change: answersWith("createPayout", 415, ""),
    observed: "it is refused with 415",
  },
  "auth.token-endpoint": {
    story: TOKEN,
    change: answers("issueToken", (text) => text.replace('"ext_expires_in"', '"extended"')),
    observed: "it lacks ext_expires_in",
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
        () => '{"error":"FORBIDDEN_ERROR","message":"No.","details":[]}',
        403,
      ),
      observed: "getSubscription 403 FORBIDDEN_ERROR",
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
  "amounts.input": [
    {
      story: payout(", amount: { currency: BRL, value: 12 }"),
      change: rejects("createPayout", "amount.value", 0, "amount.value is a string"),
      observed: "a JSON number is refused",
    },
    {
      story: `${payout()}${payout(', amount: { currency: BRL, value: "0.00" }', expecting(400))}`,
      change: accepts("createPayout"),
      observed: "0 is accepted",
    },
    {
      story: `${payout()}${payout(', amount: { currency: BRL, value: "3.125" }', expecting(400))}`,
      change: accepts("createPayout"),
      observed: "it is accepted",
    },
    {
      story: payout(', amount: { currency: BRL, value: "12.50" }'),
      change: answers("createPayout", (text) => text.replace('"12.50"', '"12.5"')),
      observed: "an answer has 12.5",
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
      observed: "refundOrder: a key that is no UUID is accepted",
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
    story: LISTED + LISTED,
    change: answers("listAccounts", (text) => text.replace('"status":"CLOSED"', '"status":"ACTIVE"'), 1),
    observed: "CLOSED becomes ACTIVE",
  },
  "account.document-filter": {
    story: `${LISTED}\n  query: { document: "11222333000181" }${LISTED}\n  query: { document: "11.222.333/0001-81" }${expecting(400)}`,
    change: accepts("listAccounts"),
    observed: "punctuation is taken",
  },
  "account.events": {
    story: payout() + after("PT1M"),
    change: sendsBefore("ORDER-PAYOUT.PAID", () => '{"event":"ACCOUNT.CLOSED","id":"a"}'),
    observed: "ACCOUNT.CLOSED",
    isUnseen: true,
  },
  "claim.endpoints": {
    story: claim(),
    change: answers("createClaim", (text) => text.replace('"validationId"', '"validation"')),
    observed: "validation",
  },
  "claim.key-types": {
    story: `${claim()}${claim(', key: { type: CPF, value: "52998224725" }', expecting(400))}`,
    change: accepts("createClaim"),
    observed: "OWNERSHIP of CPF is accepted",
  },
  "claim.canceled-status": {
    story: `${claim()}
- call: cancelClaim
  path: { accountId: ${ACCOUNT}, claimId: "\${claim.claimId}" }`,
    change: answers("cancelClaim", (text) => text.replace('"CANCELED"', '"DENIED"')),
    observed: "DENIED",
  },
  "claim.answer": {
    story: `${claim()}
- call: GET /sandbox/inbox
  save: inbox
- call: confirmClaim
  path: { accountId: ${ACCOUNT} }
  body: { validationId: "\${claim.validationId}", code: "\${inbox.data[0].code}" }`,
    change: answers("confirmClaim", (text) => text.replace('"PENDING"', '"CONFIRMED"')),
    observed: "CONFIRMED is not in the interface",
  },
  "claim.issues": {
    story: `${claim()}
- call: confirmClaim
  path: { accountId: ${ACCOUNT} }
  body: { validationId: "\${claim.validationId}", code: "000000" }${expecting(400)}`,
    change: refuses("confirmClaim", (text) => text.replace('"INVALID"', '"WRONG_CODE"')),
    observed: "code WRONG_CODE",
  },
  "claim.events": {
    story: payout() + after("PT1M"),
    change: sendsBefore("ORDER-PAYOUT.PAID", () => '{"event":"PIX_KEY.CLAIM.COMPLETED","id":"a"}'),
    observed: "PIX_KEY.CLAIM.COMPLETED",
    isUnseen: true,
  },
  "webhook.config": {
    story: "\n- call: getWebhook",
    change: answers("getWebhook", (text) => text.replace('"updatedAt"', '"changedAt"')),
    observed: "updatedAt",
  },
  "webhook.event-list": {
    story: "\n- call: listUndeliveredEvents",
    change: answers("listUndeliveredEvents", (text) => text.replace('"hasNext"', '"more"')),
    observed: "hasNext",
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
