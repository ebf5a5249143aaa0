import { type ResourceApi, described } from "../operations.ts";

const cancellation = described("Subscriptions", "SubscriptionCancellationEvent");
const scheduledPaymentCancellation = described("Subscriptions", "ScheduledPaymentCancellationEvent");

const requested = { of: "cancellation", id: "data.cancellation.id", status: "data.cancellation.status" };

/** The operations and events of cancellations, as the platform API describes them. */
export const cancellationApi = {
  events: {
    "SUBSCRIPTION.CANCELLATION.PENDING": cancellation(
      "A request to cancel a subscription was sent",
      "a cancellation of a subscription is pending",
      { data: { status: "ACCEPTED", cancellation: { status: "PENDING", canceledAt: null } } },
    ),
    "SUBSCRIPTION.CANCELLATION.ACCEPTED": cancellation(
      "A subscription was canceled",
      "a subscription was canceled",
      {},
    ),
    "SUBSCRIPTION.CANCELLATION.REJECTED": cancellation(
      "A request to cancel a subscription was rejected",
      "a cancellation of a subscription was rejected",
      { data: { status: "ACCEPTED", cancellation: { status: "REJECTED", canceledAt: null } } },
    ),
    "SUBSCRIPTION.SCHEDULED_PAYMENT.CANCELLATION.PENDING": scheduledPaymentCancellation(
      "A request to cancel a charge was sent",
      "a cancellation of a charge is pending",
      { data: { cancellation: { status: "PENDING", canceledAt: null } } },
    ),
    "SUBSCRIPTION.SCHEDULED_PAYMENT.CANCELLATION.ACCEPTED": scheduledPaymentCancellation(
      "A charge was canceled",
      "a charge was canceled",
      { data: { status: "CANCELED" } },
    ),
    "SUBSCRIPTION.SCHEDULED_PAYMENT.CANCELLATION.REJECTED": scheduledPaymentCancellation(
      "A request to cancel a charge was rejected",
      "a cancellation of a charge was rejected",
      { data: { cancellation: { status: "REJECTED", canceledAt: null } } },
    ),
  },
  statuses: {
    Subscription: [
      { of: "cancellation", in: "cancellations", id: "id", status: { history: "statusHistory" } },
    ],
    SubscriptionCancellationEvent: [requested],
    ScheduledPaymentCancellationEvent: [requested],
  },
} as const satisfies ResourceApi;
