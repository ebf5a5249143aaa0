import type { Call } from "../call.ts";
import type { Subscription as SubscriptionShape } from "../../api/generated/shapes.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { ownSubscription } from "./subscription.ts";
import { pathParameter } from "../call.ts";
import { Problems } from "../problems.ts";
import { subscriptionShape } from "./shape.ts";

/** Reads a subscription (interface: Endpoints 2). */
export function getSubscription(tx: Transaction, call: Call): SubscriptionShape {
  new Problems(call.problems).refuse();
  return subscriptionShape(tx, ownSubscription(tx, call.companyId, pathParameter(call, "id")));
}
