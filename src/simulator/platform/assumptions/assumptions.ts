import type { Records } from "../../engine/store.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { accountAssumptions } from "./accounts.ts";
import { claimAssumptions } from "./claims.ts";
import { authenticationAssumptions, httpAssumptions, payloadAssumptions } from "./http.ts";
import { subscriptionAssumptions } from "./subscriptions.ts";
import { cancellationAssumptions } from "./cancellations.ts";
import { collection } from "../../engine/collection.ts";
import { freedomAssumptions } from "./freedoms.ts";
import { orderAssumptions } from "./orders.ts";
import { refundAssumptions } from "./refunds.ts";
import { payerAssumptions } from "./autopilot.ts";
import { payoutAssumptions } from "./payouts.ts";
import { scheduledPaymentAssumptions } from "./scheduled-payments.ts";
import { webhookAssumptions } from "./webhooks.ts";

/** The decisions that the platform API leaves open, by area, in the order of the list. */
export const areas = {
  HTTP: httpAssumptions,
  Authentication: authenticationAssumptions,
  "Payloads and idempotency": payloadAssumptions,
  Accounts: accountAssumptions,
  Subscriptions: subscriptionAssumptions,
  "Cancellations of subscriptions": cancellationAssumptions,
  "Charges (scheduled payments)": scheduledPaymentAssumptions,
  "Transparent orders": orderAssumptions,
  Refunds: refundAssumptions,
  Payouts: payoutAssumptions,
  "PIX key claims": claimAssumptions,
  Webhooks: webhookAssumptions,
  Freedoms: freedomAssumptions,
  Autopilot: payerAssumptions,
};

type Areas = typeof areas;

/** A union as one type: an intersection, which a union of functions gives for its parameter. */
export type Merged<Area> = (Area extends unknown ? (area: Area) => void : never) extends (
  merged: infer All,
) => void
  ? All
  : never;

type Assumptions = Merged<Areas[keyof Areas]>;

export type AssumptionId = keyof Assumptions;

/** The assumptions of all areas, by id, typed for the code that reads them. `catalog.ts` has the whole list. */
export const areaAssumptions = Object.assign({}, ...Object.values(areas)) as Assumptions;

/** Values that differ from the defaults, by id. */
export type AssumptionValues = { readonly [Id in AssumptionId]?: Assumptions[Id]["default"] } & {
  readonly [id: string]: unknown;
};

interface Assumed {
  readonly id: "settings";
  readonly values: AssumptionValues;
}

const settings = collection<Assumed>("assumptions", {});

type Reader = Records & Partial<Pick<Transaction, "consulted">>;

/** Sets the assumptions of a world, in place of its earlier assumptions. */
export function assume(tx: Transaction, values: AssumptionValues): void {
  tx.put(settings, { id: "settings", values });
}

/** All values that are set, by id. */
export function assumedValues(tx: Pick<Records, "get">): AssumptionValues {
  return tx.get(settings, "settings")?.values ?? {};
}

/** Returns the value that is set for an id. Undefined if the default is in force. */
export function assumedValue(tx: Reader, id: string): unknown {
  tx.consulted?.(id);
  const values: Readonly<Record<string, unknown>> = assumedValues(tx);
  return values[id];
}

/** Returns an assumption of this world. */
export function assumption<Id extends AssumptionId>(tx: Reader, id: Id): Assumptions[Id]["default"] {
  const value = assumedValue(tx, id) as Assumptions[Id]["default"] | undefined;
  return value ?? areaAssumptions[id].default;
}
