import type { Instant } from "../engine/instant.ts";
import type { Lifecycle, Transition } from "../engine/lifecycle.ts";
import type { StoredRecord } from "../engine/collection.ts";
import type { Transaction } from "../engine/transaction.ts";
import { actsFrom, transitionFrom } from "../engine/lifecycle.ts";
import { illegalAct } from "./refusals.ts";

/** A record that goes through a lifecycle. */
export interface Stateful<State extends string> extends StoredRecord {
  readonly status: State;
  readonly updatedAt: Instant;
}

/** A record that remembers the states it went through. */
export interface StatusChange<State extends string> {
  readonly status: State;
  readonly createdAt: Instant;
}

/**
 * Takes an action of the record's lifecycle: gives the record in its new state, to be completed and put.
 * Refuses, naming the actions that are possible, where the table has no such row.
 */
export function take<S extends string, A extends string, R extends Stateful<S>>(
  tx: Transaction,
  lifecycle: Lifecycle<S, A>,
  record: R,
  action: NoInfer<A>,
): R {
  const row = transitionFrom(lifecycle, record.status, action);
  if (row === undefined) throw illegalAction(lifecycle, record, action);
  return follow(tx, lifecycle, record, row);
}

/** Whether the lifecycle has a row for this action in the record's state. */
export function canTake<S extends string, A extends string>(
  lifecycle: Lifecycle<S, A>,
  record: Stateful<S>,
  action: NoInfer<A>,
): boolean {
  return transitionFrom(lifecycle, record.status, action) !== undefined;
}

/** Refuses an action that the record's state does not allow, and leaves the record as it is otherwise. */
export function requireAction<S extends string, A extends string>(
  lifecycle: Lifecycle<S, A>,
  record: Stateful<S>,
  action: NoInfer<A>,
): void {
  if (!canTake(lifecycle, record, action)) throw illegalAction(lifecycle, record, action);
}

function follow<S extends string, A extends string, R extends Stateful<S>>(
  tx: Transaction,
  lifecycle: Lifecycle<S, A>,
  record: R,
  { action, to }: Transition<S, A>,
): R {
  const { resource } = lifecycle;
  tx.log({
    kind: "transition",
    objectId: record.id,
    resource,
    action,
    from: record.status,
    to,
    what: `${resource}.${action}: ${record.status} → ${to}`,
  });
  const history = "statusHistory" in record && {
    statusHistory: [...(record.statusHistory as StatusChange<S>[]), { status: to, createdAt: tx.now }],
  };
  return { ...record, status: to, updatedAt: tx.now, ...history };
}

function illegalAction<S extends string, A extends string>(
  lifecycle: Lifecycle<S, A>,
  record: Stateful<S>,
  action: A,
): Error {
  const { resource, transitions } = lifecycle;
  const possible = actsFrom(lifecycle, record.status);
  const then =
    possible.length > 0 ? `Possible from there: ${possible.join(", ")}.` : "Nothing is possible from there.";
  const act = transitions.find((row) => row.action === action)?.act ?? `${resource}.${action}`;
  return illegalAct(`Failed to take ${act}: the ${resource} ${record.id} is ${record.status}. ${then}`);
}
