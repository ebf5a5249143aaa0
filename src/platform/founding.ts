import type { Account } from "./accounts/account.ts";
import type { AssumptionValues } from "./assumptions/assumptions.ts";
import type { KnownPayer } from "./payers/known-payer.ts";
import type { DepositBank } from "./deposit-banks/deposit-bank.ts";
import type { Person } from "./payers/payer.ts";
import type { PixKeyFixture } from "./pix-keys/founding.ts";
import type { TestCard } from "./orders/test-card.ts";
import type { Transaction } from "../engine/transaction.ts";
import { accessTokens, ORDER_SCOPE } from "./companies/access.ts";
import { accounts } from "./accounts/account.ts";
import { assume } from "./assumptions/assumptions.ts";
import { availableOn, move, OUTSIDE } from "./ledger/ledger.ts";
import { companies } from "./companies/company.ts";
import { depositBanks } from "./deposit-banks/deposit-bank.ts";
import { foundPixKeys } from "./pix-keys/founding.ts";
import { knownPayers } from "./payers/known-payer.ts";
import { assertDefined } from "../engine/assertion.ts";
import { overrideWebhookUrl } from "./world-settings.ts";
import { parseInstant } from "../engine/instant.ts";
import { parseMoney } from "../engine/money.ts";
import { passersby } from "./payers/payer.ts";
import { testCards } from "./orders/test-card.ts";

/** Who and what a world starts with, as the files in `fixtures/` say. */
export interface Fixtures {
  readonly companies: readonly CompanyFixture[];
  readonly knownPayers: readonly KnownPayer[];
  readonly passersby: readonly Person[];
  readonly pixKeys: readonly PixKeyFixture[];
  readonly depositBanks: readonly Omit<DepositBank, "id">[];
  readonly cards: readonly TestCard[];
}

export interface CompanyFixture {
  readonly id: string;
  readonly name: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly token: string;
  /** A good token without the scope, for trying out 403. */
  readonly tokenWithoutScope?: string;
  readonly webhook: { readonly id: string; readonly url: string | null; readonly secret: string };
  readonly accounts: readonly AccountFixture[];
}

export interface AccountFixture extends Omit<Account, "companyId" | "createdAt" | "updatedAt"> {
  readonly createdAt: string;
  /** Opening balance in BRL, as a decimal string. */
  readonly balance: string;
}

/** How a world differs from the fixtures as they are. */
export interface Founding {
  readonly fixtures: Fixtures;
  /** Appended to tokens and client ids, so that they name their world; empty for the default world. */
  readonly credentialSuffix: string;
  readonly assumptions: AssumptionValues;
  readonly webhookUrl: string | null;
}

/** Puts the fixtures into an empty world: the same commands, and so the same journal, at every start and reset. */
export function foundWorld(
  tx: Transaction,
  { fixtures, credentialSuffix, assumptions, webhookUrl }: Founding,
): void {
  assume(tx, assumptions);
  overrideWebhookUrl(tx, webhookUrl);
  for (const company of fixtures.companies) foundCompany(tx, company, credentialSuffix);
  foundPixKeys(tx, fixtures.pixKeys);
  for (const bank of fixtures.depositBanks) tx.put(depositBanks, { id: bank.slug, ...bank });
  for (const card of fixtures.cards) tx.put(testCards, card);
  for (const payer of fixtures.knownPayers) tx.put(knownPayers, payer);
  for (const [index, person] of fixtures.passersby.entries())
    tx.put(passersby, { id: String(index), ...person });
  tx.log({ kind: "note", objectId: null, what: "world seeded" });
}

function foundCompany(tx: Transaction, fixture: CompanyFixture, suffix: string): void {
  const { id, name, clientSecret, token, tokenWithoutScope, webhook } = fixture;
  const clientId = fixture.clientId + suffix;
  const created = { createdAt: tx.now, updatedAt: tx.now };
  const unrotated = { formerSecrets: [], rotatedAt: null };
  tx.put(companies, { id, name, clientId, clientSecret, webhook: { ...webhook, ...unrotated, ...created } });
  tx.put(accessTokens, { id: token + suffix, companyId: id, scopes: [ORDER_SCOPE] });
  if (tokenWithoutScope !== undefined) {
    tx.put(accessTokens, { id: tokenWithoutScope + suffix, companyId: id, scopes: [] });
  }
  for (const account of fixture.accounts) foundAccount(tx, id, account);
}

function foundAccount(tx: Transaction, companyId: string, { balance, ...fixture }: AccountFixture): void {
  const createdAt = assertDefined(
    parseInstant(fixture.createdAt),
    `the creation time of the account ${fixture.id}`,
  );
  tx.put(accounts, { ...fixture, companyId, createdAt, updatedAt: createdAt });
  const amount = parseMoney("BRL", balance);
  if (amount === undefined) return;
  const to = availableOn(fixture.id);
  move(tx, { from: OUTSIDE, to, amount, memo: "opening balance", objectId: fixture.id });
}

/** Gives a forked world credentials of its own: the same tokens and client ids, under its own suffix. */
export function renewCredentials(tx: Transaction, { from, to }: { from: string; to: string }): void {
  const renewed = (credential: string): string => credential.slice(0, credential.length - from.length) + to;
  for (const company of Array.from(tx.all(companies)))
    tx.put(companies, { ...company, clientId: renewed(company.clientId) });
  for (const token of Array.from(tx.all(accessTokens))) {
    tx.delete(accessTokens, token.id);
    tx.put(accessTokens, { ...token, id: renewed(token.id) });
  }
}
