import type { ShapeName } from "./operations.ts";

/** A webhook event as data: what it reports and the shapes its body may have. */
export interface EventDescription {
  readonly summary: string;
  readonly tag: string;
  /**
   * The shape of its body, or two that `type` distinguishes; for each, how the example of this event differs
   * from the example of the shape.
   */
  readonly shapes: { readonly [Shape in ShapeName]?: object };
  /** The assumption that its name or its body rests on, where the interface shows none. */
  readonly assumption?: string;
}

const described =
  (tag: string, shape: ShapeName, assumption?: string) =>
  (summary: string, example: object): EventDescription => ({
    summary,
    tag,
    shapes: { [shape]: example },
    ...(assumption !== undefined && { assumption }),
  });

const payout = described("Payouts", "PayoutEvent");
const refund = described("Refunds", "PayInRefundEvent");
const payIn = described("Orders", "PayInEvent", "order.events");
const subscription = described("Subscriptions", "SubscriptionEvent", "subscription.events");
const cancellation = described("Subscriptions", "SubscriptionCancellationEvent");
const charge = described("Subscriptions", "ScheduledPaymentEvent", "charge.events");
const chargeCancellation = described("Subscriptions", "ScheduledPaymentCancellationEvent");

const unsettled = { paidAt: null, endToEndId: null };
const unpaid = { ...unsettled, payer: undefined };
const unrefunded = { refundedAt: null };
const refused = (status: string) => ({
  data: { status, payer: undefined, statusHistory: [{ status, createdAt: "2026-11-20T12:05:00.000Z" }] },
});

/** Every event that the platform sends, by its name (interface: Events). */
export const events = {
  "ORDER-PAYOUT.PAID": payout("A payout was paid", {}),
  "ORDER-PAYOUT.CANCELED": payout("A payout was canceled", {
    ...unsettled,
    status: "CANCELED",
    message: "The payout was canceled by the receiver's institution.",
  }),
  "ORDER-PAYOUT.ERROR": payout("A payout failed", {
    ...unsettled,
    status: "ERROR",
    message: "The PIX key is not registered.",
  }),
  "ORDER-PAYIN.REFUNDED": refund("A pay-in was refunded", {}),
  "ORDER-PAYIN.REJECTED": refund("The refund of a pay-in was rejected", {
    status: "REJECTED",
    ...unrefunded,
    message: "The payer's account is closed.",
  }),
  "ORDER-PAYIN.ERROR": {
    summary: "The refund of a pay-in failed (type REFUND), or the pay-in itself did (type PAY-IN)",
    tag: "Orders",
    shapes: {
      PayInRefundEvent: { ...unrefunded, status: "ERROR", message: "The institution did not answer." },
      PayInEvent: { ...unpaid, status: "ERROR", message: "The institution did not answer." },
    },
  },
  "ORDER-PAYIN.PAID": payIn("A pay-in was paid", {}),
  "ORDER-PAYIN.PARTIALLY_PAID": payIn("A pay-in was paid in part", {
    status: "PARTIALLY_PAID",
    amount: { value: "20.00" },
    message: "The order was paid in part.",
  }),
  "ORDER-PAYIN.EXPIRED": payIn("A pay-in expired before it was paid", {
    ...unpaid,
    status: "EXPIRED",
    message: "The order expired before it was paid.",
  }),
  "ORDER-PAYIN.CANCELED": payIn("A pay-in was canceled", {
    ...unpaid,
    status: "CANCELED",
    message: "The order was canceled.",
  }),
  "SUBSCRIPTION.ACCEPTED": subscription("A subscription was authorized by its payer", {}),
  "SUBSCRIPTION.REJECTED": subscription("A subscription was refused", refused("REJECTED")),
  "SUBSCRIPTION.ERROR": subscription("A subscription failed", refused("ERROR")),
  "SUBSCRIPTION.CANCELLATION.PENDING": cancellation("A request to cancel a subscription was sent", {
    data: { status: "ACCEPTED", cancellation: { status: "PENDING", canceledAt: null } },
  }),
  "SUBSCRIPTION.CANCELLATION.ACCEPTED": cancellation("A subscription was canceled", {}),
  "SUBSCRIPTION.CANCELLATION.REJECTED": cancellation("A request to cancel a subscription was rejected", {
    data: { status: "ACCEPTED", cancellation: { status: "REJECTED", canceledAt: null } },
  }),
  "SUBSCRIPTION.SCHEDULED_PAYMENT.ACCEPTED": charge("A charge was scheduled", {}),
  "SUBSCRIPTION.SCHEDULED_PAYMENT.REJECTED": charge("A charge was refused", { data: { status: "REJECTED" } }),
  "SUBSCRIPTION.SCHEDULED_PAYMENT.COMPLETED": charge("A charge was paid", { data: { status: "COMPLETED" } }),
  "SUBSCRIPTION.SCHEDULED_PAYMENT.ERROR": charge("A charge failed", { data: { status: "ERROR" } }),
  "SUBSCRIPTION.SCHEDULED_PAYMENT.CANCELED_INSUFFICIENT_BALANCE": charge(
    "A charge found too little money at every attempt of its day",
    { data: { status: "CANCELED_INSUFFICIENT_BALANCE" } },
  ),
  "SUBSCRIPTION.SCHEDULED_PAYMENT.CANCELLATION.PENDING": chargeCancellation(
    "A request to cancel a charge was sent",
    { data: { cancellation: { status: "PENDING", canceledAt: null } } },
  ),
  "SUBSCRIPTION.SCHEDULED_PAYMENT.CANCELLATION.ACCEPTED": chargeCancellation("A charge was canceled", {
    data: { status: "CANCELED" },
  }),
  "SUBSCRIPTION.SCHEDULED_PAYMENT.CANCELLATION.REJECTED": chargeCancellation(
    "A request to cancel a charge was rejected",
    { data: { cancellation: { status: "REJECTED", canceledAt: null } } },
  ),
} satisfies Record<string, EventDescription>;

/** The name of an event: the `event` of its body. */
export type EventName = keyof typeof events;

/** The shapes that the body of an event may have. */
export function eventShapes(event: EventDescription): ShapeName[] {
  return Object.keys(event.shapes) as ShapeName[];
}
