import type { Account } from "../accounts/account.ts";
import type { Call } from "../call.ts";
import type { CreateTransparentOrderV3Request, TransparentOrder } from "../../api/generated/shapes.ts";
import type { Order } from "./order.ts";
import type { Person } from "../payers/payer.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { accounts } from "../accounts/account.ts";
import { addDuration } from "../../engine/instant.ts";
import { assumption } from "../assumptions/assumptions.ts";
import { countryOf } from "./methods.ts";
import { feesOf } from "./fees.ts";
import { finalAmountOf } from "./order.ts";
import { validateOrder } from "./rules.ts";
import { assertDefined } from "../../engine/assertion.ts";
import { notFound } from "../refusals.ts";
import { offer } from "./offer.ts";
import { openOrder } from "./payment.ts";
import { parseMoney } from "../../engine/money.ts";
import { Problems } from "../problems.ts";
import { saoPaulo } from "../../countries/brazil/calendar.ts";
import { schedulePayment } from "./settlement.ts";
import { transactionId } from "../../countries/brazil/identifiers.ts";
import { transparentOrderShape } from "./transparent-shape.ts";

/** How long a dynamic PIX QR code lives unless the request says (interface: Create transparent order rule 3). */
const PIX_EXPIRY_SECONDS = 86_400;

/**
 * Creates a transparent order (interface: Endpoints 7; assumption: order.v3). Both versions come here: whether
 * the amount may be left out is for their schemas to say.
 */
export function createTransparentOrder(
  tx: Transaction,
  call: Call<CreateTransparentOrderV3Request>,
): TransparentOrder {
  const problems = new Problems(call.problems);
  const account = receivingAccount(tx, call.companyId);
  validateOrder(tx, call, { account, problems });
  problems.refuse();
  if (account === undefined) throw notFound();
  const order = open(tx, call, account);
  schedulePayment(tx, order);
  return transparentOrderShape(order, call);
}

/** Orders name no account: the company's oldest one that is ACTIVE receives (assumption: order.account). */
function receivingAccount(tx: Transaction, companyId: string): Account | undefined {
  return tx.find(accounts, "company", companyId).find(({ status }) => status === "ACTIVE");
}

function open(
  tx: Transaction,
  { body, companyId }: Call<CreateTransparentOrderV3Request>,
  account: Account,
): Order {
  const { order, customer } = body;
  const { currency } = assertDefined(countryOf(order.paymentMethod), "the country of a payment method");
  const amount = order.amount
    ? assertDefined(parseMoney(currency, order.amount.value), "a checked amount")
    : null;
  const fees = feesOf(tx, currency, amount);
  const expiresAt = expiryOf(tx, order);
  const pixLocation = order.paymentMethod === "PIX" ? transactionId(tx.chance("order-locations")) : null;
  const finalAmount = finalAmountOf({ amount, fees });
  return openOrder(tx, {
    companyId,
    accountId: account.id,
    externalId: order.externalId,
    paymentMethod: order.paymentMethod,
    amount,
    fees,
    description: order.description ?? null,
    customer: customer ? personOf(customer) : null,
    expiresAt,
    notificationUrl: order.notificationUrl ?? null,
    returnUrl: order.returnUrl ?? null,
    pixLocation,
    checkout: offer(tx, { body, account, finalAmount, expiresAt, pixLocation }),
  });
}

/** Assumption: order.expiry. */
function expiryOf(tx: Transaction, order: CreateTransparentOrderV3Request["order"]): number {
  if (order.paymentMethod === "PIX") return tx.now + (order.expiresIn ?? PIX_EXPIRY_SECONDS) * 1000;
  const id = order.paymentMethod === "BOLETO" ? "order.boleto-expiry" : "order.default-expiry";
  return addDuration(tx.now, assumption(tx, id), saoPaulo);
}

function personOf({ name, document }: NonNullable<CreateTransparentOrderV3Request["customer"]>): Person {
  return { name, document: { type: document.type, number: document.number.toUpperCase() } };
}
