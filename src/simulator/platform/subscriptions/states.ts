import type { Transaction } from "../../engine/transaction.ts";
import { announceSubscription } from "./events.ts";
import { assumption } from "../assumptions/assumptions.ts";
import {
  type Subscription,
  authorization,
  expectedPayer,
  subscriptionLifecycle,
  subscriptions,
} from "./subscription.ts";
import { decisionOf, knownPayerOf } from "../payers/payer.ts";
import { later } from "../later.ts";
import { stateMachine } from "../state-machine.ts";

export const subscriptionStates = stateMachine(subscriptions, subscriptionLifecycle, {
  emit: announceSubscription,
  arm: {
    "subscription.authorization": scheduleAuthorization,
    "subscription.payer-cancellation": (tx, { id, payer }) => {
      const after = knownPayerOf(tx, payer)?.cancelsAfter;
      if (after !== undefined)
        tx.arm({
          kind: "subscription.payer-cancellation",
          owner: id,
          due: later(tx.now, after),
        });
    },
  },
});

/**
 * Schedules the payer's answer to the QR code, if the autopilot, a plan or a payer of the fixtures asks for it. On
 * journey 3 a plan does not pay: it decides the outcome of the authorization once the first charge is paid.
 */
export function scheduleAuthorization(tx: Transaction, subscription: Subscription): void {
  if (subscription.initialCharge === null || authorization.mode(tx) !== "manual") {
    authorization.schedule(tx, subscription);
    return;
  }
  const outcome = decisionOf(tx, authorization.name, { person: expectedPayer(subscription) });
  if (outcome === undefined) return;
  const due = later(tx.now, assumption(tx, "autopilot.payer-delay"));
  tx.arm({ kind: authorization.name, owner: subscription.id, due, input: { outcome } });
}
