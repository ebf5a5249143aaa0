import type { Instant } from "../../core/instant.ts";
import type { Money } from "../../core/money.ts";
import type { OrderStatus } from "./lifecycle.ts";
import type { Payer } from "../payers/payer.ts";
import type { StoredRecord } from "../../core/collection.ts";
import { collection, compositeKey } from "../../core/collection.ts";

/** A pay-in order: money that someone is to pay into a company's account. */
export interface Order extends StoredRecord {
  readonly companyId: string;
  /** The account that is credited once the order is paid. */
  readonly accountId: string;
  /** The code of the order on the partner's system; events call it `code`. */
  readonly externalId: string;
  readonly paymentMethod: string;
  readonly status: OrderStatus;
  /** Null while the amount is open and nobody has paid. */
  readonly amount: Money | null;
  readonly paidAmount: Money | null;
  readonly description: string | null;
  readonly payer: Payer | null;
  readonly endToEndId: string | null;
  readonly paidAt: Instant | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  readonly expiresAt: Instant | null;
  readonly expiryTimer: string | null;
  readonly notificationUrl: string | null;
  /** The subscription the order came from (assumption: order.born-of-subscription). */
  readonly subscriptionId: string | null;
  readonly scheduledPaymentId: string | null;
  /** The id in the location its dynamic PIX QR code points to; null where there is no such code. */
  readonly pixLocation: string | null;
}

export const orders = collection<Order, "externalId" | "pixLocation">("orders", {
  pixLocation: (order) => order.pixLocation ?? undefined,
  externalId: (order) => compositeKey(order.companyId, order.externalId),
});
