import type { EventName } from "../../api/events.ts";

/** An event, and its type where the pact says which of the two bodies of that name it means. */
export interface ExpectedEvent {
  readonly event: EventName;
  readonly type: "REFUND" | "PAY-IN" | undefined;
}

type Leading = string | { readonly REFUND: string; readonly "PAY-IN": string };

/** The provider state that leads to an event, for a message pact that names none; one for each `type`. */
const eventStates: { readonly [Event in EventName]?: Leading } = {
  "ORDER-PAYOUT.PAID": "a payout was paid",
  "ORDER-PAYOUT.CANCELED": "a payout was canceled",
  "ORDER-PAYOUT.ERROR": "a payout failed",
  "ORDER-PAYIN.REFUNDED": "an order was refunded",
  "ORDER-PAYIN.REJECTED": "a refund was rejected",
  "ORDER-PAYIN.ERROR": { REFUND: "a refund failed", "PAY-IN": "an order failed" },
  "ORDER-PAYIN.PAID": "an order was paid",
  "ORDER-PAYIN.PARTIALLY_PAID": "an order was paid in part",
  "ORDER-PAYIN.EXPIRED": "an order expired",
  "ORDER-PAYIN.CANCELED": "an order was canceled",
  "SUBSCRIPTION.ACCEPTED": "a subscription was accepted",
  "SUBSCRIPTION.REJECTED": "a subscription was rejected",
  "SUBSCRIPTION.ERROR": "a subscription failed",
  "SUBSCRIPTION.CANCELLATION.PENDING": "a cancellation of a subscription is pending",
  "SUBSCRIPTION.CANCELLATION.ACCEPTED": "a subscription was canceled",
  "SUBSCRIPTION.CANCELLATION.REJECTED": "a cancellation of a subscription was rejected",
  "SUBSCRIPTION.SCHEDULED_PAYMENT.ACCEPTED": "a charge was scheduled",
  "SUBSCRIPTION.SCHEDULED_PAYMENT.REJECTED": "a charge was refused",
  "SUBSCRIPTION.SCHEDULED_PAYMENT.COMPLETED": "a charge was paid",
  "SUBSCRIPTION.SCHEDULED_PAYMENT.ERROR": "a charge failed",
  "SUBSCRIPTION.SCHEDULED_PAYMENT.CANCELED_INSUFFICIENT_BALANCE": "a charge found no funds",
  "SUBSCRIPTION.SCHEDULED_PAYMENT.CANCELLATION.PENDING": "a cancellation of a charge is pending",
  "SUBSCRIPTION.SCHEDULED_PAYMENT.CANCELLATION.ACCEPTED": "a charge was canceled",
  "SUBSCRIPTION.SCHEDULED_PAYMENT.CANCELLATION.REJECTED": "a cancellation of a charge was rejected",
};

/** The event that a state leads to, with its type where two bodies have its name. */
export function eventOfState(state: string | undefined): ExpectedEvent | undefined {
  for (const [event, leading] of Object.entries(eventStates) as [EventName, Leading][]) {
    if (leading === state) return { event, type: undefined };
    if (typeof leading === "string") continue;
    for (const type of ["REFUND", "PAY-IN"] as const) if (leading[type] === state) return { event, type };
  }
  return undefined;
}

/** The state that leads to an event of a kind. */
export function stateOfEvent(kind: string): string | undefined {
  const [event = "", type = "PAY-IN"] = kind.split(/ \(|\)/);
  const state = eventStates[event as EventName];
  return typeof state === "object" ? state[type === "REFUND" ? "REFUND" : "PAY-IN"] : state;
}

/** An event, with its type where two bodies have its name: `ORDER-PAYIN.ERROR (REFUND)`. */
export function kindOf(event: string, body: string): string {
  const { type } = JSON.parse(body) as { readonly type?: string };
  return event === "ORDER-PAYIN.ERROR" ? `${event} (${type})` : event;
}
