import type { Call } from "../call.ts";
import type { CreateTransparentOrderV3Request, TransparentOrder } from "../../api/generated/shapes.ts";
import { personOf } from "../payers/payer.ts";
import { type Transaction } from "../../engine/transaction.ts";
import { rejectUnpaid } from "../subscriptions/commands.ts";
import { type Account, accounts } from "../accounts/account.ts";
import { type Order, finalAmountOf, isPayable, orderLifecycle, orderPayment, orders } from "./order.ts";
import { assertDefined } from "../../engine/assertion.ts";
import { assumption } from "../assumptions/assumptions.ts";
import { boletoDueDate, countryOf, feesOf, offer } from "./checkout.ts";
import {
  confirmPayment,
  expireOrder,
  openOrder,
  amountToPay,
  paymentObstacle,
  settleBy,
} from "./commands.ts";
import { defineResource, handle, timerOf } from "../resource.ts";
import { disputeLifecycle } from "../refunds/dispute.ts";
import { parseMoney } from "../../engine/money.ts";
import { notFound } from "../refusals.ts";
import { orderView, transparentOrderView } from "./view.ts";
import { Problems } from "../problems.ts";
import { addDays, instantAt, localDate } from "../../countries/brazil/calendar.ts";
import { later } from "../later.ts";
import { nextBankBusinessDay } from "../../countries/brazil/bank-days.ts";
import { schedulePayment } from "./states.ts";
import { transactionId } from "../../countries/brazil/identifiers.ts";
import { validateOrder } from "./rules.ts";
import { acceptBy, orderActs } from "./acts.ts";
import { orderApi } from "./operations.ts";

/** The default time in which a dynamic PIX QR code can be paid (interface: Create transparent order rule 3). */
const PIX_EXPIRY_SECONDS = 86_400;

export const orderResource = defineResource({
  name: "orders",
  api: orderApi,
  origin: {
    says: "Your client makes one, and its payer pays on the page of the order.",
    operation: "createTransparentOrder",
  },
  scenario: "orders/pix-paid.yaml",
  collection: orders,
  view: orderView,
  lifecycles: [orderLifecycle, disputeLifecycle],
  operations: { createTransparentOrder, createTransparentOrderV3: createTransparentOrder },
  acts: orderActs,
  steps: [
    handle(orderPayment, {
      decide: (tx, order, decided) => {
        if (!isPayable(order)) return;
        const outcome = orderPayment.outcome(tx, order, decided);
        const isFirstCharge = order.subscriptionId !== null;
        if (
          isFirstCharge &&
          outcome === "PAID" &&
          paymentObstacle(tx, order, amountToPay(tx, order)) === null
        )
          acceptBy(tx, order.subscriptionId, {});
        else rejectUnpaid(tx, settleBy(tx, order, outcome));
      },
      // A plan replaces an earlier decision, even for an order that is under review or paid in part.
      plannedIn: ["ANALYSIS", "PARTIALLY_PAID"],
      wake: (tx, id) => {
        const order = tx.get(orders, id);
        if (order === undefined) return;
        tx.disarm(orderPayment.name, id);
        schedulePayment(tx, order);
      },
    }),
  ],
  timers: [
    timerOf(orders, "order.expire", (tx, order) => rejectUnpaid(tx, expireOrder(tx, order))),
    timerOf(orders, "order.confirmation", confirmPayment),
  ],
});

/** Creates a transparent order of either version (interface: Endpoints 7; assumption: order.v3). */
function createTransparentOrder(
  tx: Transaction,
  call: Call<CreateTransparentOrderV3Request>,
): TransparentOrder {
  const problems = new Problems(call.problems);
  const account = receivingAccount(tx, call.companyId);
  validateOrder(tx, call, { account, problems });
  problems.refuse();
  if (account === undefined) throw notFound();
  return transparentOrderView(open(tx, call, account), call);
}

/**
 * Returns the receiving account of an order: the company's oldest ACTIVE account, because orders name no account
 * (assumption: order.account).
 */
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
    checkout: offer(tx, { body, account, finalAmount, pixLocation }),
  });
}

/** Assumption: order.expiry. */
function expiryOf(tx: Transaction, order: CreateTransparentOrderV3Request["order"]): number {
  if (order.paymentMethod === "PIX") return tx.now + (order.expiresIn ?? PIX_EXPIRY_SECONDS) * 1000;
  if (order.paymentMethod === "BOLETO") {
    const due = instantAt(boletoDueDate(tx), "00:00");
    const lastDay = localDate(later(due, assumption(tx, "order.boleto-grace")));
    return instantAt(addDays(nextBankBusinessDay(lastDay), 1), "00:00");
  }
  return later(tx.now, assumption(tx, "order.default-expiry"));
}
