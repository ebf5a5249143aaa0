import type { Assumption } from "../../../simulator/platform/assumptions/assumption.ts";
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

/** The text for an assumption that only summarises others. */
export const BY_PARTS = "By its parts.";
/** The text for an assumption that cannot be set, if it has no other text. */
export const FIXED = "It is not measured, because it cannot be set.";

const accountObservers: Observers = {
  "account.transitions": statusChanges("The status of an account in successive lists.", "account"),
  "account.acts": "The refusals of an account can also have other reasons.",
  "account.events": SHAPE,
  "autopilot.payer-delay": "The payer decides the time, not the platform.",
};

/** The largest difference between the times of one platform. */
const CLOCKS_MS = 1_000;

/** Observes if an institution answers at once, or only after a wait. */
function waiting(pairs: (traffic: Traffic) => Iterable<Pair>): Observer {
  return observer("The time until the outcome: at once or later.", (traffic) =>
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
    "The outcome of charges on their settlement date: paid or failed.",
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
    return "It is not measured, because the platform API allows it even if the platform does not do it today.";
  const known = observers[id];
  if (known !== undefined) return known;
  if (type.kind === "statement") return parts === undefined ? FIXED : BY_PARTS;
  return standard === "manual"
    ? "A person decides the action and its time, not the platform."
    : "No answer and no event reports it.";
}
