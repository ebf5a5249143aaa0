import type { TimerKind } from "../core/timers.ts";
import { answerCancellation } from "./cancellations/answer.ts";
import { decideAuthorization } from "./subscriptions/authorization.ts";
import { decidePayment } from "./orders/settlement.ts";
import { expireOrder } from "./orders/payment.ts";
import { forgetAnswer } from "./idempotency.ts";
import {
  answerScheduling,
  attemptSettlement,
  closeSettlementDate,
  createResend,
} from "./scheduled-payments/steps.ts";
import { retryDelivery } from "./webhook-events/attempt.ts";

/** Everything that can be due: a simulation finds by name what a timer does. */
export const timerKinds: readonly TimerKind[] = [
  answerCancellation,
  answerScheduling,
  attemptSettlement,
  closeSettlementDate,
  createResend,
  decideAuthorization,
  decidePayment,
  expireOrder,
  forgetAnswer,
  retryDelivery,
];
