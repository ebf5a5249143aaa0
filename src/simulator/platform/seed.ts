import type { Transaction } from "../engine/transaction.ts";
import { accessTokens, ORDER_SCOPE } from "./companies/access-token.ts";
import { type Account, accounts } from "./accounts/account.ts";
import { assertDefined } from "../engine/assertion.ts";
import { type AssumptionValues, assume } from "./assumptions/assumptions.ts";
import { availableOn, move, OUTSIDE } from "./ledger/ledger.ts";
import { armFault, type FaultDefinition } from "./faults/fault.ts";
import { companies } from "./companies/company.ts";
import { type DepositBank, depositBanks } from "./deposit-banks/deposit-banks.ts";
import { type PixKeySettlement, giveKey, pixKeys, randomKeyOf } from "./pix-keys/pix-key.ts";
import {
  type BankAccount,
  type KnownPayer,
  type Person,
  type RandomPerson,
  knownPayers,
  randomPeople,
} from "./payers/payer.ts";
import { overrideWebhookUrl } from "./world-settings.ts";
import { parseInstant } from "../engine/instant.ts";
import { parseMoney } from "../engine/money.ts";
import { pixKeyType } from "../countries/brazil/pix-keys.ts";
import { type TestCard, testCards } from "./orders/checkout.ts";

/** The initial content of a world: the lists in `fixtures/`, by the names of their files. */
export interface Fixtures {
  readonly companies: readonly CompanyFixture[];
  readonly "pix-keys": readonly PixKeyFixture[];
  readonly "known-payers": readonly KnownPayer[];
  readonly cards: readonly TestCard[];
  readonly "deposit-banks": readonly Omit<DepositBank, "id">[];
  readonly people: readonly RandomPerson[];
}

/** A company. Absent ids and secrets follow from the seed of a world and the id of the company. */
export interface CompanyFixture {
  readonly id: string;
  readonly name: string;
  readonly clientId?: string;
  readonly clientSecret?: string;
  readonly token: string;
  /** A valid token without the scope, to test 403. */
  readonly tokenWithoutScope?: string;
  readonly webhook: { readonly id?: string; readonly url: string | null; readonly secret: string };
  readonly accounts: readonly AccountFixture[];
}

interface AccountFixture extends Omit<Account, "id" | "companyId" | "createdAt" | "updatedAt"> {
  readonly id?: string;
  readonly createdAt: string;
  /** Opening balance in BRL, as a decimal string. */
  readonly balance: string;
}

/** A key of the fixtures: of an account of the sandbox, or of another institution. */
export type PixKeyFixture =
  | { readonly key: string; readonly accountId: string }
  | {
      readonly key: string;
      readonly owner: Person;
      readonly bank: BankAccount;
      readonly settlement?: PixKeySettlement;
    };

/** The fixtures of a world and its own settings. */
export interface Seeding {
  readonly fixtures: Fixtures;
  /** Appended to tokens and client ids, so that they name their world; empty for the default world. */
  readonly credentialSuffix: string;
  readonly assumptions: AssumptionValues;
  readonly webhookUrl: string | null;
  readonly faults?: readonly FaultDefinition[];
}

/** Fills an empty world: the same records in the same order, and so the same journal, at every start and reset. */
export function seedWorld(
  tx: Transaction,
  { fixtures, credentialSuffix, assumptions, webhookUrl, faults = [] }: Seeding,
): void {
  assume(tx, assumptions);
  overrideWebhookUrl(tx, webhookUrl);
  for (const company of fixtures.companies) seedCompany(tx, company, credentialSuffix);
  seedPixKeys(tx, fixtures["pix-keys"]);
  for (const bank of fixtures["deposit-banks"]) tx.put(depositBanks, { id: bank.slug, ...bank });
  for (const card of fixtures.cards) tx.put(testCards, card);
  for (const payer of fixtures["known-payers"]) tx.put(knownPayers, payer);
  for (const person of fixtures.people) tx.put(randomPeople, person);
  tx.log({ kind: "note", objectId: null, what: "world seeded" });
  for (const fault of faults) armFault(tx, fault);
}

function seedCompany(tx: Transaction, fixture: CompanyFixture, suffix: string): void {
  const { id, name, token, tokenWithoutScope } = fixture;
  const clientId = (fixture.clientId ?? id) + suffix;
  // A stream for each name: a value does not depend on the values that other fixtures leave out.
  const drawn = (what: string): string => tx.chance(`fixture ${id} ${what}`).uuid();
  const clientSecret = fixture.clientSecret ?? drawn("client secret");
  const webhook = { ...fixture.webhook, id: fixture.webhook.id ?? drawn("webhook") };
  const created = { createdAt: tx.now, updatedAt: tx.now };
  const unrotated = { formerSecrets: [], rotatedAt: null };
  tx.put(companies, { id, name, clientId, clientSecret, webhook: { ...webhook, ...unrotated, ...created } });
  tx.put(accessTokens, { id: token + suffix, companyId: id, scopes: [ORDER_SCOPE] });
  if (tokenWithoutScope !== undefined) {
    tx.put(accessTokens, { id: tokenWithoutScope + suffix, companyId: id, scopes: [] });
  }
  for (const account of fixture.accounts) {
    const { accountNumber } = account.bankAccountData;
    seedAccount(tx, id, { ...account, id: account.id?.toLowerCase() ?? drawn(`account ${accountNumber}`) });
  }
}

function seedAccount(
  tx: Transaction,
  companyId: string,
  { balance, ...fixture }: AccountFixture & { readonly id: string },
): void {
  const createdAt = assertDefined(
    parseInstant(fixture.createdAt),
    `the creation time of the account ${fixture.id}`,
  );
  const account: Account = { ...fixture, companyId, createdAt, updatedAt: createdAt };
  // An account of the fixtures may start in any state, without having been ACTIVE.
  tx.transition(accounts, account, { from: [], to: account.status });
  const amount = parseMoney("BRL", balance);
  if (amount === undefined) return;
  const to = availableOn(fixture.id);
  move(tx, { from: OUTSIDE, to, amount, memo: "opening balance", objectId: fixture.id });
}

/**
 * Enters the keys of the fixtures, and a random key for every open account without a key. Keys of unknown accounts
 * are skipped: a folder may have its own companies and no keys.
 */
function seedPixKeys(tx: Transaction, fixtures: readonly PixKeyFixture[]): void {
  for (const fixture of fixtures) {
    const { key } = fixture;
    const type = assertDefined(pixKeyType(key), `the type of the PIX key ${key}`);
    if ("accountId" in fixture) {
      const account = tx.get(accounts, fixture.accountId.toLowerCase());
      if (account !== undefined) giveKey(tx, account, { key, type });
    } else {
      const { owner, bank, settlement = null } = fixture;
      tx.put(pixKeys, { id: key, type, owner, bank, settlement, accountId: null });
    }
  }
  for (const account of tx.all(accounts)) {
    if (account.status === "CLOSED" || randomKeyOf(tx, account.id) !== undefined) continue;
    giveKey(tx, account, { key: tx.chance("pix-keys").uuid(), type: "RANDOM" });
  }
}

/** Gives a forked world its own credentials: the same tokens and client ids, under its own suffix. */
export function renewCredentials(tx: Transaction, { from, to }: { from: string; to: string }): void {
  const renewed = (credential: string): string => credential.slice(0, credential.length - from.length) + to;
  for (const company of Array.from(tx.all(companies)))
    tx.put(companies, { ...company, clientId: renewed(company.clientId) });
  for (const token of Array.from(tx.all(accessTokens))) {
    tx.delete(accessTokens, token.id);
    tx.put(accessTokens, { ...token, id: renewed(token.id) });
  }
}
