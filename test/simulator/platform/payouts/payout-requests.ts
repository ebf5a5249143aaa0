import type { SandboxObject } from "../../../../src/server/access/sandbox-interface.ts";
import { ACME_ACCOUNT, type Answered, type Partner, payoutBody } from "../../../partner.ts";

export const PAYOUTS = "/order/v1/banking/order-payouts";
export const GLOBEX_ACCOUNT = "22222222-2222-4222-8222-222222222222";

export const RECEIVER = { name: "Maria Recebedora", document: { type: "CPF", number: "52998224725" } };

/** An account at another bank, with all its fields. */
export const BANK_ACCOUNT = {
  bankNumber: "341",
  accountType: "CHECKING_ACCOUNT",
  branchNumber: "0001",
  accountNumber: "123456",
};

/** What turns it into a TED to another bank. */
export const TED = { paymentMethod: "TED", receiver: RECEIVER, paymentData: { bankAccount: BANK_ACCOUNT } };

export function reais(value: string | number): object {
  return { currency: "BRL", value };
}

let keys = 0;

/** Asks for a payout; with a key of its own where none is given. */
export function askPayout(
  partner: Partner,
  changed: object = {},
  asked: { readonly key?: string; readonly token?: string } = {},
): Promise<Answered> {
  keys++;
  return partner.ask("POST", PAYOUTS, { body: payoutBody(changed), key: `key-${keys}`, ...asked });
}

/** Creates a payout and gives the answer's body. */
export async function createPayout(
  partner: Partner,
  changed: object = {},
  asked?: Parameters<typeof askPayout>[2],
): Promise<SandboxObject> {
  const answered = await askPayout(partner, changed, asked);
  if (answered.status !== 201) throw new Error(`no payout was created: ${JSON.stringify(answered.body)}`);
  return answered.body;
}

/** The payout as it now is. */
export async function payoutNow(partner: Partner, id: unknown): Promise<SandboxObject> {
  const { body } = await partner.ask("GET", `/sandbox/resources/payouts/${String(id)}`);
  return body;
}

/** What acme can spend. */
export async function acmeBalance(partner: Partner): Promise<string> {
  const { body } = await partner.ask("GET", `/order/v1/banking/accounts/${ACME_ACCOUNT}/balance`);
  return (body["balance"] as { value: string }).value;
}

/** The balance of an account of the ledger. */
export async function ledgerBalance(partner: Partner, account: string): Promise<string | undefined> {
  const { accounts } = await partner.sandbox.ledger();
  return accounts.find((one) => one.account === account)?.value;
}
