import type { Money } from "../../engine/money.ts";
import type { OrderFees } from "./order.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { assumption } from "../assumptions/assumptions.ts";
import { money } from "../../engine/money.ts";

const BASIS_POINTS = 10_000;

/** What an order costs besides its amount; nothing while the amount is open (assumption: order.fees). */
export function feesOf(tx: Transaction, currency: string, amount: Money | null): OrderFees {
  if (amount === null)
    return { fixed: money(currency, 0), variable: money(currency, 0), additional: money(currency, 0) };
  return {
    fixed: money(currency, assumption(tx, "order.fee-fixed")),
    variable: money(
      currency,
      Math.round((amount.minor * assumption(tx, "order.fee-variable")) / BASIS_POINTS),
    ),
    additional: money(currency, assumption(tx, "order.fee-additional")),
  };
}
