import type { StoredRecord } from "../engine/collection.ts";
import type { Transaction } from "../engine/transaction.ts";
import { collection } from "../engine/collection.ts";

/** What the outside is to answer to the next steps of a kind; each step uses one outcome. */
export interface Plan extends StoredRecord {
  /** The name of the step. */
  readonly plan: string;
  /** The one object it is for; null for the next steps of the kind, of whichever object. */
  readonly on: string | null;
  readonly outcomes: readonly string[];
  readonly used: number;
}

export const plans = collection<Plan, "unused">("plans", {
  unused: (plan) => (plan.used < plan.outcomes.length ? planKey(plan.plan, plan.on) : undefined),
});

/** Stores a plan. The caller has checked its outcomes, and knows the collection of the object that it is for. */
export function armPlan(
  tx: Transaction,
  { plan, on, outcomes }: Omit<Plan, "id" | "used">,
  collection: string | null = null,
): Plan {
  const id = `plan-${tx.count("plans")}`;
  tx.log({
    kind: "plan-armed",
    objectId: on,
    ...(collection !== null && { collection }),
    plan,
    outcomes,
    armed: id,
    what: `plan ${plan}: ${outcomes.join(", ")}`,
  });
  return tx.put(plans, { id, plan, on, outcomes, used: 0 });
}

/**
 * Uses the next planned outcome of a step: from a plan for one of these objects, in their order, or else from a plan
 * for any. Undefined where nothing is planned.
 */
export function takePlanned(
  tx: Transaction,
  name: string,
  { objectIds, collection }: { readonly objectIds: readonly string[]; readonly collection: string },
): string | undefined {
  const [plan] = [...objectIds, null].flatMap((on) => tx.find(plans, "unused", planKey(name, on)));
  if (plan === undefined) return undefined;
  const outcome = plan.outcomes[plan.used]!;
  tx.put(plans, { ...plan, used: plan.used + 1 });
  tx.log({
    kind: "plan-used",
    objectId: objectIds[0] ?? null,
    collection,
    plan: name,
    outcome,
    used: plan.id,
    what: `planned ${name}: ${outcome}`,
  });
  return outcome;
}

/** Gives the unused plans for one object to its successor, such as the resend of a charge. */
export function movePlans(tx: Transaction, name: string, { from, to }: { from: string; to: string }): void {
  for (const plan of tx.find(plans, "unused", planKey(name, from))) tx.put(plans, { ...plan, on: to });
}

/** Removes every plan. Returns how many there were. */
export function clearPlans(tx: Transaction): number {
  const armed = [...tx.all(plans)];
  for (const { id } of armed) tx.delete(plans, id);
  return armed.length;
}

function planKey(plan: string, on: string | null): string {
  return `${plan} ${on ?? "*"}`;
}
