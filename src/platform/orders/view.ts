import type { Call } from "../call.ts";
import type { Checkout, OrderFees } from "./checkout.ts";
import type { EventName } from "../state-machine.ts";
import type { Transaction } from "../../engine/transaction.ts";
import type { TransparentOrder } from "../../api/generated/shapes.ts";
import { amountShape, omitNulls, timestampOrNull } from "../shape.ts";
import { announce } from "../webhook-events/announcement.ts";
import { assumption } from "../assumptions/assumptions.ts";
import { assertDefined } from "../../engine/assertion.ts";
import { companyOf } from "../companies/company.ts";
import { type Order, finalAmountOf, type orderLifecycle, orders } from "./order.ts";
import { formatInstant } from "../../engine/instant.ts";
import { formatMoney } from "../../engine/money.ts";
import { openDispute } from "../refunds/dispute.ts";
import { qrImage } from "../undrawn-qr-image.ts";
import { scheduledPayments } from "../scheduled-payments/scheduled-payment.ts";
import { subscriptions } from "../subscriptions/subscription.ts";

/** The address of the payer's pages: the host of the request, and the world of the order. */
type Site = Pick<Call, "origin" | "worldId">;

/** The order as its creation answers (interface: Create transparent order, response groups). */
export function transparentOrderView(order: Order, site: Site): TransparentOrder {
  const final = finalAmountOf(order);
  return {
    id: order.id,
    externalId: order.externalId,
    status: order.status,
    ...wayToPay(order, site),
    ...omitNulls({
      fees: order.fees && feesView(order.fees),
      finalAmount: final && amountShape(final),
      errorMessage: order.errorMessage,
      description: order.description,
    }),
  };
}

function feesView({ fixed, variable, additional }: OrderFees) {
  return {
    fixed: formatMoney(fixed),
    variable: formatMoney(variable),
    additional: formatMoney(additional),
  };
}

/** Returns the response group of the payment method, without the other groups. */
function wayToPay(order: Order, site: Site): Partial<TransparentOrder> {
  const checkout = assertDefined(order.checkout, `what the order ${order.id} gives to pay with`);
  const url = (place = ""): string => payUrl(site, order.id, place);
  switch (checkout.kind) {
    case "pix":
      return {
        qrcodeImageUrl: url("/qrcode.png"),
        qrcodeImageBase64: qrImage(checkout.qrcodeData),
        qrcodeData: checkout.qrcodeData,
        ...(order.expiresAt !== null && { qrcodeExpiresAt: formatInstant(order.expiresAt) }),
      };
    case "app":
      return { deeplink: url("/app"), universalUrl: url() };
    case "card": {
      const { status, accessToken } = checkout.card.threeDs;
      return {
        threeDs: { status, ...(accessToken !== null && { challengeUrl: url("/3ds"), accessToken }) },
      };
    }
    case "transfer": {
      const { clabe, beneficiary, bankCode } = checkout;
      return { bankAccount: { clabe, beneficiary, bankCode } };
    }
    case "page":
      return { checkoutUrl: url(), token: checkout.token };
  }
}

/** The address of an order's page for its payer, or of a place under it (`/3ds`); it carries its world. */
function payUrl({ origin, worldId }: Pick<Call, "origin" | "worldId">, orderId: string, place = ""): string {
  return `${origin}/pay/${worldId}/${orderId}${place}`;
}

/** The order as `/sandbox/resources/orders` shows it: the interface has no read of an order. */
export function orderView(order: Order, records: Pick<Transaction, "find">) {
  const disputed = openDispute(records, order.id)?.amount;
  const final = finalAmountOf(order);
  const { id, externalId, status, paymentMethod, accountId } = order;
  return {
    id,
    externalId,
    status,
    paymentMethod,
    accountId,
    createdAt: formatInstant(order.createdAt),
    updatedAt: formatInstant(order.updatedAt),
    paidAt: timestampOrNull(order.paidAt),
    endToEndId: order.endToEndId,
    ...omitNulls({
      amount: order.amount && amountShape(order.amount),
      finalAmount: final && amountShape(final),
      paidAmount: order.paidAmount && amountShape(order.paidAmount),
      refundedAmount: order.refundedAmount && amountShape(order.refundedAmount),
      disputedAmount: disputed ? amountShape(disputed) : null,
      errorMessage: order.errorMessage,
      customer: order.customer,
      description: order.description,
      payer: order.payer && omitNulls(order.payer),
      expiresAt: timestampOrNull(order.expiresAt),
      confirmsAt: timestampOrNull(order.confirmation?.at ?? null),
      subscriptionId: order.subscriptionId,
      scheduledPaymentId: order.scheduledPaymentId,
      fees: order.fees && feesView(order.fees),
    }),
    ...(order.checkout && checkoutView(order.checkout)),
  };
}

/** The means of payment. They depend on the payment method. */
interface CheckoutView {
  readonly qrcodeData?: string;
  readonly pixKey?: string;
  readonly lastDigits?: string;
  readonly brand?: string;
  readonly installments?: number;
  readonly threeDs?: object;
  readonly bankAccount?: { readonly clabe: string; readonly beneficiary: string; readonly bankCode: string };
  readonly token?: string;
  readonly slip?: object;
  readonly bank?: object;
  readonly reference?: string;
}

/** Returns the means of payment of the customer, without the addresses of pages, which depend on the caller. */
function checkoutView(checkout: Checkout): CheckoutView {
  switch (checkout.kind) {
    case "pix":
      return { qrcodeData: checkout.qrcodeData, pixKey: checkout.pixKey };
    case "app":
      return {};
    case "card": {
      const { lastDigits, brand, installments, threeDs } = checkout.card;
      return omitNulls({ lastDigits, brand, installments, threeDs: omitNulls(threeDs) });
    }
    case "transfer": {
      const { clabe, beneficiary, bankCode } = checkout;
      return { bankAccount: { clabe, beneficiary, bankCode } };
    }
    case "page": {
      const { token, slip, bank, reference } = checkout;
      return omitNulls({ token, slip, bank, reference });
    }
  }
}

const MESSAGES: Readonly<Record<EventName<typeof orderLifecycle>, string>> = {
  "ORDER-PAYIN.PAID": "The order was paid.",
  "ORDER-PAYIN.PARTIALLY_PAID": "The order was paid in part.",
  "ORDER-PAYIN.EXPIRED": "The order expired before it was paid.",
  "ORDER-PAYIN.CANCELED": "The order was canceled.",
  "ORDER-PAYIN.ERROR": "The payment of the order failed.",
};

/** The events that are sent in any case (assumption: order.events). */
const TELLS_OF_MONEY: ReadonlySet<string> = new Set(["ORDER-PAYIN.PAID", "ORDER-PAYIN.PARTIALLY_PAID"]);

/** Sends the new status of an order to the company (assumption: order.events). */
export function announceOrder(tx: Transaction, order: Order, event: EventName<typeof orderLifecycle>): void {
  if (assumption(tx, "order.events") === "paid" && !TELLS_OF_MONEY.has(event)) return;
  const amount = order.paidAmount ?? finalAmountOf(order);
  announce(tx, {
    companyId: order.companyId,
    event,
    collection: orders.name,
    objectId: order.id,
    url: orderEventUrl(tx, order),
    body: {
      id: order.id,
      code: order.externalId,
      event,
      status: order.status,
      type: "PAY-IN",
      paidAt: timestampOrNull(order.paidAt),
      updatedAt: formatInstant(order.updatedAt),
      endToEndId: order.endToEndId,
      message: order.errorMessage ?? MESSAGES[event],
      ...(order.description !== null && { description: order.description }),
      ...(amount && { amount: amountShape(amount) }),
      ...(order.payer && { payer: { name: order.payer.name, document: order.payer.document } }),
      ...originOf(tx, order),
    },
  });
}

/** The subscription and the scheduled payment an order came from, for its events and those of its refunds. */
export function originOf(tx: Transaction, order: Order): object {
  const subscription = tx.get(subscriptions, order.subscriptionId ?? "");
  const payment = tx.get(scheduledPayments, order.scheduledPaymentId ?? "");
  return {
    ...(subscription && { subscription: { id: subscription.id, code: subscription.externalId } }),
    ...(payment && { scheduledPayment: { id: payment.id, externalId: payment.externalId } }),
  };
}

/**
 * Returns the URL for an order's events: its own notification URL, or the company's URL, or the URL of its
 * subscription.
 */
export function orderEventUrl(tx: Transaction, order: Order): string | null {
  if (order.notificationUrl !== null) return order.notificationUrl;
  const subscription = tx.get(subscriptions, order.subscriptionId ?? "");
  return companyOf(tx, order.companyId).webhook.url ?? subscription?.webhookUrl ?? null;
}
