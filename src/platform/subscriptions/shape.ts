import type { InitialCharge, Subscription } from "./subscription.ts";
import type {
  InitialCharge as InitialChargeShape,
  Subscription as SubscriptionShape,
} from "../../api/generated/shapes.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { amountShape, omitNulls, timeline } from "../shape.ts";
import { cancellationsOf, cancellationShape } from "../cancellations/cancellation.ts";
import { formatInstant } from "../../engine/instant.ts";
import { qrImage } from "../qr-image.ts";

/** The subscription as answers and events show it (interface: Subscription). */
export function subscriptionShape(
  tx: Pick<Transaction, "find">,
  subscription: Subscription,
): SubscriptionShape {
  const { id, providerId, type, status, debtor, receiver, externalId, webhookUrl } = subscription;
  return {
    id,
    providerId,
    type,
    status,
    statusHistory: timeline(subscription.statusHistory),
    qrcodeDetail: { imageBase64: qrImage(subscription.qrcodeData), qrcodeData: subscription.qrcodeData },
    frequencyType: subscription.frequencyType,
    startDate: subscription.startDate,
    debtor,
    receiver,
    webhookUrl,
    externalId,
    createdAt: formatInstant(subscription.createdAt),
    updatedAt: formatInstant(subscription.updatedAt),
    cancellations: cancellationsOf(tx, subscription.id).map(cancellationShape),
    ...omitNulls({
      initialCharge: subscription.initialCharge && initialChargeShape(subscription.initialCharge),
      allowChargeAfterDueDate: subscription.allowChargeAfterDueDate,
      allowAdjustToBusinessDay: subscription.allowAdjustToBusinessDay,
      endDate: subscription.endDate,
      fixedAmount: subscription.fixedAmount && amountShape(subscription.fixedAmount),
      maxAmountFloor: subscription.maxAmountFloor && amountShape(subscription.maxAmountFloor),
      payer: subscription.payer,
      description: subscription.description,
    }),
  };
}

export function initialChargeShape(charge: InitialCharge): InitialChargeShape {
  return {
    ...omitNulls({ orderId: charge.orderId }),
    expireDateTime: formatInstant(charge.expireDateTime),
    conciliationId: charge.conciliationId,
    amount: amountShape(charge.amount),
  };
}
