import type { Payer, TaxPerson } from "../payers/payer.ts";
import type { Frequency } from "../../countries/brazil/cycles.ts";
import type { Instant } from "../../engine/instant.ts";
import type { Money } from "../../engine/money.ts";
import type { StatusChange } from "../transition.ts";
import type { StoredRecord } from "../../engine/collection.ts";
import type { TaxDocument } from "../../api/generated/shapes.ts";
import type { SubscriptionStatus } from "./lifecycle.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { collection, compositeKey } from "../../engine/collection.ts";
import { notFound } from "../refusals.ts";

/** Journey 2 authorizes only; journey 3 settles a first charge in the same read (interface: Create subscription). */
export type SubscriptionType = "AUTHORIZATION_QRCODE" | "AUTHORIZATION_QRCODE_IMMEDIATE_PAYMENT";

/** A payer's standing authorization to be charged, from its QR code on (interface: Subscription). */
export interface Subscription extends StoredRecord {
  readonly companyId: string;
  readonly providerId: string;
  readonly externalId: string;
  readonly type: SubscriptionType;
  readonly status: SubscriptionStatus;
  readonly statusHistory: readonly StatusChange<SubscriptionStatus>[];
  readonly qrcodeData: string;
  readonly initialCharge: InitialCharge | null;
  readonly allowChargeAfterDueDate: boolean | null;
  readonly allowAdjustToBusinessDay: boolean | null;
  readonly frequencyType: Frequency;
  readonly startDate: string;
  readonly endDate: string | null;
  readonly fixedAmount: Money | null;
  readonly maxAmountFloor: Money | null;
  readonly debtor: TaxPerson;
  readonly receiver: Receiver;
  /** Who pays a journey 3 request says: the payer who will accept (assumption: subscription.journey-3-payer). */
  readonly announcedPayer: TaxPerson | null;
  /** Known once somebody has accepted. */
  readonly payer: Payer<TaxPerson> | null;
  /** The most the payer lets a charge be. Never shown to the receiver. */
  readonly payerMaximum: Money | null;
  readonly description: string | null;
  readonly webhookUrl: string;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** The immediate payment of journey 3. */
export interface InitialCharge {
  /** Null only where the subscription failed before its order was made. */
  readonly orderId: string | null;
  readonly expireDateTime: Instant;
  readonly conciliationId: string;
  readonly amount: Money;
}

/** The account that receives the charges, as the subscription was made with it. */
export interface Receiver {
  readonly id: string;
  readonly fullName: string;
  readonly document: TaxDocument;
}

export const subscriptions = collection<Subscription, "externalId" | "account">("subscriptions", {
  account: (subscription) => subscription.receiver.id,
  externalId: (subscription) => compositeKey(subscription.companyId, subscription.externalId),
});

/** The company's subscription of that id; another company's is not found. */
export function ownSubscription(tx: Pick<Transaction, "get">, companyId: string, id: string): Subscription {
  const subscription = tx.get(subscriptions, id);
  if (subscription?.companyId !== companyId) throw notFound();
  return subscription;
}
