import type { Act, ObjectList, Resource, StepHandler } from "./resource.ts";
import type { Assumption } from "./assumptions/assumption.ts";
import type { Handler } from "./call.ts";
import type { Lifecycle } from "../engine/lifecycle.ts";
import { accountResource } from "./accounts/accounts.ts";
import { areaAssumptions } from "./assumptions/assumptions.ts";
import { autopilotId } from "./assumptions/autopilot.ts";
import { cancellationResource } from "./cancellations/cancellations.ts";
import { claimResource } from "./pix-key-claims/claims.ts";
import { companyResource } from "./companies/companies.ts";
import { depositBankResource } from "./deposit-banks/deposit-banks.ts";
import { orderResource } from "./orders/orders.ts";
import { payoutResource } from "./payouts/payouts.ts";
import { refundResource } from "./refunds/refunds.ts";
import { scheduledPaymentResource } from "./scheduled-payments/scheduled-payments.ts";
import { subscriptionResource } from "./subscriptions/subscriptions.ts";
import { webhookEventResource } from "./webhook-events/webhook-events.ts";

/**
 * The resources of the platform. The rest of the sandbox derives its facts about them from this list: operations,
 * acts, plans, timers, lifecycles, collections and autopilot assumptions.
 */
const resources = [
  subscriptionResource,
  scheduledPaymentResource,
  cancellationResource,
  claimResource,
  refundResource,
  payoutResource,
  orderResource,
  accountResource,
  webhookEventResource,
  companyResource,
  depositBankResource,
];

export const catalog: readonly Resource[] = resources;

/**
 * The definitions of all resources. The types of the words that users type follow from them (`simulator/api/vocabulary.ts`).
 */
export type Definitions = (typeof resources)[number]["definition"];

/** The handler of each operation of the API, by operationId. */
export const handlers: Readonly<Record<string, Handler>> = Object.assign(
  {},
  ...catalog.map(({ operations }) => operations),
);

/** Every act, by name. */
export const acts: ReadonlyMap<string, Act> = new Map(
  catalog.flatMap((resource) => resource.acts).map((act) => [act.name, act]),
);

/** Every step that can be planned, by name. */
export const steps: ReadonlyMap<string, StepHandler> = new Map(
  catalog.flatMap((resource) => resource.steps).map((handler) => [handler.step.name, handler]),
);

/** The kinds of all timers. A simulation finds the action of a timer by its name. */
export const timerKinds = catalog.flatMap(({ timers }) => timers);

export const lifecycles: readonly Lifecycle[] = catalog.flatMap((resource) => resource.lifecycles);

/** The objects that acts answer with, by collection. */
export const objects: ReadonlyMap<string, ObjectList> = new Map(
  catalog.flatMap(({ name, objects: own }) => (own === undefined ? [] : [[name, own] as const])),
);

/** The collections of `/sandbox/resources`, by name. */
export const collections: ReadonlyMap<string, ObjectList> = new Map(
  catalog.flatMap(({ name, objects: own, isListed }) =>
    own !== undefined && isListed ? [[name, own] as const] : [],
  ),
);

/** The autopilot assumption of each step, by id. */
export const autopilotAssumptions: Readonly<Record<string, Assumption<string>>> = Object.fromEntries(
  Array.from(steps.values()).flatMap(({ step: { name, autopilot } }) =>
    autopilot === null ? [] : [[autopilotId(name), autopilot] as const],
  ),
);

/** Every decision that the platform API leaves open, by id. */
export const assumptions: Readonly<Record<string, Assumption<unknown>>> = {
  ...areaAssumptions,
  ...autopilotAssumptions,
};
