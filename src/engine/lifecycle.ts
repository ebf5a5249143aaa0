import { assertDefined } from "./assertion.ts";

/** One row of a lifecycle: from any of these states, this action leads there. */
export interface Transition<State extends string = string, Action extends string = string> {
  readonly from: readonly State[];
  readonly action: Action;
  readonly to: State;
  /** The webhook event that tells of it, where there is one. */
  readonly emits?: string;
  /**
   * The act that leads to it, where it is not called after the resource and the action; null where no act
   * does, because it is a step of the platform itself.
   */
  readonly act?: string | null;
}

/**
 * What a resource may go through, as a table. The engine obeys it, the documentation draws it and coverage
 * counts its rows; a state change that is not a row does not happen.
 */
export interface Lifecycle<State extends string = string, Action extends string = string> {
  readonly resource: string;
  readonly initial: State;
  readonly states: readonly State[];
  readonly transitions: readonly Transition<State, Action>[];
}

/** The row that `action` takes from `state`, or undefined where the table has none. */
export function transitionFrom<S extends string, A extends string>(
  lifecycle: Lifecycle<S, A>,
  state: S,
  action: A,
): Transition<S, A> | undefined {
  return lifecycle.transitions.find((row) => row.action === action && row.from.includes(state));
}

/** The acts that are possible in `state`, in the table's order. */
export function actsFrom<S extends string, A extends string>(lifecycle: Lifecycle<S, A>, state: S): string[] {
  const acts = lifecycle.transitions
    .filter((row) => row.from.includes(state))
    .map((row) => (row.act === undefined ? `${lifecycle.resource}.${row.action}` : row.act));
  return [...new Set(acts)].filter((act) => act !== null);
}

/** The state `action` leads to; a bug where the table has no such row. */
export function stateAfter<S extends string, A extends string>(
  lifecycle: Lifecycle<S, A>,
  state: S,
  action: A,
): S {
  return assertDefined(
    transitionFrom(lifecycle, state, action),
    `the row "${action}" from ${state} in the lifecycle of ${lifecycle.resource}`,
  ).to;
}
