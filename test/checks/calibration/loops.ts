/** A value other than the default, and a story in which a platform with it shows it. */
export interface Loop {
  readonly value: unknown;
  readonly story: string;
  /** Other assumptions of the platform, which the config then has as well. */
  readonly with?: Readonly<Record<string, unknown>>;
}

const ACCOUNT = "11111111-1111-4111-8111-111111111111";

const TOKEN = `
- call: issueToken
  body: { grant_type: client_credentials, client_id: acme, client_secret: acme-secret, scope: "api://app-order-prd/.default" }
  as: null`;

export const accepted = (use = "subscription.monthly", more = ""): string => `
- call: createSubscription
  body: { $use: ${use}, externalId: sub-1${more} }
  save: sub
- act: subscription.accept
  on: \${sub.id}`;

export const charged = `${accepted()}
- call: createScheduledPayment
  path: { id: "\${sub.id}" }
  body: { $use: charge.first }
  save: charge`;

const unpaid = `
- plan: scheduled-payment.settlement
  on: \${charge.id}
  outcomes: [INSUFFICIENT_BALANCE, INSUFFICIENT_BALANCE]
- advance: P6D`;

export const payout = (use: string, more = "", key = "k-1", expected = ""): string => `
- call: createPayout
  body: { $use: ${use}${more} }
  key: ${key}${expected}`;

export const order = (use: string, more = "", key = "k-1", expected = ""): string => `
- call: createTransparentOrder
  body: { $use: ${use}${more} }
  key: ${key}
  save: ${key === "k-1" ? "order" : "another"}${expected}`;

const claim = (more = "", save = "claim", expected = ""): string => `
- call: createClaim
  path: { accountId: ${ACCOUNT} }
  body: { $use: claim.phone${more} }
  save: ${save}${expected}`;

const resend = (expected = ""): string => `
- call: resendClaimCode
  path: { accountId: ${ACCOUNT} }
  body: { validationId: "\${claim.validationId}" }${expected}`;

const confirm = (code: string, expected = ""): string => `
- call: confirmClaim
  path: { accountId: ${ACCOUNT} }
  body: { validationId: "\${claim.validationId}", code: "${code}" }${expected}`;

const cancelClaim = (save: string, expected = ""): string => `
- call: cancelClaim
  path: { accountId: ${ACCOUNT}, claimId: "\${${save}.claimId}" }${expected}`;

const REFUSED = `
  expect: { status: 400 }`;

const FORBIDDEN = `
  expect: { status: 403 }`;

const canceled = (at: string, by: string): string => `
${charged}
- advance: { to: "2026-11-27T${at}:00-03:00" }
- act: scheduled-payment.request-cancellation
  on: \${charge.id}
  with: { reason: REQUESTED_BY_${by.toUpperCase()}, requestedBy: ${by} }
- advance: PT1M`;

const retry = (date: string, id: string, expected = ""): string => `
- call: createScheduledPayment
  path: { id: "\${sub.id}" }
  body: { $use: charge.again, externalId: ${id}, originalScheduledPaymentId: "\${charge.id}", dueDate: "${date}" }
  save: ${id.replace("-", "")}${expected}`;

export const loops: Readonly<Record<string, Loop | readonly Loop[]>> = {
  "auth.token-ttl": ["PT20M", "PT24H"].map((value) => ({ value, story: TOKEN })),
  "auth.scope-elsewhere": {
    value: false,
    story: `
- call: getSubscription
  path: { id: 11111111-1111-4111-8111-111111111119 }
  as: acme-token-without-scope
  expect: { status: 403 }
- call: listAccounts
  as: acme-token-without-scope`,
  },
  "http.statuses": { value: "created-200", story: payout("payout.pix") },
  "http.statuses-of-actions": { value: "201", story: "\n- call: rotateWebhookSecret" },
  "tenancy.foreign-resource": {
    value: "forbidden",
    story: `${accepted()}
- call: getSubscription
  path: { id: "\${sub.id}" }
  as: globex
  expect: { status: 403 }`,
  },
  "payout.insufficient-balance": {
    value: "forbidden",
    story: payout("payout.pix", `, amount: { currency: BRL, value: "900000.00" }`, "k-1", FORBIDDEN),
  },
  "payout.foreign-account": {
    value: "invalid",
    story: `
- call: listAccounts
  as: globex${payout("payout.pix", ", accountId: 22222222-2222-4222-8222-222222222222", "k-1", REFUSED)}`,
  },
  "payloads.null-fields": { value: "absent", story: accepted("subscription.monthly", ", description: null") },
  "documents.validate": {
    value: false,
    story: accepted(
      "subscription.monthly",
      `, debtor: { name: Dora, document: { type: CPF, number: "52998224724" } }`,
    ),
  },
  "payloads.unknown-fields": {
    value: "strict",
    story: `
- call: createSubscription
  allowUnknown: true
  body: { $use: subscription.monthly, colour: blue }${REFUSED}`,
  },
  "idempotency.retention": {
    value: "PT2H",
    story: `${payout("payout.pix")}
- advance: PT1H59M
${payout("payout.pix")}
- advance: PT2M
${payout("payout.pix")}`,
  },
  "subscription.external-id-unique": {
    value: false,
    story: `${accepted()}
- call: createSubscription
  body: { $use: subscription.monthly, externalId: sub-1 }`,
  },
  "subscription.initial-charge-on-journey-2": {
    value: "ignore",
    story: accepted("subscription.monthly", `, initialCharge: { amount: { currency: BRL, value: "5.00" } }`),
  },
  "subscription.first-charge-expiry": { value: "PT2H", story: accepted("subscription.immediate") },
  "subscription.first-charge-unpaid": {
    value: "reject",
    story: `
- call: createSubscription
  body: { $use: subscription.immediate, externalId: sub-1 }
- advance: P2D`,
  },
  "cancellation.delay": [
    { value: "PT9S", story: requestedCancellation("PT1M") },
    { value: "PT1M30S", story: requestedCancellation("PT5M") },
    { value: "PT2H", story: requestedCancellation("PT5H") },
  ],
  "cancellation.event-canceled-at": { value: "time", story: requestedCancellation("PT1M") },
  "charge.settlement-error-cancellation": { value: "pending-first", story: settlementError() },
  "charge.imposed-cancellations": {
    value: "pending-first",
    story: `${charged}
- advance: PT1M
- act: subscription.request-cancellation
  on: \${sub.id}
  with: { reason: REQUESTED_BY_PAYER, requestedBy: payer }
- advance: PT1M`,
  },
  "refund.event-fields": {
    value: "sentence",
    story: `${order("order.pix")}
- act: order.pay
  on: \${order.id}
${refund("1.00")}
- advance: PT1M`,
  },
  "charge.schedule-delay": { value: "PT40S", story: `${charged}\n- advance: PT5M` },
  "charge.first-attempt-at": { value: "06:20", story: `${charged}\n- advance: P6D` },
  "charge.second-attempt-at": {
    value: "19:45",
    story: `${charged}
- plan: scheduled-payment.settlement
  on: \${charge.id}
  outcomes: [INSUFFICIENT_BALANCE, SETTLED]
- advance: P6D`,
  },
  "charge.final-at": { value: "20:15", story: `${charged}${unpaid}` },
  "charge.resend-delay": [
    { value: "PT15M", story: settlementError },
    { value: "PT1H", story: settlementError },
  ].map(({ value, story }) => ({ value, story: story() })),
  "charge.receiver-cutoff": [
    { value: "20:00", story: canceled("19:59", "receiver") + canceledAgain("20:01", "receiver") },
  ],
  "charge.payer-cutoff": [
    { value: "21:30", story: canceled("21:29", "payer") + canceledAgain("21:31", "payer") },
  ],
  "charge.window-min-days": {
    value: 4,
    story: `${accepted()}${charge(3, "c-1", REFUSED)}${charge(4, "c-2")}`,
  },
  "charge.window-max-days": {
    value: 6,
    story: `${accepted()}${charge(7, "c-1", REFUSED)}${charge(6, "c-2")}`,
  },
  "charge.retries-max": {
    value: 2,
    story: `${charged}${unpaid}${retry("2026-11-30", "r-1")}${retryUnpaid("r1", "2026-11-30")}${retry("2026-12-01", "r-2")}${retryUnpaid("r2", "2026-12-01")}${retry("2026-12-02", "r-3", REFUSED)}`,
  },
  "charge.retry-days-max": {
    value: 4,
    story: `${charged}${unpaid}${retry("2026-12-03", "r-1", REFUSED)}${retry("2026-12-02", "r-2")}`,
  },
  "charge.external-id-unique": {
    value: false,
    story: `${accepted()}
- call: createSubscription
  body: { $use: subscription.monthly, externalId: sub-2 }
  save: other
- act: subscription.accept
  on: \${other.id}
${charge(5, "c-1")}
- call: createScheduledPayment
  path: { id: "\${other.id}" }
  body: { $use: charge.first, externalId: c-1 }`,
  },
  "charge.business-days": {
    value: "bank-holidays",
    // 25 December 2026 is a Friday.
    story: `start: 2026-12-20T09:00:00-03:00
steps:${accepted("subscription.monthly", ", allowAdjustToBusinessDay: true")}${charge(5, "c-1")}`,
  },
  "charge.journey-3": {
    value: false,
    story: `
- call: createSubscription
  body: { $use: subscription.immediate, externalId: sub-1 }
  save: sub
- act: order.pay
  on: \${sub.initialCharge.orderId}
${charge(5, "c-1", REFUSED)}`,
  },
  "order.boleto-expiry": [
    { value: "P2D", story: `${order("order.boleto")}\n- advance: P10D` },
    // From a Monday it is due on a Saturday, and can be paid until the Monday after it.
    { value: "P5D", story: `${order("order.boleto")}\n- advance: P10D` },
  ],
  "order.boleto-confirmation": ["immediate", "same-day"].map((value) => ({
    value,
    story: `${order("order.boleto")}
- act: order.pay
  on: \${order.id}
- advance: P1D`,
  })),
  "order.late-payment": ["accept", "return"].map((value) => ({
    value,
    story: `${order("order.deposit")}
- advance: P2D
- act: order.pay
  on: \${order.id}
- advance: PT1M`,
  })),
  "order.overpayment": ["accept", "return-difference"].map((value) => ({
    value,
    story: `${order("order.deposit")}
- act: order.pay
  on: \${order.id}
  with: { amount: "200.00" }
- advance: PT1M`,
  })),
  "order.default-expiry": { value: "PT3H", story: `${order("order.deposit")}\n- advance: P2D` },
  "order.external-id-unique": {
    value: true,
    story: `${order("order.pix")}${order("order.pix", "", "k-2", REFUSED)}`,
  },
  "order.fee-fixed": { value: 49, story: order("order.pix") },
  "order.fee-variable": [250, 333, 1].map((value) => ({ value, story: order("order.pix") })),
  "order.fee-additional": { value: 10, story: order("order.pix") },
  "refund.window": {
    value: "P30D",
    story: `${order("order.pix")}
- act: order.pay
  on: \${order.id}
- advance: P29D
${refund("1.00")}
- advance: P2D
${refund("2.00", REFUSED)}`,
  },
  "refund.delay": {
    value: "PT12S",
    story: `${order("order.pix")}
- act: order.pay
  on: \${order.id}
${refund("1.00")}
- advance: PT1M`,
  },
  "payout.pix-delay": [
    { value: "PT8S", story: `${payout("payout.pix")}\n- advance: PT1M` },
    { value: "PT3S", story: `${payout("payout.pix")}\n- advance: PT1M` },
  ],
  "payout.ted-delay": { value: "PT30S", story: `${payout("payout.ted")}\n- advance: PT5M` },
  "payout.ted-opens": [
    {
      value: "07:45",
      story: `start: 2026-11-23T05:00:00-03:00
steps:${payout("payout.ted")}\n- advance: PT4H`,
    },
    {
      // How long one takes that did not wait tells when the other was sent.
      value: "05:30",
      with: { "payout.ted-delay": "PT4M" },
      story: `start: 2026-11-23T05:00:00-03:00
steps:${payout("payout.ted")}
- advance: PT5H
${payout("payout.ted", "", "k-2")}
- advance: PT1H`,
    },
  ],
  "payout.ted-closes": {
    value: "16:15",
    story: `start: 2026-11-23T16:14:00-03:00
steps:${payout("payout.ted")}
- advance: PT2M
${payout("payout.ted", "", "k-2")}
- advance: P1D`,
  },
  "payout.returns": ["canceled-event", "error-event"].map((value) => ({
    value,
    story: `${payout("payout.pix")}
  save: out
- advance: PT1M
- act: payout.return
  on: \${out.id}
- advance: PT1M`,
  })),
  "payout.batch-threshold": {
    value: "400.00",
    story: payout("payout.pix"),
  },
  "payout.batch-size-max": {
    value: 3,
    with: { "payout.batch-threshold": "400.00" },
    story: `${payout("payout.pix", `, amount: { currency: BRL, value: "1200.00" }`)}${payout("payout.pix", `, amount: { currency: BRL, value: "1600.00" }`, "k-2", REFUSED)}`,
  },
  "payout.receiver-mismatch": {
    value: "reject",
    story: payout(
      "payout.pix",
      `, paymentData: { pixKey: other-owner@pix.example }, receiver: { name: Maria, document: { type: CPF, number: "52998224725" } }`,
      "k-1",
      REFUSED,
    ),
  },
  "payout.unknown-key": {
    value: "reject",
    story: payout("payout.pix", `, paymentData: { pixKey: nobody@pix.example }`, "k-1", REFUSED),
  },
  "payout.external-id-unique": {
    value: true,
    story: `${payout("payout.pix")}${payout("payout.pix", "", "k-2", REFUSED)}`,
  },
  "claim.resolution-period": {
    value: "P3D",
    story: `${claim()}
- advance: P2DT23H
${cancelClaim("claim")}
${claim(`, key: { type: PHONE, value: "+5521912345679" }`, "other")}
- advance: P3DT1H
${cancelClaim("other", REFUSED)}`,
  },
  "claim.completion-period": {
    value: "P5D",
    story: `${confirmedClaim("claim", "+5521912345678", 0)}
- advance: P4DT23H
${cancelClaim("claim")}
${confirmedClaim("other", "+5521912345679", 1)}
- advance: P5DT1H
${cancelClaim("other", REFUSED)}`,
  },
  "claim.donor-confirmation": {
    value: "COMPLETED",
    story: `
- call: createClaim
  path: { accountId: 22222222-2222-4222-8222-222222222222 }
  as: globex
  body: { $use: claim.of-acme }
  save: claim
- call: requestDonorConfirmation
  path: { accountId: ${ACCOUNT}, claimId: "\${claim.claimId}" }
  save: donor
- call: GET /sandbox/inbox
  save: inbox
- call: confirmDonor
  path: { accountId: ${ACCOUNT}, claimId: "\${claim.claimId}" }
  body: { validationId: "\${donor.validationId}", code: "\${inbox.data[1].code}" }`,
  },
  "claim.email-ownership": {
    value: "accept",
    story: claim(`, type: OWNERSHIP, key: { type: EMAIL, value: nobody@mail.example }`),
  },
  "claim.unknown-key": {
    value: "reject",
    story: claim(`, key: { type: PHONE, value: "+5521912345679" }`, "claim", REFUSED),
  },
  "claim.one-per-key": { value: true, story: `${claim()}${claim("", "second", REFUSED)}` },
  "claim.resends": { value: 2, story: `${claim()}${resend()}${resend()}${resend(REFUSED)}` },
  "claim.daily-dispatches": { value: 3, story: `${claim()}${resend()}${resend()}${resend(REFUSED)}` },
  "claim.code-ttl": { value: "PT25M", story: claim() },
  "claim.attempts": {
    value: 2,
    story: `${claim()}${confirm("000000", REFUSED)}${confirm("000001", REFUSED)}${confirm("000002", REFUSED)}`,
  },
  "webhook.rotation": [
    { value: "delayed", story: rotated },
    { value: "flapping", story: rotated },
  ].map(({ value, story }) => ({ value, story: story() })),
  "webhook.rotation-delay": {
    value: "PT10M",
    with: { "webhook.rotation": "delayed" },
    story: rotated(["PT9M50S", "PT20S", "PT10S"]),
  },
  "webhook.retry-intervals": [
    { value: ["PT2M", "PT10M", "PT45M", "PT6H"], story: failing() },
    { value: ["PT1M", "PT10M", "PT30M", "PT2H"], story: failing() },
    { value: ["PT10S", "PT20S", "PT40S", "PT1M20S"], story: failing() },
  ],
  "autopilot.cancellation.answer": { value: "immediate", story: requestedCancellation("PT1M") },
  "autopilot.refund.outcome": {
    value: "immediate",
    story: `${order("order.pix")}
- act: order.pay
  on: \${order.id}
${refund("1.00")}
- advance: PT1M`,
  },
  "autopilot.payout.settlement": { value: "immediate", story: `${payout("payout.pix")}\n- advance: PT1M` },
  "autopilot.scheduled-payment.scheduling": { value: "immediate", story: `${charged}\n- advance: PT1M` },
};

function requestedCancellation(by: string): string {
  return `${accepted()}
- act: subscription.request-cancellation
  on: \${sub.id}
  with: { reason: REQUESTED_BY_PAYER, requestedBy: payer }
- advance: ${by}`;
}

function canceledAgain(at: string, by: string): string {
  return `
- call: createSubscription
  body: { $use: subscription.monthly, externalId: sub-2 }
  save: second
- act: subscription.accept
  on: \${second.id}
${charge(5, "c-9", "", "second")}
- advance: { to: "2026-12-01T${at}:00-03:00" }
- act: scheduled-payment.request-cancellation
  on: \${c9.id}
  with: { reason: REQUESTED_BY_${by.toUpperCase()}, requestedBy: ${by} }
- advance: PT1M`;
}

function settlementError(): string {
  return `${charged}
- plan: scheduled-payment.settlement
  on: \${charge.id}
  outcomes: [SETTLEMENT_ERROR, SETTLED]
- advance: P6D`;
}

function charge(days: number, id: string, expected = "", of = "sub"): string {
  return `
- call: createScheduledPayment
  path: { id: "\${${of}.id}" }
  body: { $use: charge.first, externalId: ${id}, dueDate: "\${today + P${days}D}" }
  save: ${id.replace("-", "")}${expected}`;
}

function retryUnpaid(saved: string, date: string): string {
  return `
- plan: scheduled-payment.settlement
  on: \${${saved}.id}
  outcomes: [INSUFFICIENT_BALANCE, INSUFFICIENT_BALANCE]
- advance: { to: "${date}T22:00:00-03:00" }`;
}

export function refund(amount: string, expected = ""): string {
  return `
- call: refundOrder
  body: { $use: refund.whole, orderId: "\${order.id}", amount: "${amount}" }${expected}`;
}

function confirmedClaim(save: string, key: string, index: number): string {
  return `${claim(`, key: { type: PHONE, value: "${key}" }`, save)}
- call: GET /sandbox/inbox
  save: inbox${index}
- call: confirmClaim
  path: { accountId: ${ACCOUNT} }
  body: { validationId: "\${${save}.validationId}", code: "\${inbox${index}.data[${index}].code}" }`;
}

function rotated(pauses: readonly string[] = ["PT10S", "PT10S", "PT10S", "PT10S"]): string {
  return `
- call: getWebhook
- call: rotateWebhookSecret${pauses
    .map(
      (pause, index) =>
        `${payout("payout.pix", `, externalId: p-${index}`, `k-${index}`)}\n- advance: ${pause}`,
    )
    .join("")}
- advance: PT5S`;
}

function failing(): string {
  return `
- receiver: { answers: [500], always: true }
${payout("payout.pix")}
- advance: P2D`;
}

/** Every loop, with the id of what it is about. */
export const allLoops = Object.entries(loops).flatMap(([id, one]) =>
  [one].flat().map((loop) => [id, loop] as const),
);
