import type { Collection, Stateful } from "../engine/collection.ts";
import type { Instant } from "../engine/instant.ts";
import type { Transaction } from "../engine/transaction.ts";
import {
  type Lifecycle,
  actOf,
  actsFrom,
  eventOf,
  transitionFrom,
  transitionName,
} from "../engine/lifecycle.ts";
import { assert } from "../engine/assertion.ts";
import { illegalAct } from "./refusals.ts";

/** A state that a record was in, for records that keep their history in `statusHistory`. */
export interface StatusChange<State extends string> {
  readonly status: State;
  readonly createdAt: Instant;
}

type Row<L extends Lifecycle> = L["transitions"][number];
type Action<L extends Lifecycle> = Row<L>["action"];
type Emitted<L extends Lifecycle> =
  Row<L> extends infer R ? (R extends { readonly emits: infer E } ? E : never) : never;

/** The names of the events that the rows of a lifecycle send. */
export type EventOf<L extends Lifecycle> =
  Emitted<L> extends infer E ? (E extends string ? E : E[keyof E]) : never;

interface MachineParts<R, L extends Lifecycle> {
  /** Sends an event of the record as it is after the transition. */
  readonly emit?: (tx: Transaction, record: R, event: EventOf<L>) => void;
  /** Arms a timer of the table, if the record needs it in its new state. */
  readonly arm?: { readonly [Name in keyof L["timers"]]?: (tx: Transaction, record: R) => void };
}

/** The only way for records of a collection to get and change their status. */
export interface StateMachine<R extends Stateful, L extends Lifecycle> {
  /** Stores a new record in its initial state and arms the timers that belong to it; `what` goes into the timeline. */
  create(tx: Transaction, record: R, what?: string): R;
  /**
   * Takes an action of the lifecycle. It stores the record in its new state with its other changes, disarms and arms
   * the timers of its states and sends the event of the row. If the table has no such row, it refuses and names the
   * possible actions. The record need not be stored before: creation may be a transition.
   */
  take(tx: Transaction, record: R, action: Action<L>, changed?: Partial<Omit<R, "status">>): R;
}

/**
 * Makes a lifecycle table work on the records of a collection.
 *
 * ```ts
 * export const refundStates = stateMachine(refunds, refundLifecycle, {
 *   emit: announceRefund,
 *   arm: { "refund.outcome": refundOutcome.schedule },
 * });
 * refundStates.take(tx, refund, "settle", { refundedAt: tx.now }); // sends ORDER-PAYIN.REFUNDED
 * ```
 */
export function stateMachine<R extends Stateful, I extends string, const L extends Lifecycle>(
  of: Collection<R, I>,
  lifecycle: L,
  parts: MachineParts<R, L> = {},
): StateMachine<R, L> {
  const arm = parts.arm as Readonly<Record<string, (tx: Transaction, record: R) => void>> | undefined;
  const emit = parts.emit as ((tx: Transaction, record: R, event: string) => void) | undefined;
  const { resource, timers = {} } = lifecycle;
  const timerStates = Object.entries(timers);

  return {
    create(tx, record, what) {
      const { id: objectId, status } = record;
      if (what !== undefined) tx.log({ kind: "created", objectId, collection: of.name, status, what });
      const created = tx.put(of, record);
      for (const [name, states] of timerStates)
        if (states.includes(created.status)) arm?.[name]?.(tx, created);
      return created;
    },
    take(tx, record, action, changed) {
      const row = requireAction<string, string>(lifecycle, record, action);
      const { status: from } = record;
      const { to } = row;
      if (lifecycle.isLogged !== false)
        tx.log({
          kind: "transition",
          objectId: record.id,
          collection: of.name,
          resource,
          action,
          from,
          to,
          what: transitionName(resource, { action, from, to }),
        });
      const history = "statusHistory" in record && {
        statusHistory: (record.statusHistory as StatusChange<string>[]).concat({
          status: to,
          createdAt: tx.now,
        }),
      };
      const taken = { ...record, ...history, ...changed, status: to, updatedAt: tx.now };
      const stored = tx.transition(of, taken, row);
      for (const [name, states] of timerStates) {
        if (!states.includes(to)) tx.disarm(name, record.id);
        else if (from === to || !states.includes(from)) arm?.[name]?.(tx, stored);
      }
      const event = eventOf(lifecycle, row, stored);
      if (event !== undefined) {
        assert(emit !== undefined, `the ${resource} has no way to send ${event}`);
        emit(tx, stored, event);
      }
      return stored;
    },
  };
}

/** Returns the refusal of an action that the record's state does not allow. */
export function illegalAction(lifecycle: Lifecycle, record: Stateful, action: string): Error {
  const { resource, transitions } = lifecycle;
  const row = transitions.find((one) => one.action === action);
  const act = (row && actOf(lifecycle, row)) ?? `${resource}.${action}`;
  return illegalAct(
    `The act ${act} is not possible: the ${resource} ${record.id} is ${record.status}. ${possibleFrom(lifecycle, record.status, act)}`,
  );
}

/** Returns the row of an action. Refuses an action that the record's state does not allow. */
export function requireAction<S extends string, A extends string>(
  lifecycle: Lifecycle<S, A>,
  record: Stateful<S>,
  action: NoInfer<A>,
) {
  const row = transitionFrom(lifecycle, record.status, action);
  if (row === undefined) throw illegalAction(lifecycle, record, action);
  return row;
}

/** Returns a sentence with the acts that are possible from a state, without the act that was refused there. */
export function possibleFrom(lifecycle: Lifecycle, state: string, refused: string): string {
  const possible = actsFrom(lifecycle, state).filter((act) => act !== refused);
  for (const row of lifecycle.transitions) {
    const act = actOf(lifecycle, row);
    if (row.assumption === undefined || !row.from.includes(state) || act === null) continue;
    const conditional = `${act} with the assumption ${row.assumption}`;
    if (!possible.includes(act) && !possible.includes(conditional)) possible.push(conditional);
  }
  return possible.length > 0 ? `Possible acts: ${possible.join(", ")}.` : "Possible acts: none.";
}
