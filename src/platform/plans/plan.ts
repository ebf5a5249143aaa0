import type { StoredRecord } from "../../engine/collection.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { collection } from "../../engine/collection.ts";

/** What the outside can be told to answer, step by step. The first outcome of each is the good one: the default. */
export const planOutcomes = {
  "subscription.registration": ["REGISTERED", "ERROR"],
  "subscription.authorization": ["ACCEPTED", "REJECTED", "ERROR"],
  "cancellation.answer": ["ACCEPTED", "REJECTED", "ERROR"],
  "scheduled-payment.scheduling": ["ACCEPTED", "REJECTED", "ERROR"],
  "scheduled-payment.settlement": ["SETTLED", "SETTLEMENT_ERROR", "INSUFFICIENT_BALANCE", "ERROR"],
  "order.payment": ["PAID", "DECLINED", "EXPIRED"],
  "payout.settlement": ["PAID", "ERROR", "CANCELED"],
  "refund.outcome": ["REFUNDED", "REJECTED", "ERROR"],
  "claim.answer": ["COMPLETED", "DENIED"],
} as const satisfies Record<string, readonly [string, ...string[]]>;

export type PlanName = keyof typeof planOutcomes;
export type PlanOutcome<Name extends PlanName> = (typeof planOutcomes)[Name][number];

/** Outcomes in waiting; each step of the kind uses one. */
export interface Plan extends StoredRecord {
  readonly plan: PlanName;
  /** The one object it serves; null serves the next steps of the kind, whosever they are. */
  readonly on: string | null;
  readonly outcomes: readonly string[];
  readonly used: number;
}

export const plans = collection<Plan, "live">("plans", {
  live: (plan) => (plan.used < plan.outcomes.length ? liveKey(plan.plan, plan.on) : undefined),
});

export function isPlanName(name: string): name is PlanName {
  return Object.hasOwn(planOutcomes, name);
}

/** Arms a plan. Its outcomes were checked at the door. */
export function armPlan(tx: Transaction, { plan, on, outcomes }: Omit<Plan, "id" | "used">): Plan {
  const id = `plan-${tx.count("plans")}`;
  tx.log({
    kind: "plan-armed",
    objectId: on,
    plan,
    outcomes,
    armed: id,
    what: `plan ${plan}: ${outcomes.join(", ")}`,
  });
  return tx.put(plans, { id, plan, on, outcomes, used: 0 });
}

/**
 * Uses the next planned outcome of a step: from a plan for this object, for what it is about, or else from one
 * for any. Undefined where nothing is planned.
 */
export function takeOutcome<Name extends PlanName>(
  tx: Transaction,
  name: Name,
  objectId: string,
  subjectId: string = objectId,
): PlanOutcome<Name> | undefined {
  const [plan] = [objectId, subjectId, null].flatMap((on) => tx.find(plans, "live", liveKey(name, on)));
  if (plan === undefined) return undefined;
  const outcome = plan.outcomes[plan.used] as PlanOutcome<Name>;
  tx.put(plans, { ...plan, used: plan.used + 1 });
  tx.log({
    kind: "plan-used",
    objectId,
    plan: name,
    outcome,
    used: plan.id,
    what: `planned ${name}: ${outcome}`,
  });
  return outcome;
}

/** Hands what is left of the plans for one object to its successor, such as the resend of a charge. */
export function handPlansOn(
  tx: Transaction,
  name: PlanName,
  { from, to }: { from: string; to: string },
): void {
  for (const plan of tx.find(plans, "live", liveKey(name, from))) tx.put(plans, { ...plan, on: to });
}

function liveKey(plan: PlanName, on: string | null): string {
  return `${plan} ${on ?? "*"}`;
}

/** Takes every plan back. Gives how many there were. */
export function clearPlans(tx: Transaction): number {
  const armed = [...tx.all(plans)];
  for (const { id } of armed) tx.delete(plans, id);
  return armed.length;
}
