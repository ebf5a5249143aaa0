import type { Scenario } from "../../../src/scenarios/scenario.ts";
import { parseScenario } from "../../../src/scenarios/parse.ts";
import { scenarioContext } from "../../../src/scenarios/context.ts";

/** How an object of each kind comes about, saved as `it`, and its id. */
const BEGINNINGS = {
  subscription: `
  - call: createSubscription
    body: { $use: subscription.monthly, externalId: gym-1 }
    save: it`,
  charge: `
  - call: createSubscription
    body: { $use: subscription.monthly, externalId: gym-1 }
    save: sub
  - act: subscription.accept
    on: \${sub.id}
  - call: createScheduledPayment
    path: { id: "\${sub.id}" }
    body: { $use: charge.first }
    save: it`,
  scheduled: `
  - call: createSubscription
    body: { $use: subscription.monthly, externalId: gym-1 }
    save: sub
  - act: subscription.accept
    on: \${sub.id}
  - call: createScheduledPayment
    path: { id: "\${sub.id}" }
    body: { $use: charge.first }
    save: it
  - act: scheduled-payment.accept
    on: \${it.id}`,
  cancellation: `
  - call: createSubscription
    body: { $use: subscription.monthly, externalId: gym-1 }
    save: sub
  - act: subscription.accept
    on: \${sub.id}
  - act: subscription.request-cancellation
    on: \${sub.id}
    with: { reason: REQUESTED_BY_PAYER, requestedBy: payer }
    save: canceled`,
  refund: `
  - call: createSubscription
    body: { $use: subscription.immediate, externalId: gym-1 }
    save: sub
  - act: order.pay
    on: \${sub.initialCharge.orderId}
  - call: refundOrder
    body: { $use: refund.whole, orderId: "\${sub.initialCharge.orderId}" }
    save: it`,
  payout: `
  - call: createPayout
    body: { $use: payout.pix }
    save: it`,
  order: `
  - call: createTransparentOrder
    body: { $use: order.pix }
    save: it`,
  deposit: `
  - call: createTransparentOrder
    body: { $use: order.deposit }
    save: it`,
  claim: `
  - call: createClaim
    as: globex
    path: { accountId: 22222222-2222-4222-8222-222222222222 }
    body: { $use: claim.of-acme }
    save: it
  - call: GET /sandbox/inbox
    save: inbox
  - call: confirmClaim
    as: globex
    path: { accountId: 22222222-2222-4222-8222-222222222222 }
    body: { validationId: "\${it.validationId}", code: "\${inbox.data[0].code}" }`,
};

/** What is done with it: an act with its fields. */
const ENDINGS: Readonly<Record<keyof typeof BEGINNINGS, readonly string[]>> = {
  subscription: ["subscription.accept", "subscription.reject", "subscription.fail"],
  charge: [
    "scheduled-payment.accept",
    "scheduled-payment.reject with { code: AC05 }",
    "scheduled-payment.fail with { outcome: ERROR }",
  ],
  scheduled: [
    "scheduled-payment.settle",
    "scheduled-payment.fail with { outcome: ERROR }",
    "scheduled-payment.fail with { outcome: INSUFFICIENT_BALANCE }",
    "scheduled-payment.fail with { outcome: SETTLEMENT_ERROR }",
  ],
  cancellation: ["cancellation.accept", "cancellation.reject", "cancellation.fail"],
  refund: ["refund.settle", "refund.reject", "refund.fail"],
  payout: ["payout.settle", "payout.fail", "payout.cancel"],
  order: ["order.expire", "order.cancel", "order.fail", "order.decline", "order.analyse", "order.pay"],
  deposit: ['order.pay with { amount: "100.00" }'],
  claim: ["claim.complete", "claim.deny"],
};

const IDS: Readonly<Record<string, string>> = {
  cancellation: "${canceled.cancellations[0].id}",
  claim: "${it.claimId}",
};

/**
 * A story for every act that comes before the outside does the same by itself. Its object then stays as the act left
 * it, whatever was due for it.
 */
export function storiesOfActs(): Scenario[] {
  return Object.entries(ENDINGS).flatMap(([kind, endings]) =>
    endings.map((ending) => {
      const [act, fields] = ending.split(" with ");
      const steps = `${BEGINNINGS[kind as keyof typeof BEGINNINGS]}
  - act: ${act}
    on: ${IDS[kind] ?? "${it.id}"}${fields === undefined ? "" : `\n    with: ${fields}`}`;
      return parsed(`name: ${kind}, ${act}\nstart: 2026-11-20T09:00:00-03:00\nsteps:${steps}\n`, ending);
    }),
  );
}

/** What comes of a charge that nobody answers, of a withdrawn claim, and of a resend before a retry. */
export function furtherStories(): Scenario[] {
  const start = "start: 2026-11-20T09:00:00-03:00";
  const manual = "assumptions: { autopilot.scheduled-payment.scheduling: manual }";
  return [
    parsed(`name: unanswered\n${start}\n${manual}\nsteps:${BEGINNINGS.charge}\n`, "unanswered"),
    parsed(
      `name: withdrawn\n${start}\nsteps:${BEGINNINGS.claim}
  - call: cancelClaim
    as: globex
    path: { accountId: 22222222-2222-4222-8222-222222222222, claimId: "\${it.claimId}" }\n`,
      "withdrawn",
    ),
    parsed(
      `name: resent\n${start}\nsteps:
  - receiver: { answers: [500, 200] }${BEGINNINGS.payout}
  - act: payout.settle
    on: \${it.id}
  - advance: PT1S
  - call: GET /sandbox/deliveries
    save: list
  - call: POST /sandbox/deliveries/\${list.data[0].id}/resend\n`,
      "resent",
    ),
  ];
}

function parsed(text: string, file: string): Scenario {
  const { scenarios, mistakes } = parseScenario(text, file, scenarioContext());
  const [scenario] = scenarios;
  if (scenario === undefined || mistakes.length > 0)
    throw new Error(`Failed to read the story ${file}: ${JSON.stringify(mistakes)}\n${text}`);
  return scenario;
}
