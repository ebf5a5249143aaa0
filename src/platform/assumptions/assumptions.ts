import type { Transaction } from "../../engine/transaction.ts";
import { collection } from "../../engine/collection.ts";
import { accountAssumptions } from "./accounts.ts";
import { authenticationAssumptions } from "./authentication.ts";
import { autopilotAssumptions } from "./autopilot.ts";
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

/** Every decision that the interface leaves open, by id. */
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
  ...autopilotAssumptions,
};

export type AssumptionId = keyof typeof assumptions;

/** Values that differ from the defaults. */
export type AssumptionValues = { readonly [Id in AssumptionId]?: (typeof assumptions)[Id]["default"] };

interface AssumptionSettings {
  readonly id: "settings";
  readonly values: AssumptionValues;
}

const settings = collection<AssumptionSettings>("assumptions", {});

/** Sets what a world assumes; called once, as the world is made. */
export function assume(tx: Transaction, values: AssumptionValues): void {
  tx.put(settings, { id: "settings", values });
}

/** What this world assumes. */
export function assumption<Id extends AssumptionId>(
  tx: Pick<Transaction, "get"> & Partial<Pick<Transaction, "consulted">>,
  id: Id,
): (typeof assumptions)[Id]["default"] {
  tx.consulted?.(id);
  const values: AssumptionValues | undefined = tx.get(settings, "settings")?.values;
  return values?.[id] ?? assumptions[id].default;
}
