import type { Call } from "../call.ts";
import type { Order, OrderFees } from "./order.ts";
import type { TransparentOrder } from "../../api/generated/shapes.ts";
import { amountShape, omitNulls } from "../shape.ts";
import { finalAmountOf } from "./order.ts";
import { formatInstant } from "../../engine/instant.ts";
import { formatMoney } from "../../engine/money.ts";
import { assertDefined } from "../../engine/assertion.ts";
import { payUrl } from "./pay-url.ts";
import { qrImage } from "../qr-image.ts";

/** Where the payer's pages are: the host the request came to, and the world the order is in. */
type Site = Pick<Call, "origin" | "worldId">;

/** The order as its creation answers (interface: Create transparent order, response groups). */
export function transparentOrderShape(order: Order, site: Site): TransparentOrder {
  const final = finalAmountOf(order);
  return {
    id: order.id,
    externalId: order.externalId,
    status: order.status,
    ...wayToPay(order, site),
    ...omitNulls({
      fees: order.fees && feesShape(order.fees),
      finalAmount: final && amountShape(final),
      errorMessage: order.errorMessage,
      description: order.description,
    }),
  };
}

export function feesShape({ fixed, variable, additional }: OrderFees) {
  return {
    fixed: formatMoney(fixed),
    variable: formatMoney(variable),
    additional: formatMoney(additional),
  };
}

/** The response group that belongs to the payment method, and nothing of the others. */
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
