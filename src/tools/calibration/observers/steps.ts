import type { Traffic } from "./traffic.ts";
import { answering } from "./subscriptions.ts";
import { AT_ONCE_MS, type Observer, type Pair, value } from "./observer.ts";
import { attempts, scheduling } from "./scheduled-payments.ts";
import { pixSettling } from "./payouts.ts";
import { refunding } from "./refunds.ts";

/** How far the times of one platform may differ. */
const CLOCKS_MS = 1_000;

/** Whether something is waited for between two moments. */
function waiting(pairs: (traffic: Traffic) => Iterable<Pair>): Observer {
  return value("Whether the outcome comes at once or after a while.", (traffic) =>
    Array.from(pairs(traffic))
      // What ended before it began was created by a call that is missing, and answered again.
      .filter(({ from, to }) => to.to - from.from >= -CLOCKS_MS)
      .map(({ from, to, seen }) => ({
        is: to.to - from.from > AT_ONCE_MS ? "clock" : "immediate",
        seen,
      })),
  );
}

/** How it is observed that an institution answers by itself, by assumption. */
export const automatic: Readonly<Record<string, Observer>> = {
  "autopilot.scheduled-payment.scheduling": waiting(scheduling),
  "autopilot.cancellation.answer": waiting(answering),
  "autopilot.refund.outcome": waiting(refunding),
  "autopilot.payout.settlement": waiting(pixSettling),
  "autopilot.scheduled-payment.settlement": value(
    "Whether charges are paid or fail on their settlement date.",
    (traffic) =>
      [...attempts("first")(traffic), ...attempts("second")(traffic)].map(({ seen }) => ({
        is: "clock",
        seen,
      })),
  ),
};
