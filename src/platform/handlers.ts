import type { Handler } from "./call.ts";
import { createScheduledPayment } from "./scheduled-payments/creation.ts";
import { createSubscription } from "./subscriptions/creation.ts";
import { getAccountBalance } from "./accounts/balance.ts";
import { getSubscription } from "./subscriptions/reading.ts";
import { listAccounts } from "./accounts/listing.ts";

/** What each operation of the interface does, by operationId. */
export const handlers = {
  createSubscription,
  getSubscription,
  createScheduledPayment,
  listAccounts,
  getAccountBalance,
} as const satisfies Record<string, Handler>;
