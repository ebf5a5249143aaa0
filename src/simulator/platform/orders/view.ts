import type { Records } from "../../engine/store.ts";
import type { Call } from "../call.ts";
import type { Checkout, OrderFees } from "./checkout.ts";
import type { TransparentOrder } from "../../api/generated/shapes.ts";
import { amountShape, omitNulls, timestampOrNull } from "../shape.ts";
import { assertDefined } from "../../engine/assertion.ts";
import { type Order, finalAmountOf } from "./order.ts";
import { formatInstant } from "../../engine/instant.ts";
import { formatMoney } from "../../engine/money.ts";
import { openDispute } from "../refunds/dispute.ts";
import { qrImage } from "../undrawn-qr-image.ts";

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
function payUrl({ origin, worldId }: Site, orderId: string, place = ""): string {
  return `${origin()}/pay/${worldId}/${orderId}${place}`;
}

/** The order as `/sandbox/resources/orders` shows it: the platform API has no read of an order. */
export function orderView(order: Order, records: Records) {
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
