import type { Instant } from "../../engine/instant.ts";
import type { StoredRecord } from "../../engine/collection.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { collection } from "../../engine/collection.ts";
import { assertDefined } from "../../engine/assertion.ts";

/** A partner of the platform: it holds accounts and credentials, and sees only what is its own. */
export interface Company extends StoredRecord {
  readonly name: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly webhook: CompanyWebhook;
}

/** Where a company's events go and what they are signed with (assumption: webhook.config). */
export interface CompanyWebhook {
  readonly id: string;
  /** Null until one is set: events of orders and payouts then have nowhere to go. */
  readonly url: string | null;
  /** The secret that a partner reads; which one signs just after a rotation, `signingSecret` says. */
  readonly secret: string;
  /** The secrets before it, the last one last. */
  readonly formerSecrets: readonly string[];
  readonly rotatedAt: Instant | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

export const companies = collection<Company, "clientId">("companies", {
  clientId: (company) => company.clientId,
});

/** The company of that id, which our own records name. */
export function companyOf(tx: Pick<Transaction, "get">, id: string): Company {
  return assertDefined(tx.get(companies, id), `the company ${id}`);
}
