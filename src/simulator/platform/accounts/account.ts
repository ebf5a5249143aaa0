import type { Records } from "../../engine/store.ts";
import type { Account as AccountAnswer } from "../../api/generated/shapes.ts";
import type { Instant } from "../../engine/instant.ts";
import type { Lifecycle } from "../../engine/lifecycle.ts";
import { type StoredRecord, collection } from "../../engine/collection.ts";
import { assumption } from "../assumptions/assumptions.ts";
import type { BankAccount } from "../payers/payer.ts";
import { platformInstitution } from "../../countries/brazil/institutions.ts";
import { forbidden, invalidRequest, notFound, refuseForeign } from "../refusals.ts";

/** A banking account opened under a company (interface: Account). Its balance is in the ledger. */
export interface Account
  extends StoredRecord, Omit<AccountAnswer, "id" | "status" | "createdAt" | "bankAccountData"> {
  readonly companyId: string;
  readonly status: (typeof accountLifecycle)["states"][number];
  readonly document: NonNullable<AccountAnswer["document"]>;
  readonly bankAccountData: NonNullable<AccountAnswer["bankAccountData"]>;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** The states of an account (assumptions: account.transitions, account.acts). */
export const accountLifecycle = {
  resource: "account",
  initial: "ACTIVE",
  states: ["ACTIVE", "INACTIVE", "CLOSED"],
  ends: { ACTIVE: "good", INACTIVE: "neutral", CLOSED: "neutral" },
  transitions: [
    { from: ["INACTIVE"], action: "activate", to: "ACTIVE" },
    { from: ["ACTIVE"], action: "deactivate", to: "INACTIVE" },
    { from: ["ACTIVE", "INACTIVE"], action: "close", to: "CLOSED" },
    { from: ["ACTIVE"], action: "deposit", to: "ACTIVE" },
    { from: ["INACTIVE"], action: "deposit", to: "INACTIVE" },
  ],
} as const satisfies Lifecycle;

export const accounts = collection<Account, "company">(
  "accounts",
  { company: (account) => account.companyId },
  accountLifecycle,
);

/** The company's account of that id; another company's is not found (assumption: tenancy.foreign-resource). */
export function ownAccount(tx: Records, companyId: string, id: string): Account {
  const account = tx.get(accounts, id.toLowerCase());
  refuseForeign(tx, account, companyId);
  if (account?.companyId !== companyId) throw notFound();
  return account;
}

/** The assumptions about the error of an account that may not be used. */
type AccountAssumption =
  | "payout.inactive-account"
  | "payout.foreign-account"
  | "subscription.inactive-account"
  | "charge.inactive-account";

/** The error of an account that may not be used: 403, or 400 at the field that names it. */
export function unusableAccount(
  tx: Records,
  id: AccountAssumption,
  field: "accountId" | "id",
): (message: string) => Error {
  return assumption(tx, id) === "forbidden"
    ? forbidden
    : (description) => invalidRequest([{ field, issue: "NOT_ALLOWED", description }]);
}

/** Refuses an account that is not ACTIVE, naming the operation that needs one; with 403 by default. */
export function requireActive(
  account: Account,
  operation: string,
  refused: (message: string) => Error = forbidden,
): void {
  if (account.status !== "ACTIVE") {
    throw refused(
      `Failed to ${operation}: the account ${account.id} is ${account.status}. Use an ACTIVE account.`,
    );
  }
}

/** Returns the bank, branch and number of an account of the sandbox. */
export function bankOf({ bankAccountData }: Account): BankAccount {
  const {
    ispb = platformInstitution.ispb,
    branchNumber,
    accountNumber,
    accountType = "PAYMENT_ACCOUNT",
  } = bankAccountData;
  return { ispb, branchNumber, accountNumber, accountType };
}
