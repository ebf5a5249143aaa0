import type { Call } from "../call.ts";
import type {
  CreateScheduledPaymentRequest,
  CreateScheduledPaymentResponse,
} from "../../api/generated/shapes.ts";
import type { ScheduledPayment } from "./scheduled-payment.ts";
import type { Subscription } from "../subscriptions/subscription.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { accounts, requireActive } from "../accounts/account.ts";
import { compositeKey } from "../../engine/collection.ts";
import { creationShape } from "./shape.ts";
import { cycleOf } from "../../countries/brazil/cycles.ts";
import { draftScheduledPayment } from "./draft.ts";
import { validateCharge } from "./rules.ts";
import { assertDefined } from "../../engine/assertion.ts";
import { notFound } from "../refusals.ts";
import { parseMoney } from "../../engine/money.ts";
import { pathParameter } from "../call.ts";
import { Problems } from "../problems.ts";
import { scheduledPayments } from "./scheduled-payment.ts";
import { sendScheduledPayment } from "./steps.ts";
import { settlementDateOf } from "./timetable.ts";
import { subscriptions } from "../subscriptions/subscription.ts";

/**
 * Creates a charge of a subscription (interface: Endpoints 11; assumption: charge.endpoint). The same
 * externalId and charge again give the same answer, whatever became of the charge since.
 */
export function createScheduledPayment(
  tx: Transaction,
  call: Call<CreateScheduledPaymentRequest>,
): CreateScheduledPaymentResponse {
  const problems = new Problems(call.problems);
  const subscription = tx.get(subscriptions, pathParameter(call, "id"));
  if (subscription?.companyId !== call.companyId) {
    problems.refuse();
    throw notFound();
  }
  const repeated = repeatedCharge(tx, subscription, call);
  if (repeated !== undefined) return creationShape(repeated);
  validateCharge(tx, { subscription, body: call.body }, problems);
  problems.refuse();
  const account = assertDefined(tx.get(accounts, subscription.receiver.id), "the account of a subscription");
  requireActive(account, "create a charge");
  return creationShape(sendScheduledPayment(tx, draft(tx, subscription, call.body)));
}

function draft(
  tx: Transaction,
  subscription: Subscription,
  body: CreateScheduledPaymentRequest,
): ScheduledPayment {
  const { startDate, frequencyType } = subscription;
  return draftScheduledPayment(tx, subscription, {
    externalId: body.externalId,
    purpose: body.purpose ?? "FIRST_ATTEMPT",
    amount: assertDefined(parseMoney("BRL", body.amount.value), "an amount that was checked"),
    description: body.description ?? null,
    dueDate: body.dueDate,
    settlementDate: settlementDateOf(tx, subscription, body.dueDate),
    cycle: assertDefined(cycleOf(startDate, frequencyType, body.dueDate), "the cycle of a checked date")
      .index,
    originalScheduledPaymentId: body.originalScheduledPaymentId ?? null,
  });
}

/** The charge that this very request created before; undefined where it says anything new. */
function repeatedCharge(
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
