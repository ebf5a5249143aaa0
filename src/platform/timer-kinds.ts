import type { TimerKind } from "../core/timers.ts";
import { answerCancellation } from "./cancellations/answer.ts";
import { decideAuthorization } from "./subscriptions/authorization.ts";
import { expireOrder } from "./orders/payment.ts";
import { forgetAnswer } from "./idempotency.ts";
import { retryDelivery } from "./webhook-events/due.ts";

/** Everything that can be due: a simulation finds by name what a timer does. */
export const timerKinds: readonly TimerKind[] = [
  answerCancellation,
  decideAuthorization,
  expireOrder,
  forgetAnswer,
  retryDelivery,
];
