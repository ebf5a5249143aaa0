import type { Records } from "../engine/store.ts";
import type { Assumption } from "./assumptions/assumption.ts";
import type { Collection, Stateful } from "../engine/collection.ts";
import type { Transaction } from "../engine/transaction.ts";
import { type Instant } from "../engine/instant.ts";
import { assumedValue, assumption } from "./assumptions/assumptions.ts";
import { type AutopilotMode, autopilot, autopilotId } from "./assumptions/autopilot.ts";
import { type Person, decisionOf } from "./payers/payer.ts";
import { later } from "./later.ts";
import { takePlanned } from "./plans.ts";

/** The names that types follow from: the plans and the autopilot assumptions. */
export interface StepNames {
  readonly name: string;
  readonly decidedBy: "institution" | "payer" | null;
}

/** The next action of someone outside the platform on a record. */
interface StepDefinition<Outcome extends string, R extends Stateful, Named extends StepNames = StepNames> {
  /** The name of the step, of its plan and of its timer; `autopilot.<name>` is its assumption. */
  readonly name: Named["name"];
  /** The records that take the step. */
  readonly of: Collection<R>;
  /** The possible outcomes of a plan. The first outcome is the good one, the default. */
  readonly outcomes: readonly [Outcome, ...Outcome[]];
  /**
   * Institutions answer without an act, payers wait. Null for a step that is over before the creation is answered.
   */
  readonly decidedBy: Named["decidedBy"];
  /** The decision in words: `The outcome of a refund`. */
  readonly summary: string;
  /** The objects that a plan for this record may name; the record alone by default. */
  readonly planIds?: (record: R) => readonly string[];
  /** The collection of the first of these objects; that of the record by default. */
  readonly planCollection?: string;
  /** The person whose document decides, if the fixtures have this person. */
  readonly person?: (tx: Records, record: R) => Person | null;
  /** Whether the person has failed before, and may decide otherwise now. */
  readonly isLater?: (record: R) => boolean;
  /** The outcome that decides before a person does, such as the outcome of a test card. */
  readonly preset?: (record: R) => Outcome | null;
  /** Returns the due time in the modes `clock` and `manual`; default: after the payer's delay. */
  readonly due?: (tx: Transaction, record: R) => Instant;
  /** Whether money settles by it, which a fault can prevent. */
  readonly settles?: true;
}

/** The outcome that was decided when the timer of a step was armed. Null if it is decided when the timer fires. */
export interface StepInput {
  readonly outcome: string | null;
}

/** A step with its methods. */
export interface Step<
  Outcome extends string,
  R extends Stateful,
  Named extends StepNames = StepNames,
> extends StepDefinition<Outcome, R, Named> {
  readonly planIds: (record: R) => readonly string[];
  readonly planCollection: string;
  /** The assumption `autopilot.<name>`, if the step can move without an act. */
  readonly autopilot: Assumption<AutopilotMode> | null;
  /** The mode that is in force. */
  mode(tx: Records): AutopilotMode;
  /** Arms the timer by its mode. In mode `manual` it needs a decision. Returns true if it armed the timer. */
  readonly schedule: (tx: Transaction, record: R) => boolean;
  /** Uses the next planned outcome. Undefined without a plan. */
  planned(tx: Transaction, record: R): Outcome | undefined;
  /**
   * Returns the outcome of a due step: decided before, planned, preset or known of the payer. Otherwise it is the
   * good one.
   */
  outcome(tx: Transaction, record: R, decided?: Outcome | null): Outcome;
  /** Returns the outcome of a step that has its own hour. Undefined in mode `manual` without a decision. */
  outcomeWhenDue(tx: Transaction, record: R): Outcome | undefined;
}

export function step<
  const Outcome extends string,
  R extends Stateful,
  I extends string,
  const Named extends StepNames,
>(
  definition: Omit<StepDefinition<Outcome, R>, "of" | keyof StepNames> &
    Named & { readonly of: Collection<R, I> },
): Step<Outcome, R, Named> {
  const { name, outcomes, decidedBy, summary } = definition;
  const assumptionId = autopilotId(name);
  const ownAutopilot = decidedBy === null ? null : autopilot(name, decidedBy, summary);
  const { planIds = ({ id }: R) => [id], planCollection = definition.of.name } = definition;

  function mode(tx: Records): AutopilotMode {
    return (assumedValue(tx, assumptionId) as AutopilotMode | undefined) ?? ownAutopilot?.default ?? "clock";
  }

  function planned(tx: Transaction, record: R): Outcome | undefined {
    const objects = { objectIds: planIds(record), collection: planCollection };
    return takePlanned(tx, name, objects) as Outcome | undefined;
  }

  function decision(tx: Transaction, record: R): Outcome | undefined {
    return (
      planned(tx, record) ??
      definition.preset?.(record) ??
      (decisionOf(tx, name, {
        person: definition.person?.(tx, record),
        isLater: definition.isLater?.(record) ?? false,
      }) as Outcome | undefined)
    );
  }

  return {
    ...definition,
    planIds,
    planCollection,
    autopilot: ownAutopilot,
    mode,
    planned,
    schedule(tx, record) {
      const current = mode(tx);
      const outcome = current === "manual" ? decision(tx, record) : null;
      if (outcome === undefined) return false;
      const due = current === "immediate" ? tx.now : (definition.due?.(tx, record) ?? payerDue(tx));
      const input: StepInput = { outcome };
      tx.arm({ kind: name, owner: record.id, due, input });
      return true;
    },
    outcome: (tx, record, decided = null) => decided ?? decision(tx, record) ?? outcomes[0],
    outcomeWhenDue: (tx, record) => decision(tx, record) ?? (mode(tx) === "manual" ? undefined : outcomes[0]),
  };
}

function payerDue(tx: Transaction): Instant {
  return later(tx.now, assumption(tx, "autopilot.payer-delay"));
}
