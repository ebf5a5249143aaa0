import type { Handler } from "./call.ts";
import { cancelClaim } from "./pix-key-claims/cancellation.ts";
import { confirmClaim, confirmDonor } from "./pix-key-claims/confirmation.ts";
import { createClaim } from "./pix-key-claims/creation.ts";
import { createPayout } from "./payouts/creation.ts";
import { createTransparentOrder } from "./orders/creation.ts";
import { createScheduledPayment } from "./scheduled-payments/creation.ts";
import { createSubscription } from "./subscriptions/creation.ts";
import { refundOrder } from "./refunds/creation.ts";
import { getAccountBalance } from "./accounts/balance.ts";
import { getSubscription } from "./subscriptions/reading.ts";
import { getWebhook } from "./companies/webhook.ts";
import { listAccounts } from "./accounts/listing.ts";
import { listDepositBanks } from "./deposit-banks/listing.ts";
import { listUndeliveredEvents } from "./webhook-events/undelivered.ts";
import { rotateWebhookSecret } from "./companies/secret.ts";
import { requestDonorConfirmation } from "./pix-key-claims/donor.ts";
import { resendClaimCode } from "./pix-key-claims/resend.ts";

/** What each operation of the interface does, by operationId. */
export const handlers = {
  createPayout,
  createSubscription,
  createTransparentOrder,
  createTransparentOrderV3: createTransparentOrder,
  getSubscription,
  refundOrder,
  createClaim,
  confirmClaim,
  resendClaimCode,
  cancelClaim,
  requestDonorConfirmation,
  confirmDonor,
  createScheduledPayment,
  listAccounts,
  getAccountBalance,
  getWebhook,
  rotateWebhookSecret,
  listUndeliveredEvents,
  listDepositBanks,
} as const satisfies Record<string, Handler>;
