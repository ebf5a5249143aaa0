import { clearTimeout, setImmediate, setTimeout } from "node:timers";
import type { DeliveryClock } from "../webhooks/delivery-clock.ts";
import { formatInstant } from "../engine/instant.ts";
import type { TimelineLine } from "../api/generated/shapes.ts";

/** A message to a follower: its turn, or the time of the world. */
export type FollowerNews =
  | { readonly event: "turn"; readonly turn: number; readonly now: number }
  | {
      readonly event: "clock";
      readonly mode: DeliveryClock["mode"];
      readonly now: number;
      readonly offsetMs: number;
    };

/** The longest turn and the longest absence of a follower, in wall time. */
export interface FollowerLimits {
  readonly turnTimeoutMs: number;
  readonly leaseMs: number;
}

/** A turn in which a timer of a follower ran. */
export interface Turn {
  readonly follower: string;
  readonly at: number;
  /** The number of timers that ran. */
  readonly ran: number;
  /** The last journal entry before it. */
  readonly entry: number;
}

/** A program whose clock and timers follow the clock of a world. */
export interface Follower {
  readonly id: string;
  readonly name: string;
  readonly limits: FollowerLimits;
  /** The messages that it asks for or declines. */
  readonly needs: {
    /** A turn at the beginning of each advance, to report its earliest timer. */
    readonly eachAdvance?: boolean | undefined;
    /** Each instant that sends webhooks, just before they are sent. Default: true. */
    readonly eachInstant?: boolean | undefined;
  };
  /** Its earliest timer. Null if it has no timer. */
  next: number | null;
  /** Whether it works at something outside of a turn, and will say when it is idle. */
  isBusy: boolean;
  /** True if it has reported its earliest timer. */
  hasReported: boolean;
  /** The turn that it has at present. */
  turn: { readonly number: number; readonly now: number } | undefined;
  /** The number of timers that ran in its last turn, if it reported that. */
  ran: number | undefined;
  /** Sends to its open stream; undefined reports that the follower was removed. */
  push: ((news: FollowerNews | undefined) => void) | undefined;
  expiry: NodeJS.Timeout | undefined;
}

/** Turns that are kept to be shown. */
const TURNS_KEPT_MAX = 200;

/**
 * The followers of a world. They do not belong to its simulation: the journal contains only their calls. An advance
 * asks for the earliest instant that a follower waits for. It sets their clocks, waits until they are idle and gives
 * them their turns.
 */
export class Followers {
  readonly #all = new Map<string, Follower>();
  readonly #removed: (follower: Follower) => void;
  readonly #waiting = new Set<() => void>();
  /** The newest turns in which a timer ran, oldest first. */
  readonly turns: Turn[] = [];
  #made = 0;
  #turnsMade = 0;
  #notifiedAt = -Infinity;
  /** Counts the resets: a turn that was given before one has ended. */
  #epoch = 0;

  /** `removed` is called with a follower that was silent for its lease. */
  constructor(removed: (follower: Follower) => void = () => undefined) {
    this.#removed = removed;
  }

  get size(): number {
    return this.#all.size;
  }

  list(): readonly Follower[] {
    return [...this.#all.values()];
  }

  get(id: string): Follower | undefined {
    return this.#all.get(id);
  }

  /** The follower that an advance waits for at present. */
  get awaited(): Follower | undefined {
    return this.list().find(({ turn, isBusy }) => turn !== undefined || isBusy);
  }

  /** Registers a follower. It is removed if it opens no stream and does not report for the time of its lease. */
  register(name: string, limits: FollowerLimits, needs: Follower["needs"] = {}): Follower {
    const id = `f${++this.#made}`;
    const idle = { next: null, isBusy: false, hasReported: false, turn: undefined, ran: undefined };
    const follower: Follower = { id, name, limits, needs, ...idle, push: undefined, expiry: undefined };
    this.#all.set(id, follower);
    this.#keep(follower);
    return follower;
  }

  /** Stores the report of a follower between turns. */
  update(follower: Follower, { next, isBusy = false }: { next?: number | null; isBusy?: boolean }): void {
    if (next !== undefined) follower.next = next;
    follower.isBusy = isBusy;
    follower.hasReported = true;
    this.#keep(follower);
    this.wake();
  }

  /** Ends a turn. Returns false if the follower does not have that turn. */
  report(
    follower: Follower,
    turn: number,
    { next, ran }: { next: number | null; ran?: number | undefined },
  ): boolean {
    const isItsTurn = follower.turn?.number === turn;
    if (isItsTurn) {
      follower.turn = undefined;
      follower.ran = ran;
      this.update(follower, { next });
    } else this.#keep(follower);
    return isItsTurn;
  }

  remove({ id, expiry, push }: Follower): void {
    clearTimeout(expiry);
    this.#all.delete(id);
    push?.(undefined);
    this.wake();
  }

  /** Connects the stream of a follower; the function that it returns disconnects it, and its lease begins. */
  connect(follower: Follower, push: NonNullable<Follower["push"]>): () => void {
    follower.push = push;
    clearTimeout(follower.expiry);
    if (follower.turn !== undefined)
      push({ event: "turn", turn: follower.turn.number, now: follower.turn.now });
    return () => {
      if (follower.push !== push) return;
      follower.push = undefined;
      this.#keep(follower);
    };
  }

  /** Sends every follower the clock: it was advanced, started, stopped or reset. */
  notify(clock: Omit<Extract<FollowerNews, { event: "clock" }>, "event">): void {
    this.#notifiedAt = clock.now;
    for (const { push } of this.#all.values()) push?.({ event: "clock", ...clock });
  }

  /**
   * Sets the clocks to an instant, once, so a timer that a webhook arms counts from this instant. Followers with
   * `eachInstant: false` do not receive it.
   */
  async reach(clock: Parameters<Followers["notify"]>[0]): Promise<void> {
    if (this.#notifiedAt === clock.now) return;
    this.#notifiedAt = clock.now;
    const notified = this.list().filter(({ needs }) => needs.eachInstant !== false);
    for (const { push } of notified) push?.({ event: "clock", ...clock });
    if (notified.length > 0) await this.sent();
  }

  /** Gives sent messages the time to leave. Undefined if there are no followers. */
  sent(): Promise<void> | undefined {
    return this.#all.size === 0 ? undefined : new Promise((resolve) => setImmediate(resolve));
  }

  /** The earliest instant that a follower waits for. */
  get nextDue(): number | undefined {
    let earliest: number | undefined;
    for (const { next } of this.#all.values())
      if (next !== null && next < (earliest ?? Infinity)) earliest = next;
    return earliest;
  }

  /** Waits until all followers are idle. Returns the first follower that takes too long. */
  async idle(isStopped: () => boolean = () => false): Promise<Follower | undefined> {
    for (const follower of this.#all.values()) {
      const isLate = follower.isBusy && (await this.#isLate(follower, () => !follower.isBusy || isStopped()));
      if (isLate) return follower;
    }
    return undefined;
  }

  /** The followers that must report their earliest timer at the beginning of an advance. */
  get beginning(): Follower[] {
    return this.list().filter(({ hasReported, needs }) => !hasReported || needs.eachAdvance);
  }

  /** The followers that wait for a turn at an instant, in the order of registration. */
  due(now: number): Follower[] {
    return this.list().filter(({ next }) => next !== null && next <= now);
  }

  /** Gives a follower a turn and waits for its end. Undefined if it takes too long. */
  async take(
    follower: Follower,
    { now, entry }: { now: number; entry: number },
    isStopped: () => boolean = () => false,
  ): Promise<Turn | undefined> {
    const wasDue = follower.next !== null && follower.next <= now;
    const turn = { number: ++this.#turnsMade, now };
    follower.turn = turn;
    follower.ran = 0;
    follower.push?.({ event: "turn", turn: turn.number, now });
    const isLate = await this.#isLate(follower, () => follower.turn !== turn || isStopped());
    follower.turn = undefined;
    if (isLate) return undefined;
    const taken: Turn = { follower: follower.name, at: now, entry, ran: follower.ran ?? (wasDue ? 1 : 0) };
    if (taken.ran > 0) this.turns.push(taken);
    if (this.turns.length > TURNS_KEPT_MAX) this.turns.shift();
    return taken;
  }

  /** The state of the world was replaced: no turn of before counts. */
  reset(): void {
    this.#epoch++;
    this.turns.length = 0;
    this.#notifiedAt = -Infinity;
    for (const follower of this.#all.values()) follower.turn = undefined;
    this.wake();
  }

  close(): void {
    for (const follower of this.#all.values()) this.remove(follower);
    this.reset();
  }

  /** Begins the lease of a follower again; an open stream is a sign of life. */
  #keep(follower: Follower): void {
    clearTimeout(follower.expiry);
    if (follower.push !== undefined || !this.#all.has(follower.id)) return;
    follower.expiry = setTimeout(() => {
      this.remove(follower);
      this.#removed(follower);
    }, follower.limits.leaseMs).unref();
  }

  /** Lets an advance that waits for a follower look again whether it is stopped. */
  wake(): void {
    for (const wake of this.#waiting) wake();
  }

  /**
   * Waits until `isSo` holds, or the follower or the state of the world is gone. Returns true if that takes too long.
   */
  async #isLate(follower: Follower, isSo: () => boolean): Promise<boolean> {
    const epoch = this.#epoch;
    const isOver = (): boolean => isSo() || epoch !== this.#epoch || !this.#all.has(follower.id);
    if (isOver()) return false;
    const over = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => over.resolve(true), follower.limits.turnTimeoutMs);
    const wake = (): void => {
      if (isOver()) over.resolve(false);
    };
    this.#waiting.add(wake);
    const isLate = await over.promise;
    this.#waiting.delete(wake);
    clearTimeout(timer);
    return isLate;
  }
}

/** The lines of a timeline and the turns of followers between them, in order. */
export function* withTurns(lines: Iterable<TimelineLine>, turns: readonly Turn[]): Generator<TimelineLine> {
  let taken = 0;
  const before = function* (entry: number): Generator<TimelineLine> {
    for (let turn = turns[taken]; turn !== undefined && turn.entry < entry; turn = turns[++taken])
      yield turnLine(turn);
  };
  for (const line of lines) {
    yield* before(line.entry);
    yield line;
  }
  yield* before(Infinity);
}

function turnLine({ follower, at, ran, entry }: Turn): TimelineLine {
  const what = `${follower}: ${ran} ${ran === 1 ? "timer" : "timers"} ran`;
  const line = { at: formatInstant(at), what, objectId: null, cause: "clock turn", kind: "turn" };
  return { ...line, follower, entry, causedBy: null };
}
