import type { TaxPerson } from "../payers/payer.ts";
import type { Subscription } from "./subscription.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { acceptSubscription, failSubscription, rejectSubscription } from "./authorization.ts";
import { act } from "../act.ts";
import { actObject } from "../act-object.ts";
import { customerOf } from "../cancellations/customer.ts";
import { formatMoney, parseMoney } from "../../engine/money.ts";
import { validateBrazilianDocument, validateReais } from "../field-rules.ts";
import { Problems } from "../problems.ts";
import { requestCancellation } from "../cancellations/request.ts";
import { requireAction } from "../transition.ts";
import { subscriptionLifecycle } from "./lifecycle.ts";
import { subscriptions } from "./subscription.ts";

interface AcceptFields {
  readonly payer?: TaxPerson;
  readonly maxAmount?: { readonly currency: string; readonly value: string | number };
}

interface CancellationFields {
  readonly reason: string;
  readonly requestedBy?: "payer" | "receiver";
}

/** What a payer and the institutions do to a subscription. */
export const subscriptionActs = [
  act<AcceptFields>({
    name: "subscription.accept",
    collection: "subscriptions",
    schema: "SubscriptionAcceptFields",
    writtenOut: ({ maxAmount, ...others }) => ({
      ...others,
      ...(maxAmount !== undefined && { maxAmount: inReais(maxAmount) }),
    }),
    summary: "The payer accepts; on journey 3 the first charge is paid in the same step.",
    run: (tx, { id, fields }) => {
      const subscription = actObject(tx, subscriptions, id);
      requireAction(subscriptionLifecycle, subscription, "accept");
      validateAcceptance(tx, subscription, fields);
      const maximum = fields.maxAmount ? parseMoney("BRL", fields.maxAmount.value) : undefined;
      acceptSubscription(tx, subscription, { payer: fields.payer, maximum: maximum ?? null });
    },
  }),
  act({
    name: "subscription.reject",
    collection: "subscriptions",
    schema: null,
    summary: "The payer refuses.",
    run: (tx, { id }) => void rejectSubscription(tx, actObject(tx, subscriptions, id)),
  }),
  act({
    name: "subscription.fail",
    collection: "subscriptions",
    schema: null,
    summary: "The financial provider fails to go on with the authorization.",
    run: (tx, { id }) => void failSubscription(tx, actObject(tx, subscriptions, id)),
  }),
  act<CancellationFields>({
    name: "subscription.request-cancellation",
    collection: "subscriptions",
    schema: "SubscriptionRequestCancellationFields",
    summary: "The payer, the receiver or an institution asks for the end of the subscription.",
    run: (tx, { id, fields }) => {
      const subscription = actObject(tx, subscriptions, id);
      requireAction(subscriptionLifecycle, subscription, "cancel");
      requestCancellation(tx, {
        companyId: subscription.companyId,
        subject: "subscription",
        subjectId: subscription.id,
        reason: fields.reason,
        ...customerOf(fields, {
          payer: (subscription.payer ?? subscription.debtor).document,
          receiver: subscription.receiver.document,
        }),
      });
    },
  }),
];

/** A value alone, as account.deposit and order.pay take it, is one in BRL: a subscription knows no other. */
function inReais(amount: unknown): unknown {
  const isValue = typeof amount === "string" || typeof amount === "number";
  return isValue ? { currency: "BRL", value: amount } : amount;
}

function validateAcceptance(
  tx: Transaction,
  subscription: Subscription,
  { payer, maxAmount }: AcceptFields,
): void {
  const problems = new Problems();
  validateBrazilianDocument(tx, problems, "payer.document", payer?.document);
  validateReais(problems, "maxAmount", maxAmount);
  const floor = subscription.maxAmountFloor;
  problems.check("maxAmount.value", maxAmount?.value, (value) => {
    const maximum = parseMoney("BRL", value);
    if (floor === null || maximum === undefined || maximum.minor >= floor.minor) return undefined;
    return `The payer's maximum must not be below maxAmountFloor, ${formatMoney(floor)}; found ${value}.`;
  });
  problems.refuse();
}
