import type { JournalEntry } from "../../../../src/simulator/engine/journal.ts";
import type { Simulation } from "../../../../src/simulator/engine/simulation.ts";
import { deliveries } from "../../../../src/simulator/platform/webhook-events/delivery.ts";
import { isBalanced } from "../../../../src/simulator/platform/ledger/ledger.ts";
import { assertDefined } from "../../../../src/simulator/engine/assertion.ts";
import { localDate, localTime } from "../../../../src/simulator/countries/brazil/calendar.ts";
import { orders } from "../../../../src/simulator/platform/orders/order.ts";
import {
  type ScheduledPayment,
  scheduledPayments,
} from "../../../../src/simulator/platform/scheduled-payments/scheduled-payment.ts";
import { subscriptions } from "../../../../src/simulator/platform/subscriptions/subscription.ts";

type Records = Simulation["records"];

/** Checks the invariants of charges after a command; throws with the broken one. */
export function holdChargesToTheirLaws({ records }: Simulation, entry: JournalEntry): void {
  demand(isBalanced(records), "the books balance");
  for (const change of entry.changes) {
    if (change.collection !== deliveries.name || change.before !== undefined) continue;
    tellsTheTruth(records, (change.after as unknown as { body: string }).body);
  }
  const charges = [...records.all(scheduledPayments)];
  for (const charge of charges) {
    settlesOnce(records, charge);
    if (charge.purpose === "RESEND_DUE_TO_SETTLEMENT_ERROR") isProperResend(records, charge);
  }
  for (const cycle of Map.groupBy(
    charges,
    ({ subscriptionId, cycle }) => `${subscriptionId} ${cycle}`,
  ).values())
    isProperCycle(cycle);
}

/** Every webhook's status is the object's status at that moment. */
function tellsTheTruth(records: Records, body: string): void {
  const { data, event } = JSON.parse(body) as { event: string; data?: { id: string; status: string } };
  if (data === undefined) return;
  const object = records.get(scheduledPayments, data.id) ?? records.get(subscriptions, data.id);
  demand(object?.status === data.status, `${event} says ${data.status} of what is ${object?.status}`);
}

/** A charge is a paid order if, and only if, it is completed; and then it is one order. */
function settlesOnce(records: Records, charge: ScheduledPayment): void {
  const paid = [...records.all(orders)].filter(({ scheduledPaymentId }) => scheduledPaymentId === charge.id);
  demand(
    paid.length === (charge.status === "COMPLETED" ? 1 : 0),
    `${charge.status} with ${paid.length} orders`,
  );
}

/** A resend is of the settlement date, before 21:00, at most the third, and of a charge the partner created. */
function isProperResend(records: Records, resend: ScheduledPayment): void {
  demand(localDate(resend.createdAt) === resend.settlementDate, "a resend is created on the settlement date");
  demand(localTime(resend.createdAt) < "21:00:00", "a resend is created before 21:00");
  let steps = 0;
  let original = resend;
  while (original.purpose === "RESEND_DUE_TO_SETTLEMENT_ERROR") {
    const of = assertDefined(original.originalScheduledPaymentId, "what a resend resends");
    original = assertDefined(records.get(scheduledPayments, of), "the charge that is resent");
    demand(
      original.status === "CANCELED" && original.canceledFor === "SETTLEMENT_ERROR",
      "only an error is resent",
    );
    steps++;
  }
  demand(
    resend.settlementErrorRetryRootId === original.id,
    "the root is the charge that the partner created",
  );
  demand(resend.settlementErrorRetryAttempt === steps && steps <= 3, "resends are counted, up to three");
}

/** In a cycle one charge is live, and its new attempts are few, on days of their own. */
function isProperCycle(charges: readonly ScheduledPayment[]): void {
  const live = charges.filter(
    ({ status, resendAt }) => ["PENDING", "ACCEPTED", "COMPLETED"].includes(status) || resendAt !== null,
  );
  demand(live.length <= 1, `${live.length} live charges share a cycle`);
  const tried = charges.filter(
    ({ purpose, status, canceledFor }) =>
      purpose === "NEW_ATTEMPT_AFTER_DUE_DATE" &&
      status !== "REJECTED" &&
      (status !== "CANCELED" || canceledFor === "SETTLEMENT_ERROR"),
  );
  for (const attempts of Map.groupBy(tried, (charge) => charge.originalScheduledPaymentId).values()) {
    demand(attempts.length <= 3, `${attempts.length} new attempts`);
    const days = new Set(attempts.map(({ settlementDate }) => settlementDate));
    demand(days.size === attempts.length, "new attempts share a day");
  }
}

function demand(isKept: boolean, law: string): void {
  if (!isKept) throw new Error(`broken: ${law}`);
}
