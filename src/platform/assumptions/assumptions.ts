import type { Transaction } from "../../engine/transaction.ts";
import { collection } from "../../engine/collection.ts";
import { accountAssumptions } from "./accounts.ts";
import { authenticationAssumptions } from "./authentication.ts";
import { payerAssumptions } from "./autopilot.ts";
import { cancellationAssumptions } from "./cancellations.ts";
import { claimAssumptions } from "./claims.ts";
import { httpAssumptions } from "./http.ts";
import { orderAssumptions } from "./orders.ts";
import { payloadAssumptions } from "./payloads.ts";
import { payoutAssumptions } from "./payouts.ts";
import { refundAssumptions } from "./refunds.ts";
import { scheduledPaymentAssumptions } from "./scheduled-payments.ts";
import { subscriptionAssumptions } from "./subscriptions.ts";
import { webhookAssumptions } from "./webhooks.ts";

/**
 * The decisions that the interface leaves open, by id; `catalog.ts` adds how each step moves by itself
 * (`autopilot.<step>`).
 */
export const assumptions = {
  ...httpAssumptions,
  ...authenticationAssumptions,
  ...payloadAssumptions,
  ...accountAssumptions,
  ...subscriptionAssumptions,
  ...cancellationAssumptions,
  ...scheduledPaymentAssumptions,
  ...orderAssumptions,
  ...refundAssumptions,
  ...payoutAssumptions,
  ...claimAssumptions,
  ...webhookAssumptions,
  ...payerAssumptions,
};

export type AssumptionId = keyof typeof assumptions;

/** Values that differ from the defaults, by id. */
export type AssumptionValues = { readonly [Id in AssumptionId]?: (typeof assumptions)[Id]["default"] } & {
  readonly [id: string]: unknown;
};

interface AssumptionSettings {
  readonly id: "settings";
  readonly values: AssumptionValues;
}

const settings = collection<AssumptionSettings>("assumptions", {});

type Reader = Pick<Transaction, "get"> & Partial<Pick<Transaction, "consulted">>;

/** Sets what a world assumes; called once, as the world is made. */
export function assume(tx: Transaction, values: AssumptionValues): void {
  tx.put(settings, { id: "settings", values });
}

/** The value that is set for an id; undefined where the default is in force. */
export function assumedValue(tx: Reader, id: string): unknown {
  tx.consulted?.(id);
  const values: Readonly<Record<string, unknown>> | undefined = tx.get(settings, "settings")?.values;
  return values?.[id];
}

/** What this world assumes. */
export function assumption<Id extends AssumptionId>(tx: Reader, id: Id): (typeof assumptions)[Id]["default"] {
  const value = assumedValue(tx, id) as (typeof assumptions)[Id]["default"] | undefined;
  return value ?? assumptions[id].default;
}
