import type { CardState, ThreeDsState } from "./checkout.ts";
import type { Order } from "./order.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { endOrder } from "./payment.ts";
import { illegalAct } from "../refusals.ts";
import { awaitsChallenge, orders } from "./order.ts";
import { orderLifecycle } from "./lifecycle.ts";
import { paymentOutcome, settleBy } from "./settlement.ts";
import { requireAction } from "../transition.ts";

const CHALLENGE_FAILED = "The 3-D Secure challenge was not passed.";

/** The customer passes the 3-D Secure challenge; the issuer of the card then answers at once. */
export function passChallenge(tx: Transaction, order: Order): Order {
  requireAction(orderLifecycle, order, "pass-challenge");
  const card = challengedCard(order);
  const pending = endOrder(tx, withThreeDs(tx, order, card, "AUTHENTICATED"), "pass-challenge");
  return settleBy(tx, pending, paymentOutcome(tx, pending));
}

/** The customer fails the 3-D Secure challenge or leaves it: the order cannot be paid any more. */
export function failChallenge(tx: Transaction, order: Order): Order {
  requireAction(orderLifecycle, order, "fail-challenge");
  const card = challengedCard(order);
  return endOrder(tx, withThreeDs(tx, order, card, "FAILED"), "fail-challenge", CHALLENGE_FAILED);
}

function challengedCard(order: Order): CardState {
  if (order.checkout?.kind === "card" && awaitsChallenge(order)) return order.checkout.card;
  throw illegalAct(
    `Failed to take the 3-D Secure challenge of the order ${order.id}: it has none. Make a CREDIT_CARD order with skipThreeDs false, or with a test card that is challenged.`,
  );
}

function withThreeDs(tx: Transaction, order: Order, card: CardState, status: ThreeDsState["status"]): Order {
  const threeDs = { ...card.threeDs, status };
  return tx.put(orders, { ...order, checkout: { kind: "card", card: { ...card, threeDs } } });
}
