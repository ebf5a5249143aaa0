import type { ShapeName } from "./operations.ts";

/** A webhook event as data: what it tells and the shapes its body may have. */
export interface EventDescription {
  readonly summary: string;
  readonly tag: string;
  /** One shape, or several that `type` tells apart. */
  readonly shapes: readonly ShapeName[];
  /** The assumption that its name or its body rests on, where the interface shows none. */
  readonly assumption?: string;
}

const payout = (summary: string) => ({ summary, tag: "Payouts", shapes: ["PayoutEvent"] }) as const;
const refund = (summary: string) => ({ summary, tag: "Refunds", shapes: ["PayInRefundEvent"] }) as const;
const payIn = (summary: string) =>
  ({ summary, tag: "Orders", shapes: ["PayInEvent"], assumption: "order.events" }) as const;
const subscription = (summary: string) =>
  ({
    summary,
    tag: "Subscriptions",
    shapes: ["SubscriptionEvent"],
    assumption: "subscription.events",
  }) as const;
const cancellation = (summary: string) =>
  ({ summary, tag: "Subscriptions", shapes: ["SubscriptionCancellationEvent"] }) as const;
const charge = (summary: string) =>
  ({
    summary,
    tag: "Subscriptions",
    shapes: ["ScheduledPaymentEvent"],
    assumption: "charge.events",
  }) as const;
const chargeCancellation = (summary: string) =>
  ({ summary, tag: "Subscriptions", shapes: ["ScheduledPaymentCancellationEvent"] }) as const;

/** Every event that the platform sends, by its name (interface: Events). */
export const events = {
  "ORDER-PAYOUT.PAID": payout("A payout was paid"),
  "ORDER-PAYOUT.CANCELED": payout("A payout was canceled"),
  "ORDER-PAYOUT.ERROR": payout("A payout failed"),
  "ORDER-PAYIN.REFUNDED": refund("A pay-in was refunded"),
  "ORDER-PAYIN.REJECTED": refund("The refund of a pay-in was rejected"),
  "ORDER-PAYIN.ERROR": {
    summary: "The refund of a pay-in failed (type REFUND), or the pay-in itself did (type PAY-IN)",
    tag: "Orders",
    shapes: ["PayInRefundEvent", "PayInEvent"],
  },
  "ORDER-PAYIN.PAID": payIn("A pay-in was paid"),
  "ORDER-PAYIN.PARTIALLY_PAID": payIn("A pay-in was paid in part"),
  "ORDER-PAYIN.EXPIRED": payIn("A pay-in expired before it was paid"),
  "ORDER-PAYIN.CANCELED": payIn("A pay-in was canceled"),
  "SUBSCRIPTION.ACCEPTED": subscription("A subscription was authorized by its payer"),
  "SUBSCRIPTION.REJECTED": subscription("A subscription was refused"),
  "SUBSCRIPTION.ERROR": subscription("A subscription failed"),
  "SUBSCRIPTION.CANCELLATION.PENDING": cancellation("A request to cancel a subscription was sent"),
  "SUBSCRIPTION.CANCELLATION.ACCEPTED": cancellation("A subscription was canceled"),
  "SUBSCRIPTION.CANCELLATION.REJECTED": cancellation("A request to cancel a subscription was rejected"),
  "SUBSCRIPTION.SCHEDULED_PAYMENT.ACCEPTED": charge("A charge was scheduled"),
  "SUBSCRIPTION.SCHEDULED_PAYMENT.REJECTED": charge("A charge was refused"),
  "SUBSCRIPTION.SCHEDULED_PAYMENT.COMPLETED": charge("A charge was paid"),
  "SUBSCRIPTION.SCHEDULED_PAYMENT.ERROR": charge("A charge failed"),
  "SUBSCRIPTION.SCHEDULED_PAYMENT.CANCELED_INSUFFICIENT_BALANCE": charge(
    "A charge found too little money at every attempt of its day",
  ),
  "SUBSCRIPTION.SCHEDULED_PAYMENT.CANCELLATION.PENDING": chargeCancellation(
    "A request to cancel a charge was sent",
  ),
  "SUBSCRIPTION.SCHEDULED_PAYMENT.CANCELLATION.ACCEPTED": chargeCancellation("A charge was canceled"),
  "SUBSCRIPTION.SCHEDULED_PAYMENT.CANCELLATION.REJECTED": chargeCancellation(
    "A request to cancel a charge was rejected",
  ),
} as const satisfies Record<string, EventDescription>;

/** The name of an event: the `event` of its body. */
export type EventName = keyof typeof events;

/** The shape of an event's body; `type` decides where one name serves two kinds of event. */
export function eventShape(event: EventName, type?: string): ShapeName {
  if (event === "ORDER-PAYIN.ERROR") return type === "PAY-IN" ? "PayInEvent" : "PayInRefundEvent";
  return events[event].shapes[0];
}
