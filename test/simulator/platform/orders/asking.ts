import type { Answered, Asked, Partner } from "../../../partner.ts";
import type { SandboxObject } from "../../../../src/server/access/sandbox-interface.ts";

export const MARIA = { name: "Maria da Silva", document: { type: "CPF", number: "52998224725" } };
export const JUANA = { name: "Juana Lopez", document: { type: "CURP", number: "SABC560626MDFLRN01" } };

export const CARDS = {
  approved: "4111111111111111",
  declined: "4000000000000002",
  insufficientFunds: "4000000000000200",
  challenged: "4000000000000101",
  challengedThenDeclined: "4000000000000309",
  unknown: "4242424242424242",
} as const;

/** Raw card data of a test card. */
export function card(number: string, changed: object = {}): object {
  return { holderName: "JUANA LOPEZ", number, securityCode: "123", expiration: "12/30", ...changed };
}

/** The methods of Brazil and of Mexico. */
export const BRAZIL = ["PIX", "EXCHANGE_PAY", "DEPOSIT", "BOLETO"];
export const MEXICO = ["CREDIT_CARD", "SPEI", "CASHSTORE", "CASHSTORE_WALLET", "NETWORK_PAYMENT"];

/** A valid request for a payment method; `order` is what a test changes in the order. */
export function orderBody(paymentMethod: string, order: object = {}, rest: object = {}): SandboxObject {
  const isMexican = MEXICO.includes(paymentMethod);
  return {
    customer: isMexican ? JUANA : MARIA,
    order: {
      externalId: "shop-1",
      paymentMethod,
      amount: { currency: isMexican ? "MXN" : "BRL", value: "150.00" },
      ...order,
    },
    ...(paymentMethod === "CREDIT_CARD" && { paymentDetails: { card: card(CARDS.approved) } }),
    ...rest,
  };
}

let keys = 0;

/** Asks for an order, with a key of its own unless one is given. */
export function askForOrder(
  partner: Partner,
  body: unknown,
  { version = "v2", ...asked }: Asked & { version?: "v2" | "v3" } = {},
): Promise<Answered> {
  return partner.ask("PUT", `/order/${version}/transparent`, { key: `key-${++keys}`, ...asked, body });
}

/** Makes an order; fails the test where it is refused. */
export async function makeOrder(
  partner: Partner,
  body: unknown,
  version: "v2" | "v3" = "v2",
): Promise<SandboxObject> {
  const { status, body: answer } = await askForOrder(partner, body, { version });
  if (status !== 200) throw new Error(`no order was made: ${JSON.stringify(answer)}`);
  return answer;
}

/** The order as it now is. */
export async function orderNow(partner: Partner, id: unknown): Promise<SandboxObject> {
  return (await partner.ask("GET", `/sandbox/resources/orders/${String(id)}`)).body;
}

/** The balance of an account of the ledger, as a decimal. */
export async function onLedger(partner: Partner, account: string, currency: string): Promise<string> {
  const { accounts } = (await partner.sandbox.ledger()) as unknown as { accounts: LedgerLine[] };
  return accounts.find((one) => one.account === account && one.currency === currency)?.value ?? "0.00";
}

interface LedgerLine {
  readonly account: string;
  readonly currency: string;
  readonly value: string;
}

/** A refused act, as the sandbox's own API answers it. */
export async function refusedAct(partner: Partner, act: string, input: object) {
  return partner.ask("POST", `/sandbox/acts/${act}`, { body: input });
}

export async function statusAfter(partner: Partner, id: unknown, duration: string): Promise<unknown> {
  await partner.advance(duration);
  return (await orderNow(partner, id))["status"];
}

export async function cardOrder(partner: Partner, number: string, changed: object = {}) {
  const paymentDetails = { card: card(number, changed) };
  return makeOrder(partner, orderBody("CREDIT_CARD", {}, { paymentDetails }));
}
