import type { Records } from "../../engine/store.ts";
import type { Frequency } from "../../countries/brazil/cycles.ts";
import type { Instant } from "../../engine/instant.ts";
import type { Lifecycle } from "../../engine/lifecycle.ts";
import type { Money } from "../../engine/money.ts";
import type { Payer, TaxPerson } from "../payers/payer.ts";
import type { StatusChange } from "../state-machine.ts";
import type { TaxDocument } from "../../api/generated/shapes.ts";
import { type StoredRecord, collection, compositeKey } from "../../engine/collection.ts";
import { notFound, refuseForeign } from "../refusals.ts";
import { step } from "../step.ts";

type SubscriptionStatus = (typeof subscriptionLifecycle)["states"][number];
export type AuthorizationOutcome = (typeof authorization)["outcomes"][number];

/** Journey 2 authorizes only; journey 3 settles a first charge in the same read (interface: Create subscription). */
type SubscriptionType = "AUTHORIZATION_QRCODE" | "AUTHORIZATION_QRCODE_IMMEDIATE_PAYMENT";

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
  /** The payer of a journey 3 request, who will accept (assumption: subscription.journey-3-payer). */
  readonly announcedPayer: TaxPerson | null;
  /** Known once someone has accepted. */
  readonly payer: Payer<TaxPerson> | null;
  /** The highest amount of a charge that the payer accepts. Never shown to the receiver. */
  readonly payerMaximum: Money | null;
  readonly description: string | null;
  readonly webhookUrl: string;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** The immediate payment of journey 3. */
export interface InitialCharge {
  /** Null only if the subscription failed before its order was made. */
  readonly orderId: string | null;
  readonly expireDateTime: Instant;
  readonly conciliationId: string;
  readonly amount: Money;
}

/** The account that receives the charges, as the subscription was made with it. */
interface Receiver {
  readonly id: string;
  readonly fullName: string;
  readonly document: TaxDocument;
}

/** The states of a subscription (interface: States and transitions; assumption: subscription.transitions). */
export const subscriptionLifecycle = {
  resource: "subscription",
  initial: "INITIAL",
  states: ["INITIAL", "PENDING_AUTHORIZATION", "ACCEPTED", "REJECTED", "CANCELED", "ERROR"],
  ends: { ACCEPTED: "good", REJECTED: "bad", CANCELED: "neutral", ERROR: "bad" },
  transitions: [
    { from: ["INITIAL"], action: "register", to: "PENDING_AUTHORIZATION", act: null },
    { from: ["PENDING_AUTHORIZATION"], action: "accept", to: "ACCEPTED", emits: "SUBSCRIPTION.ACCEPTED" },
    { from: ["PENDING_AUTHORIZATION"], action: "reject", to: "REJECTED", emits: "SUBSCRIPTION.REJECTED" },
    { from: ["INITIAL", "PENDING_AUTHORIZATION"], action: "fail", to: "ERROR", emits: "SUBSCRIPTION.ERROR" },
    {
      from: ["PENDING_AUTHORIZATION", "ACCEPTED"],
      action: "cancel",
      to: "CANCELED",
      act: "subscription.request-cancellation",
    },
  ],
  timers: {
    "subscription.authorization": ["PENDING_AUTHORIZATION"],
    "subscription.payer-cancellation": ["ACCEPTED"],
  },
} as const satisfies Lifecycle;

export const subscriptions = collection<Subscription, "externalId" | "account">(
  "subscriptions",
  {
    account: (subscription) => subscription.receiver.id,
    externalId: (subscription) => compositeKey(subscription.companyId, subscription.externalId),
  },
  subscriptionLifecycle,
);

/** The answer of the financial provider while the subscription is created. `ERROR` leaves it without an order. */
export const registration = step({
  name: "subscription.registration",
  of: subscriptions,
  outcomes: ["REGISTERED", "ERROR"],
  decidedBy: null,
  summary:
    "The registration of a subscription at the financial provider. With ERROR a first charge has no order",
});

/** The answer of the payer to the QR code. */
export const authorization = step({
  name: "subscription.authorization",
  of: subscriptions,
  outcomes: ["ACCEPTED", "REJECTED", "ERROR"],
  decidedBy: "payer",
  summary: "The payer's answer to a subscription's QR code",
  person: (_tx, subscription) => expectedPayer(subscription),
});

/** Returns the expected reader of the QR code (assumption: subscription.journey-3-payer). */
export function expectedPayer({ announcedPayer, debtor }: Subscription): TaxPerson {
  return announcedPayer ?? debtor;
}

/** The company's subscription of that id; another company's is not found. */
export function ownSubscription(tx: Records, companyId: string, id: string): Subscription {
  const subscription = tx.get(subscriptions, id);
  refuseForeign(tx, subscription, companyId);
  if (subscription?.companyId !== companyId) throw notFound();
  return subscription;
}
