import type {
  CreateScheduledPaymentRequest,
  CreateScheduledPaymentResponse,
  ScheduledPaymentFailFields,
  ScheduledPaymentRejectFields,
  ScheduledPaymentRequestCancellationFields,
} from "../../api/generated/shapes.ts";
import { type Transaction, recordOf } from "../../engine/transaction.ts";
import { accounts, requireActive, unusableAccount } from "../accounts/account.ts";
import { armSettlement, scheduledPaymentStates as states } from "./states.ts";
import { requireAction } from "../state-machine.ts";
import { assertDefined } from "../../engine/assertion.ts";
import { canTake } from "../../engine/lifecycle.ts";
import {
  type ScheduledPayment,
  subscriptionOf,
  payerOf,
  scheduledPaymentLifecycle,
  scheduledPayments,
  scheduling,
  settlement,
} from "./scheduled-payment.ts";
import { compositeKey } from "../../engine/collection.ts";
import { creationAnswer, scheduledPaymentView } from "./view.ts";
import { customerOf, requestCancellation } from "../cancellations/commands.ts";
import { cycleOf } from "../../countries/brazil/cycles.ts";
import { defineResource, handle, timerOf } from "../resource.ts";
import { createResend, resendAfterSettlementError } from "./resends.ts";
import { draftScheduledPayment } from "./draft.ts";
import { nextAttemptAt, settlementDateOf, wasTried } from "./timetable.ts";
import { illegalAct, notFound, refuseForeign } from "../refusals.ts";
import { knownPayerOf } from "../payers/payer.ts";
import { neverSettles } from "../faults/never-settles.ts";
import { openOrder, payOrder, paymentObstacle } from "../orders/commands.ts";
import { parseMoney } from "../../engine/money.ts";
import { type Call, pathParameter } from "../call.ts";
import { Problems } from "../problems.ts";
import { type Subscription, subscriptions } from "../subscriptions/subscription.ts";
import { validateScheduledPayment } from "./rules.ts";
import { scheduledPaymentApi } from "./operations.ts";

/** Codes of the scheme for a scheduled payment that is rejected (assumption: charge.rejection-codes). */
const NO_PARTICULAR_REASON = "GRER";
const ABOVE_MAXIMUM = "AM02";

export const scheduledPaymentResource = defineResource({
  name: "scheduled-payments",
  api: scheduledPaymentApi,
  origin: {
    says: "Your client charges an accepted subscription.",
    operation: "createScheduledPayment",
  },
  scenario: "charges/three-resends-then-settled.yaml",
  collection: scheduledPayments,
  view: scheduledPaymentView,
  lifecycles: [scheduledPaymentLifecycle],
  operations: { createScheduledPayment },
  acts: {
    accept: {
      summary: "The payer's institution schedules the charge for its day.",
      run: (tx, payment) => states.take(tx, payment, "accept"),
    },
    reject: {
      summary: "The payer's institution does not schedule the charge, and gives a code of the scheme.",
      fields: "ScheduledPaymentRejectFields",
      run: (tx, payment, { code }: ScheduledPaymentRejectFields) =>
        states.take(tx, payment, "reject", { rejectionCode: code ?? NO_PARTICULAR_REASON }),
    },
    settle: {
      summary: "The payer's institution pays the charge now, on any day.",
      run: settleScheduledPayment,
    },
    fail: {
      summary:
        "The charge fails now: because the balance is too small, by a settlement error, or by a final error. On the settlement date the platform resends a charge after a settlement error.",
      fields: "ScheduledPaymentFailFields",
      run: failScheduledPayment,
    },
    "request-cancellation": {
      summary:
        "The payer, the receiver or an institution requests to cancel the charge. A late request is rejected.",
      fields: "ScheduledPaymentRequestCancellationFields",
      run: requestCancellationOfScheduledPayment,
    },
  },
  steps: [
    handle(scheduling, { decide: decideScheduling }),
    // An attempt to settle has its timer from the acceptance on, and finds its plan when it is due.
    handle(settlement, { decide: attemptSettlement, wake: () => undefined }),
  ],
  timers: [
    timerOf(scheduledPayments, "scheduled-payment.close", closeSettlementDate),
    timerOf(scheduledPayments, "scheduled-payment.resend", createResend),
  ],
});

/**
 * Creates a scheduled payment of a subscription (interface: Endpoints 11; assumption: charge.endpoint). The same
 * externalId with the same scheduled payment gives the same answer again, in any later status.
 */
function createScheduledPayment(
  tx: Transaction,
  call: Call<CreateScheduledPaymentRequest>,
): CreateScheduledPaymentResponse {
  const problems = new Problems(call.problems);
  const subscription = tx.get(subscriptions, pathParameter(call, "id"));
  refuseForeign(tx, subscription, call.companyId);
  if (subscription?.companyId !== call.companyId) {
    problems.refuse();
    throw notFound();
  }
  const repeated = repeatedScheduledPayment(tx, subscription, call);
  if (repeated !== undefined) return creationAnswer(repeated);
  const { body } = call;
  validateScheduledPayment(tx, { subscription, body }, problems);
  problems.refuse();
  const account = recordOf(tx, accounts, subscription.receiver.id);
  requireActive(account, "create a charge", unusableAccount(tx, "charge.inactive-account", "id"));
  const { startDate, frequencyType } = subscription;
  const cycle = cycleOf(startDate, frequencyType, body.dueDate);
  const drafted = draftScheduledPayment(tx, subscription, {
    externalId: body.externalId,
    purpose: body.purpose ?? "FIRST_ATTEMPT",
    amount: assertDefined(parseMoney("BRL", body.amount.value), "a validated amount"),
    description: body.description ?? null,
    dueDate: body.dueDate,
    settlementDate: settlementDateOf(tx, subscription, body.dueDate),
    cycle: assertDefined(cycle, "the cycle of a validated date").index,
    originalScheduledPaymentId: body.originalScheduledPaymentId ?? null,
  });
  return creationAnswer(states.take(tx, drafted, "send"));
}

/** Returns the scheduled payment that an equal request created before. Undefined if the request differs. */
function repeatedScheduledPayment(
  tx: Transaction,
  subscription: Subscription,
  { body, problems, companyId }: Call<CreateScheduledPaymentRequest>,
): ScheduledPayment | undefined {
  if (problems.length > 0) return undefined;
  return tx
    .find(scheduledPayments, "externalId", compositeKey(companyId, body.externalId))
    .find(
      (payment) =>
        payment.subscriptionId === subscription.id &&
        payment.purpose === (body.purpose ?? "FIRST_ATTEMPT") &&
        payment.originalScheduledPaymentId === (body.originalScheduledPaymentId ?? null) &&
        payment.dueDate === body.dueDate &&
        payment.amount.minor === parseMoney("BRL", body.amount.value)?.minor &&
        payment.description === (body.description ?? null),
    );
}

/** The payer's institution answers; it accepts no amount above the payer's maximum (assumption: charge.amount). */
function decideScheduling(
  tx: Transaction,
  payment: ScheduledPayment,
  decided: (typeof scheduling)["outcomes"][number] | null,
): void {
  const outcome = scheduling.outcome(tx, payment, decided);
  const subscription = subscriptionOf(tx, payment);
  const maximum = subscription.payerMaximum;
  if (outcome === "ERROR") states.take(tx, payment, "fail");
  else if (maximum !== null && payment.amount.minor > maximum.minor)
    states.take(tx, payment, "reject", { rejectionCode: ABOVE_MAXIMUM });
  else if (outcome === "REJECTED" || !isOfFixedAmount(subscription, payment))
    states.take(tx, payment, "reject", {
      rejectionCode: knownPayerOf(tx, payerOf(subscription))?.rejectionCode ?? NO_PARTICULAR_REASON,
    });
  else states.take(tx, payment, "accept");
}

/**
 * Returns true if the charge has the fixed amount, or no amount is fixed. A charge of another amount exists only if
 * it is not refused (assumption: charge.amount).
 */
function isOfFixedAmount({ fixedAmount }: Subscription, { amount }: ScheduledPayment): boolean {
  return fixedAmount === null || fixedAmount.minor === amount.minor;
}

/**
 * The payer's institution tries to settle (assumption: charge.settlement-windows). Without enough money, or in mode
 * `manual` without a plan, it tries again in the next window of the day.
 */
function attemptSettlement(tx: Transaction, payment: ScheduledPayment): void {
  const outcome = settlement.outcomeWhenDue(tx, payment);
  if (outcome === "SETTLED") {
    const { receiver } = subscriptionOf(tx, payment);
    if (paymentObstacle(tx, { accountId: receiver.id }, payment.amount) === null)
      return settleScheduledPayment(tx, payment);
    return void states.take(tx, payment, "fail");
  }
  if (outcome === "SETTLEMENT_ERROR") return resendAfterSettlementError(tx, payment);
  if (outcome === "ERROR") return void states.take(tx, payment, "fail");
  if (outcome === "INSUFFICIENT_BALANCE") {
    const what = "settlement attempted: too little money";
    tx.log({ kind: "note", objectId: payment.id, collection: scheduledPayments.name, what });
  }
  const next = nextAttemptAt(tx, payment);
  if (next !== undefined) armSettlement(tx, payment, next);
}

/** Closes the settlement date. An accepted scheduled payment ran out of balance. An unanswered one failed. */
function closeSettlementDate(tx: Transaction, payment: ScheduledPayment): void {
  const isAccepted = canTake(scheduledPaymentLifecycle, payment, "exhaust");
  if (isAccepted && neverSettles(tx, { objectIds: [payment.id], collection: scheduledPayments.name })) return;
  states.take(tx, payment, isAccepted ? "exhaust" : "fail");
}

/** The charge is paid, and is a paid order too (assumptions: charge.settles-as-order, order.born-of-subscription). */
function settleScheduledPayment(tx: Transaction, payment: ScheduledPayment): void {
  const orderId = tx.chance("orders").uuid();
  const { id, amount, endToEndId: paidAs } = states.take(tx, payment, "settle", { orderId });
  const subscription = subscriptionOf(tx, payment);
  const payer = assertDefined(
    subscription.payer,
    `the payer of the accepted subscription ${subscription.id}`,
  );
  const order = openOrder(tx, {
    id: orderId,
    companyId: payment.companyId,
    accountId: subscription.receiver.id,
    externalId: payment.externalId,
    paymentMethod: "PIX",
    amount,
    description: payment.description ?? subscription.description,
    subscriptionId: subscription.id,
    scheduledPaymentId: id,
  });
  payOrder(tx, order, { payer, amount, endToEndId: paidAs });
}

function failScheduledPayment(
  tx: Transaction,
  payment: ScheduledPayment,
  { outcome }: ScheduledPaymentFailFields,
): void {
  if (payment.status === "PENDING" && outcome !== "ERROR") {
    throw illegalAct(
      `Failed to end the charge ${payment.id} with ${outcome}: it is PENDING, and only a scheduled charge is tried. Possible acts: scheduled-payment.accept, scheduled-payment.reject, scheduled-payment.fail with the outcome ERROR, scheduled-payment.request-cancellation.`,
    );
  }
  if (outcome === "SETTLEMENT_ERROR") resendAfterSettlementError(tx, payment);
  else states.take(tx, payment, outcome === "ERROR" ? "fail" : "exhaust");
}

/** Requests to cancel a scheduled payment; for a settlement error only after an attempt to settle it. */
function requestCancellationOfScheduledPayment(
  tx: Transaction,
  payment: ScheduledPayment,
  fields: ScheduledPaymentRequestCancellationFields,
): void {
  requireAction(scheduledPaymentLifecycle, payment, "cancel");
  if (fields.reason === "SETTLEMENT_ERROR" && !wasTried(tx, payment)) {
    throw illegalAct(
      `Failed to request a cancellation for SETTLEMENT_ERROR: no attempt to settle the charge ${payment.id} was made yet; it settles on ${payment.settlementDate}. Give another reason, or wait for that day.`,
    );
  }
  const subscription = subscriptionOf(tx, payment);
  requestCancellation(tx, {
    companyId: payment.companyId,
    subject: "scheduled-payment",
    subjectId: payment.id,
    reason: fields.reason,
    ...customerOf(fields, {
      payer: payerOf(subscription).document,
      receiver: subscription.receiver.document,
    }),
  });
}
