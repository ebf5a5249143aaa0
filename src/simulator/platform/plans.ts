import type { Records } from "../engine/store.ts";
import { type Transaction, recordOf } from "../engine/transaction.ts";
import { type StoredRecord, collection } from "../engine/collection.ts";

/** The answers of the outside to the next steps of a kind. Each step uses one outcome. */
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

/** The owner of a plan that came with a call. Until the made object has an id, the plan has this owner. */
const CALL = "call";

/**
 * Stores the plans of a call that is about to be answered. `bindCallPlan` gives each plan to the object that the call
 * has made.
 */
export function openCallPlan(tx: Transaction, { plan, outcomes }: Pick<Plan, "plan" | "outcomes">): Plan {
  return tx.put(plans, { id: `plan-${tx.count("plans")}`, plan, on: CALL, outcomes, used: 0 });
}

/** Gives the plan of a call to an object. If the call itself has used all of it, the plan gets no object. */
export function bindCallPlan(
  tx: Transaction,
  { id }: Plan,
  { on, collection }: { readonly on: string | null; readonly collection: string | null },
): void {
  const plan = recordOf(tx, plans, id);
  tx.put(plans, { ...plan, on });
  logArmed(tx, { ...plan, on }, collection);
}

/** Returns the number of used outcomes of a call's plan. */
export function usedOutcomes(tx: Records, { id }: Plan): number {
  return tx.get(plans, id)?.used ?? 0;
}

/** Stores a plan. The caller has checked its outcomes, and knows the collection of the object that it is for. */
export function armPlan(
  tx: Transaction,
  { plan, on, outcomes }: Omit<Plan, "id" | "used">,
  collection: string | null = null,
): Plan {
  const armed = { id: `plan-${tx.count("plans")}`, plan, on, outcomes, used: 0 };
  logArmed(tx, armed, collection);
  return tx.put(plans, armed);
}

function logArmed(tx: Transaction, { id, plan, on, outcomes }: Plan, collection: string | null): void {
  tx.log({
    kind: "plan-armed",
    objectId: on,
    ...(collection !== null && { collection }),
    plan,
    outcomes,
    armed: id,
    what: `plan ${plan}: ${outcomes.join(", ")}`,
  });
}

/** Uses the next planned outcome of a step: for one of these objects, otherwise for any; undefined without one. */
export function takePlanned(
  tx: Transaction,
  name: string,
  { objectIds, collection }: { readonly objectIds: readonly string[]; readonly collection: string },
): string | undefined {
  let plan: Plan | undefined;
  for (const on of [...objectIds, CALL, null]) plan ??= tx.first(plans, "unused", planKey(name, on));
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
