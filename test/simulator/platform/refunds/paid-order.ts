import { randomUUID } from "node:crypto";
import type { SandboxObject } from "../../../../src/server/access/sandbox-interface.ts";
import { type Answered, type Asked, type Partner, createSubscription } from "../../../partner.ts";

export interface PaidOrder {
  readonly orderId: string;
  readonly code: string;
  readonly subscriptionId: string;
}

/** An order of 59.90 that its payer has paid: the first charge of a journey 3 subscription. */
export async function paidOrder(partner: Partner, externalId = "subscription-1"): Promise<PaidOrder> {
  const order = await openOrder(partner, externalId);
  await partner.act("order.pay", { id: order.orderId });
  return order;
}

/** The same, not paid yet. */
export async function openOrder(partner: Partner, externalId = "subscription-1"): Promise<PaidOrder> {
  const created = await createSubscription(partner, {
    externalId,
    type: "AUTHORIZATION_QRCODE_IMMEDIATE_PAYMENT",
    initialCharge: { amount: { currency: "BRL", value: "59.90" } },
  });
  const { orderId, conciliationId } = created["initialCharge"] as { orderId: string; conciliationId: string };
  return { orderId, code: conciliationId, subscriptionId: created["id"] as string };
}

/** A valid refund of an order; what a test is about, it writes over it. */
export function refundBody(orderId: string, changed: object = {}): SandboxObject {
  return {
    orderId,
    reason: "The gym is closed",
    requestedBy: { name: "Ana Lima", email: "ana@partner.example" },
    amount: "59.90",
    ...changed,
  };
}

/** Asks for a refund, under a key of its own unless one is given. */
export function refund(partner: Partner, body: unknown, asked: Asked = {}): Promise<Answered> {
  return partner.ask("PUT", "/order/v2/refund", { body, key: randomUUID(), ...asked });
}

/** Asks for a refund that has to be accepted, and gives it. */
export async function refunded(partner: Partner, orderId: string, amount: string): Promise<SandboxObject> {
  const { status, body } = await refund(partner, refundBody(orderId, { amount }));
  if (status !== 200) throw new Error(`the refund was refused: ${JSON.stringify(body)}`);
  return body;
}

/** An object of `/sandbox/resources`, as it is now. */
export async function resource(partner: Partner, collection: string, id: string): Promise<SandboxObject> {
  return (await partner.ask("GET", `/sandbox/resources/${collection}/${id}`)).body;
}

/** The balance of a ledger account, as decimal text. */
export async function ledgerBalance(partner: Partner, account: string, currency = "BRL"): Promise<string> {
  const { accounts } = await partner.sandbox.ledger();
  return accounts.find((one) => one.account === account && one.currency === currency)?.value ?? "0.00";
}
