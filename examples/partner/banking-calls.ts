import type { BankingCall } from "./banking-service.ts";

/** An amount of money as the platform writes it: a decimal as text, so that it is not rounded. */
export interface Amount {
  readonly currency: "BRL";
  readonly value: string;
}

export interface Person {
  readonly name: string;
  readonly document: { readonly type: "CPF"; readonly number: string };
}

/** A new subscription: its id, and the text of the QR code that the member scans. */
export interface NewSubscription {
  readonly id: string;
  readonly status: string;
  readonly qrcodeData: string;
}

/** An order that a person pays, with the text of its QR code. */
export interface NewOrder {
  readonly id: string;
  readonly qrcodeData: string;
}

/** One charge of a subscription. */
export interface Charge {
  readonly id: string;
  readonly externalId: string;
  readonly status: string;
}

/** The platform takes no key here: a second call with the same externalId is refused. */
export function newSubscription(subscription: {
  readonly accountId: string;
  readonly externalId: string;
  readonly startDate: string;
  readonly fixedAmount: Amount;
  readonly debtor: Person;
  readonly webhookUrl: string;
}): BankingCall {
  const body = { type: "AUTHORIZATION_QRCODE", frequencyType: "MONTHLY", ...subscription };
  return { method: "POST", path: "/order/v1/banking/subscriptions", body };
}

/** Safe to repeat without a key: the same externalId and body return the same charge. */
export function newCharge(
  subscriptionId: string,
  body: { readonly externalId: string; readonly dueDate: string; readonly amount: Amount },
): BankingCall {
  return { method: "PUT", path: `/public/v1/banking/subscriptions/${subscriptionId}/payments`, body };
}

/** An order that its customer pays by PIX. */
export function newOrder(
  customer: Person,
  order: { readonly externalId: string; readonly amount: Amount; readonly notificationUrl: string },
): BankingCall {
  const body = { customer, order: { paymentMethod: "PIX", ...order } };
  return { method: "PUT", path: "/order/v2/transparent", body };
}

export function newRefund(body: {
  readonly orderId: string;
  readonly amount: string;
  readonly reason: string;
  readonly requestedBy: { readonly name: string; readonly email: string };
}): BankingCall {
  return { method: "PUT", path: "/order/v2/refund", body };
}

export function newPayout(body: {
  readonly accountId: string;
  readonly externalId: string;
  readonly amount: Amount;
  readonly paymentData: { readonly pixKey: string };
  readonly description: string;
}): BankingCall {
  return { method: "POST", path: "/order/v1/banking/order-payouts", body: { paymentMethod: "PIX", ...body } };
}
