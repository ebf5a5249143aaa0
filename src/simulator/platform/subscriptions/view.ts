import type { Records } from "../../engine/store.ts";
import type {
  InitialCharge as InitialChargeAnswer,
  Subscription as SubscriptionAnswer,
} from "../../api/generated/shapes.ts";
import { amountShape, omitNulls, historyShape } from "../shape.ts";
import { cancellationView, cancellationsOf } from "../cancellations/cancellation.ts";
import { formatInstant } from "../../engine/instant.ts";
import { qrImage } from "../undrawn-qr-image.ts";
import type { InitialCharge, Subscription } from "./subscription.ts";

/** The subscription as answers and events show it (interface: Subscription). */
export function subscriptionView(subscription: Subscription, tx: Records): SubscriptionAnswer {
  const { id, providerId, type, status, debtor, receiver, externalId, webhookUrl } = subscription;
  return {
    id,
    providerId,
    type,
    status,
    statusHistory: historyShape(subscription.statusHistory),
    qrcodeDetail: { imageBase64: qrImage(subscription.qrcodeData), qrcodeData: subscription.qrcodeData },
    frequencyType: subscription.frequencyType,
    startDate: subscription.startDate,
    debtor,
    receiver,
    webhookUrl,
    externalId,
    createdAt: formatInstant(subscription.createdAt),
    updatedAt: formatInstant(subscription.updatedAt),
    cancellations: cancellationsOf(tx, subscription.id).map(cancellationView),
    ...omitNulls({
      initialCharge: subscription.initialCharge && initialChargeView(subscription.initialCharge),
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

export function initialChargeView(charge: InitialCharge): InitialChargeAnswer {
  return {
    ...omitNulls({ orderId: charge.orderId }),
    expireDateTime: formatInstant(charge.expireDateTime),
    conciliationId: charge.conciliationId,
    amount: amountShape(charge.amount),
  };
}
