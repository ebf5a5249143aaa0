import type { Handler } from "./call.ts";
import { createSubscription } from "./subscriptions/creation.ts";
import { getAccountBalance } from "./accounts/balance.ts";
import { getSubscription } from "./subscriptions/reading.ts";
import { getWebhook } from "./companies/webhook.ts";
import { listAccounts } from "./accounts/listing.ts";
import { listDepositBanks } from "./deposit-banks/listing.ts";
import { listUndeliveredEvents } from "./webhook-events/undelivered.ts";
import { rotateWebhookSecret } from "./companies/secret.ts";

/** What each operation of the interface does, by operationId. */
export const handlers = {
  createSubscription,
  getSubscription,
  listAccounts,
  getAccountBalance,
  getWebhook,
  rotateWebhookSecret,
  listUndeliveredEvents,
  listDepositBanks,
} as const satisfies Record<string, Handler>;
