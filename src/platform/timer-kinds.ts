import type { TimerKind } from "../engine/timers.ts";
import { answerCancellation } from "./cancellations/answer.ts";
import { decideRefund } from "./refunds/outcome.ts";
import { answerClaim } from "./pix-key-claims/answer.ts";
import { decideAuthorization } from "./subscriptions/authorization.ts";
import { expireCode } from "./pix-key-claims/validation.ts";
import { decidePayment } from "./orders/settlement.ts";
import { expireOrder } from "./orders/payment.ts";
import { retryDelivery } from "./webhook-events/due.ts";
import { settlePayoutTransaction } from "./payouts/settlement.ts";
import {
  answerScheduling,
  attemptSettlement,
  closeSettlementDate,
  createResend,
} from "./scheduled-payments/steps.ts";

/** Everything that can be due: a simulation finds by name what a timer does. */
export const timerKinds: readonly TimerKind[] = [
  answerCancellation,
  answerClaim,
  answerScheduling,
  attemptSettlement,
  closeSettlementDate,
  createResend,
  decideAuthorization,
  decideRefund,
  expireCode,
  decidePayment,
  expireOrder,
  retryDelivery,
  settlePayoutTransaction,
];
