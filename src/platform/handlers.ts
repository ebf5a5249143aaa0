import type { Handler } from "./call.ts";
import { createPayout } from "./payouts/creation.ts";
import { createSubscription } from "./subscriptions/creation.ts";
import { refundOrder } from "./refunds/creation.ts";
import { getAccountBalance } from "./accounts/balance.ts";
import { getSubscription } from "./subscriptions/reading.ts";
import { listAccounts } from "./accounts/listing.ts";

/** What each operation of the interface does, by operationId. */
export const handlers = {
  createPayout,
  createSubscription,
  getSubscription,
  refundOrder,
  listAccounts,
  getAccountBalance,
} as const satisfies Record<string, Handler>;
