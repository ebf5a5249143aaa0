import type { Instant, IsoDuration } from "../engine/instant.ts";
import type { Person } from "./payers/payer.ts";
import type { PlanName, PlanOutcome } from "./plans/plan.ts";
import type { TimerKind } from "../engine/timers.ts";
import type { Transaction } from "../engine/transaction.ts";
import { addDuration } from "../engine/instant.ts";
import { assumption } from "./assumptions/assumptions.ts";
import { decisionOf } from "./payers/known-payer.ts";
import { planOutcomes, takeOutcome } from "./plans/plan.ts";
import { saoPaulo } from "../countries/brazil/calendar.ts";

/** Steps that the autopilot takes; a registration has no waiting in it. */
type Step = Exclude<PlanName, "subscription.registration">;

/** What a step's timer is given besides its own input; null leaves the outcome to be found when it is due. */
export interface StepOutcome<S extends PlanName> {
  readonly outcome: PlanOutcome<S> | null;
}

/** A step that someone outside is to take. */
export interface StepPlan<S extends Step, Input> {
  readonly step: S;
  readonly objectId: string;
  /** A plan may also name the object that the step is about. */
  readonly subjectId?: string;
  /** Whose document may decide: the payer, where there is one. */
  readonly person?: Person | null;
  /** What decides besides a person, such as a test card. */
  readonly nature?: PlanOutcome<S> | null;
  /** How long it takes; what a payer does takes the payer's delay. */
  readonly delay?: IsoDuration;
  /** When it is due, where a calendar and not a delay decides. */
  readonly due?: Instant;
  readonly timer: TimerKind<Input & StepOutcome<S>>;
  readonly input: Input;
}

/**
 * Arms the timer of a step in the way its autopilot mode says: at once, after its delay, or, where it waits
 * for a hand, only if a plan or a payer of the fixtures has decided already. Gives the timer's id, or null.
 */
export function scheduleStep<S extends Step, Input>(
  tx: Transaction,
  plan: StepPlan<S, Input>,
): string | null {
  const mode = assumption(tx, `autopilot.${plan.step}`);
  const delay = plan.delay ?? assumption(tx, "autopilot.payer-delay");
  if (mode === "immediate") return tx.arm(plan.timer, tx.now, { ...plan.input, outcome: null });
  const due = plan.due ?? addDuration(tx.now, delay, saoPaulo);
  if (mode === "clock") return tx.arm(plan.timer, due, { ...plan.input, outcome: null });
  const decided =
    takeOutcome(tx, plan.step, plan.objectId, plan.subjectId) ??
    plan.nature ??
    decisionOf(tx, plan.step, plan.person);
  return decided === undefined ? null : tx.arm(plan.timer, due, { ...plan.input, outcome: decided });
}

/**
 * The outcome of a step that comes at its own hour, such as an attempt to settle; undefined where the step
 * waits for a hand and neither a plan nor a payer of the fixtures has decided.
 */
export function outcomeWhenDue<S extends Step>(
  tx: Transaction,
  step: S,
  { objectId, subjectId = objectId, person }: Omit<StepDecision<S>, "decided">,
): PlanOutcome<S> | undefined {
  const decided = takeOutcome(tx, step, objectId, subjectId) ?? decisionOf(tx, step, person);
  return decided ?? (assumption(tx, `autopilot.${step}`) === "manual" ? undefined : planOutcomes[step][0]);
}

/** What a step that is due goes by. */
interface StepDecision<S extends PlanName> {
  readonly objectId: string;
  /** A plan may also name the object that the step is about, such as what a cancellation is to cancel. */
  readonly subjectId?: string;
  readonly decided: PlanOutcome<S> | null;
  readonly person?: Person | null;
  readonly nature?: PlanOutcome<S> | null;
}

/** The outcome of a step that is due: what was decided, planned, or is in the payer's nature; else the good one. */
export function outcomeOf<S extends Step>(
  tx: Transaction,
  step: S,
  { objectId, subjectId = objectId, decided, person, nature }: StepDecision<S>,
): PlanOutcome<S> {
  return (
    decided ??
    takeOutcome(tx, step, objectId, subjectId) ??
    nature ??
    decisionOf(tx, step, person) ??
    planOutcomes[step][0]
  );
}
