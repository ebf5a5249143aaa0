import type { Collection, StoredRecord } from "../engine/collection.ts";
import type { Simulation } from "../engine/simulation.ts";
import type { Transaction } from "../engine/transaction.ts";
import { accountShape, accounts } from "./accounts/account.ts";
import { cancellationShape, cancellations } from "./cancellations/cancellation.ts";
import { claims, claimShape } from "./pix-key-claims/claim.ts";
import { companies } from "./companies/company.ts";
import { webhookShape } from "./companies/webhook.ts";
import { deliveries } from "./webhook-events/delivery.ts";
import { orderShape } from "./orders/shape.ts";
import { orders } from "./orders/order.ts";
import { refundResource } from "./refunds/shape.ts";
import { refunds } from "./refunds/refund.ts";
import { payouts } from "./payouts/payout.ts";
import { payoutShape } from "./payouts/shape.ts";
import { scheduledPaymentResource } from "./scheduled-payments/shape.ts";
import { scheduledPayments } from "./scheduled-payments/scheduled-payment.ts";
import { subscriptionShape } from "./subscriptions/shape.ts";
import { subscriptions } from "./subscriptions/subscription.ts";
import { webhookEventShape } from "./webhook-events/shape.ts";

type Records = Pick<Transaction, "get" | "all" | "find">;
type Counted = Pick<Simulation["records"], "count">;

/** A kind of object that people look at and act on, in the interface's own shape. */
export interface Resource {
  /** All of them, or the newest so many, the newest last. */
  readonly list: (records: Records, newest?: number) => object[];
  readonly get: (records: Records, id: string) => object | undefined;
  /** How many there are. */
  readonly count: (records: Counted) => number;
}

function resource<R extends StoredRecord, I extends string>(
  of: Collection<R, I>,
  shape: (record: R, records: Records) => object,
): Resource {
  return {
    list: (records, newest) => {
      const all = [...records.all(of)];
      const wanted = newest === undefined ? all : all.slice(Math.max(0, all.length - newest));
      return wanted.map((record) => shape(record, records));
    },
    get: (records, id) => {
      const record = records.get(of, id);
      return record && shape(record, records);
    },
    count: (records) => records.count(of),
  };
}

/** Every collection of `/sandbox/resources`, by its name there. */
export const resources = {
  accounts: resource(accounts, accountShape),
  subscriptions: resource(subscriptions, (subscription, records) => subscriptionShape(records, subscription)),
  cancellations: resource(cancellations, cancellationShape),
  claims: resource(claims, claimShape),
  "scheduled-payments": resource(scheduledPayments, scheduledPaymentResource),
  orders: resource(orders, orderShape),
  refunds: resource(refunds, refundResource),
  payouts: resource(payouts, payoutShape),
  "webhook-events": resource(deliveries, webhookEventShape),
} as const satisfies Record<string, Resource>;

export type CollectionName = keyof typeof resources;

/** What acts work on: the collections, and a company through its webhook. */
export const actResources = {
  ...resources,
  companies: resource(companies, webhookShape),
} as const satisfies Record<string, Resource>;

export type ActCollection = keyof typeof actResources;

export function isCollectionName(name: string): name is CollectionName {
  return Object.hasOwn(resources, name);
}
