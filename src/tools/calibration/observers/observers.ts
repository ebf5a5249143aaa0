import type { Assumption } from "../../../platform/assumptions/assumption.ts";
import {
  AT_ONCE_MS,
  type Found,
  type Observer,
  type Observers,
  type Pair,
  SHAPE,
  observer,
  statusChanges,
} from "./observer.ts";
import { answering, subscriptionObservers } from "./subscriptions.ts";
import { attempts, scheduledPaymentObservers, scheduling } from "./scheduled-payments.ts";
import { claimObservers } from "./claims.ts";
import { httpObservers } from "./http.ts";
import { orderObservers } from "./orders.ts";
import { payoutObservers, pixSettling } from "./payouts.ts";
import { refunding, refundObservers } from "./refunds.ts";
import { requestObservers } from "./requests.ts";
import { scheduledPaymentRequestObservers } from "./scheduled-payment-requests.ts";
import type { Traffic } from "./traffic.ts";
import { webhookObservers } from "./webhooks.ts";

/** Of an assumption that only summarises others: it follows them. */
export const BY_PARTS = "By its parts.";
/** Of an assumption that cannot be set, unless it says more. */
export const FIXED = "It is not measured, as it cannot be set.";

const accountObservers: Observers = {
  "account.transitions": statusChanges("The status of an account in one list after another.", "account"),
  "account.acts": "What an account cannot do shows in refusals that name other reasons, too.",
  "account.events": SHAPE,
  "autopilot.payer-delay": "When a payer acts is not the decision of the platform.",
};

/** The largest difference between the times of one platform. */
const CLOCKS_MS = 1_000;

/** Observes if an institution answers at once, or only after a wait. */
function waiting(pairs: (traffic: Traffic) => Iterable<Pair>): Observer {
  return observer("Whether the outcome comes at once or after a while.", (traffic) =>
    Array.from(pairs(traffic))
      // An object that ended before its creation was created by an earlier call that is missing, and was answered
      // again.
      .filter(({ from, to }) => to.to - from.from >= -CLOCKS_MS)
      .map(({ from, to, seen }) => ({ is: to.to - from.from > AT_ONCE_MS ? "clock" : "immediate", seen })),
  );
}

const autopilotObservers: Readonly<Record<string, Observer>> = {
  "autopilot.scheduled-payment.scheduling": waiting(scheduling),
  "autopilot.cancellation.answer": waiting(answering),
  "autopilot.refund.outcome": waiting(refunding),
  "autopilot.payout.settlement": waiting(pixSettling),
  "autopilot.scheduled-payment.settlement": observer(
    "Whether charges are paid or fail on their settlement date.",
    (traffic) =>
      Array.from(
        attempts(traffic, () => true),
        ({ seen }): Found => ({ is: "clock", seen }),
      ),
  ),
};

const observers: Readonly<Record<string, Observer | string | undefined>> = {
  ...httpObservers,
  ...requestObservers,
  ...accountObservers,
  ...claimObservers,
  ...subscriptionObservers,
  ...scheduledPaymentObservers,
  ...scheduledPaymentRequestObservers,
  ...orderObservers,
  ...refundObservers,
  ...payoutObservers,
  ...webhookObservers,
  ...autopilotObservers,
};

/** Returns the observer of an assumption, or a sentence that says why traffic cannot show it. */
export function observerOf(
  id: string,
  { type, parts, default: standard }: Assumption<unknown>,
): Observer | string {
  if (id.startsWith("freedoms."))
    return "It is not measured: the interface allows it, whatever the platform does today.";
  const known = observers[id];
  if (known !== undefined) return known;
  if (type.kind === "statement") return parts === undefined ? FIXED : BY_PARTS;
  return standard === "manual"
    ? "What a person does, and when, is not the decision of the platform."
    : "No answer and no event reports it.";
}
