import type { Instant } from "../../engine/instant.ts";
import type { StoredRecord } from "../../engine/collection.ts";
import type { Transaction } from "../../engine/transaction.ts";
import type { Account as AccountShape } from "../../api/generated/shapes.ts";
import { collection } from "../../engine/collection.ts";
import { formatInstant } from "../../engine/instant.ts";
import { forbidden, notFound } from "../refusals.ts";

export type AccountStatus = "ACTIVE" | "INACTIVE" | "CLOSED";

/** A banking account opened under a company (interface: Account). Its balance is the ledger's business. */
export interface Account
  extends StoredRecord, Omit<AccountShape, "id" | "status" | "createdAt" | "bankAccountData"> {
  readonly companyId: string;
  readonly status: AccountStatus;
  readonly document: NonNullable<AccountShape["document"]>;
  readonly bankAccountData: NonNullable<AccountShape["bankAccountData"]>;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

export const accounts = collection<Account, "company">("accounts", {
  company: (account) => account.companyId,
});

/** The company's account of that id; another company's is not found (assumption: tenancy.foreign-resource). */
export function ownAccount(tx: Pick<Transaction, "get">, companyId: string, id: string): Account {
  const account = tx.get(accounts, id.toLowerCase());
  if (account?.companyId !== companyId) throw notFound();
  return account;
}

/** Refuses an account that is not ACTIVE, saying which operation it was wanted for. */
export function requireActive(account: Account, operation: string): void {
  if (account.status !== "ACTIVE") {
    throw forbidden(
      `Failed to ${operation}: the account ${account.id} is ${account.status}. Use an ACTIVE account.`,
    );
  }
}

/** The account as answers show it. */
export function accountShape(account: Account): AccountShape {
  const { companyId: _companyId, updatedAt: _updatedAt, ...shown } = account;
  return { ...shown, createdAt: formatInstant(account.createdAt) };
}
