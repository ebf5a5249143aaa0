import type { Handler } from "./call.ts";
import { createSubscription } from "./subscriptions/creation.ts";
import { refundOrder } from "./refunds/creation.ts";
import { getSubscription } from "./subscriptions/reading.ts";

/** What each operation of the interface does, by operationId. */
export const handlers = {
  createSubscription,
  getSubscription,
  refundOrder,
} as const satisfies Record<string, Handler>;
