import type { Records } from "../../simulator/engine/store.ts";
import type { OperationId } from "../../simulator/api/vocabulary.ts";
import type { CalendarDate } from "../../simulator/countries/brazil/calendar.ts";
import type { AssumptionInWorld } from "../../simulator/platform/assumptions/listing.ts";
import type { World } from "../../simulator/worlds/world.ts";
import { accessTokens } from "../../simulator/platform/companies/access-token.ts";
import { accounts } from "../../simulator/platform/accounts/account.ts";
import {
  type PixKeyClaim,
  type Validation,
  claims,
  donorOf,
  validations,
} from "../../simulator/platform/pix-key-claims/claim.ts";
import { formatMoney } from "../../simulator/engine/money.ts";
import { orders } from "../../simulator/platform/orders/order.ts";
import { subscriptions } from "../../simulator/platform/subscriptions/subscription.ts";

/** The facts about this sandbox that the page shows. */
export interface SettingRow {
  /** Scheme, host and port, as the reader's browser wrote them. */
  readonly origin: string;
  readonly token: string;
  /** The end of the tokens and client ids of the world. Empty in the default world. */
  readonly suffix: string;
  /** The address of the dashboard of the world. */
  readonly dashboard: string;
  /** The world's day in Brasília. */
  readonly today: CalendarDate;
  readonly objects: OwnObjects;
  /** True if `/sandbox` needs no admin token. If it needs a token, the page names no objects. */
  readonly isOpen: boolean;
  readonly assumptions: readonly AssumptionInWorld[];
}

/** Values of this sandbox for an example, so that its command works here and now. */
export interface OwnValues {
  readonly path?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
}

export type OwnObjects = { readonly [Id in OperationId]?: OwnValues };

/** The operations that need an object that exists: the object in words, and the operation that makes it. */
export const needs: {
  readonly [Id in OperationId]?: { readonly what: string; readonly madeBy: OperationId };
} = {
  getSubscription: { what: "a subscription", madeBy: "createSubscription" },
  createScheduledPayment: { what: "an accepted subscription", madeBy: "createSubscription" },
  confirmClaim: { what: "a claim that needs its code", madeBy: "createClaim" },
  resendClaimCode: { what: "a claim that needs its code", madeBy: "createClaim" },
  cancelClaim: { what: "a claim that is PENDING", madeBy: "createClaim" },
  requestDonorConfirmation: { what: "a claim by another account", madeBy: "createClaim" },
  confirmDonor: { what: "the code of the donor", madeBy: "requestDonorConfirmation" },
  refundOrder: { what: "a paid order", madeBy: "createTransparentOrder" },
};

/** Returns the newest objects of the token's company that operations can work on. */
export function ownObjects({ records }: World, token: string): OwnObjects {
  const companyId = records.get(accessTokens, token)?.companyId;
  if (companyId === undefined) return {};
  const own = new Set([...records.find(accounts, "company", companyId)].map(({ id }) => id));
  return {
    ...ofSubscriptions(records, companyId),
    ...ofClaims(records, own),
    ...ofOrders(records, companyId),
  };
}

function ofSubscriptions(records: Records, companyId: string): OwnObjects {
  const own = [...records.all(subscriptions)].filter((one) => one.companyId === companyId);
  const accepted = own.findLast(({ status }) => status === "ACCEPTED");
  const newest = own.at(-1);
  return {
    ...(own.length > 0 && { createSubscription: { body: { externalId: `gym-2026-000${own.length + 1}` } } }),
    ...(newest && { getSubscription: { path: { id: newest.id } } }),
    ...(accepted && { createScheduledPayment: { path: { id: accepted.id } } }),
  };
}

function ofClaims(records: Records, own: ReadonlySet<string>): OwnObjects {
  const pending = [...records.all(claims)].filter(({ status }) => status === "PENDING");
  const mine = pending.findLast(({ accountId }) => own.has(accountId));
  const theirs = pending.findLast((claim) => own.has(donorOf(records, claim) ?? ""));
  const open = [...records.all(validations)].filter(
    ({ status, accountId }) => status === "PENDING" && own.has(accountId),
  );
  const claimer = open.findLast(({ side }) => side === "claimer");
  const donor = open.findLast(({ side }) => side === "donor");
  return {
    ...(mine && { cancelClaim: { path: pathOf(mine, mine.accountId) } }),
    ...(claimer && { confirmClaim: confirming(claimer), resendClaimCode: resending(claimer) }),
    ...(theirs && { requestDonorConfirmation: { path: pathOf(theirs, donorOf(records, theirs) ?? "") } }),
    ...(donor && { confirmDonor: confirming(donor) }),
  };
}

function pathOf({ id }: PixKeyClaim, accountId: string): Readonly<Record<string, string>> {
  return { accountId, claimId: id };
}

function confirming({ id, claimId, accountId, code }: Validation): OwnValues {
  return { path: { accountId, claimId }, body: { validationId: id, code } };
}

function resending({ id, accountId }: Validation): OwnValues {
  return { path: { accountId }, body: { validationId: id } };
}

function ofOrders(records: Records, companyId: string): OwnObjects {
  const paid = [...records.all(orders)].findLast(
    (order) => order.companyId === companyId && order.status === "PAID",
  );
  if (!paid?.amount) return {};
  return { refundOrder: { body: { orderId: paid.id, amount: formatMoney(paid.amount) } } };
}
