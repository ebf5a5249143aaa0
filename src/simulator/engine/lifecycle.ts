/** One row of a lifecycle: an action leads from any of these states to another. */
export interface Transition<State extends string = string, Action extends string = string> {
  readonly from: readonly State[];
  readonly action: Action;
  readonly to: State;
  /** The event that taking the row sends; by variant if the lifecycle has a variant field. */
  readonly emits?: string | Readonly<Record<string, string>>;
  /** The act that takes the row, if it is not `<resource>.<action>`; null if the platform takes it itself. */
  readonly act?: string | null;
  /** An assumption. While it has its default, the act of the row is refused. */
  readonly assumption?: string;
}

/**
 * The states of a resource and the transitions between them. The engine obeys the table: a status changes only by a
 * row of it. The engine sends the events of the row, and arms and disarms the timers of the states.
 */
export interface Lifecycle<State extends string = string, Action extends string = string> {
  readonly resource: string;
  readonly initial: State;
  readonly states: readonly State[];
  readonly transitions: readonly Transition<State, Action>[];
  /** The timers of a record and the states they belong to: entering one arms it, leaving them disarms it. */
  readonly timers?: Readonly<Record<string, readonly State[]>>;
  /** If a record in one of these states ended well, badly, or neither. In any other state it still waits. */
  readonly ends?: { readonly [S in State]?: "good" | "bad" | "neutral" };
  /** False keeps the transitions out of the timeline, because other entries show them. */
  readonly isLogged?: boolean;
  /** The field of a record that selects among the events of a row. */
  readonly variant?: string;
}

/** Finds the row for `action` in `state`. Undefined if the table has no such row. */
export function transitionFrom<S extends string, A extends string>(
  lifecycle: Lifecycle<S, A>,
  state: S,
  action: A,
): Transition<S, A> | undefined {
  return lifecycle.transitions.find((row) => row.action === action && row.from.includes(state));
}

/** Returns the sentence of a transition in the timeline. Coverage counts transitions by it. */
export function transitionName(
  resource: string,
  { action, from, to }: { readonly action: string; readonly from: string; readonly to: string },
): string {
  return `${resource}.${action}: ${from} → ${to}`;
}

/** Returns true if the lifecycle has a row for this action in the record's state. */
export function canTake<S extends string, A extends string>(
  lifecycle: Lifecycle<S, A>,
  record: { readonly status: S },
  action: NoInfer<A>,
): boolean {
  return transitionFrom(lifecycle, record.status, action) !== undefined;
}

/** Returns the events that a row can send: one, or one for each variant. */
export function eventsOf({ emits }: Transition): readonly string[] {
  return typeof emits === "string" ? [emits] : Object.values(emits ?? {});
}

/** Returns the event that a row sends for this record. Undefined if the row sends no event. */
export function eventOf({ variant }: Lifecycle, { emits }: Transition, record: object): string | undefined {
  if (emits === undefined || typeof emits === "string") return emits;
  return variant === undefined ? undefined : emits[String((record as Record<string, unknown>)[variant])];
}

/** Returns the act that takes a row. Null if the row has no act. */
export function actOf({ resource }: Lifecycle, { action, act }: Transition): string | null {
  return act === undefined ? `${resource}.${action}` : act;
}

/**
 * Returns the possible acts in `state`. An act that needs another value of an assumption is possible only if it
 * `isAssumed`.
 */
export function actsFrom<S extends string, A extends string>(
  lifecycle: Lifecycle<S, A>,
  state: S,
  isAssumed: (assumption: string) => boolean = () => false,
): string[] {
  const acts = lifecycle.transitions
    .filter(
      ({ from, assumption }) => from.includes(state) && (assumption === undefined || isAssumed(assumption)),
    )
    .map((row) => actOf(lifecycle, row));
  return [...new Set(acts)].filter((act) => act !== null);
}
