import type { LoggedRequest } from "../simulator/api/generated/shapes.ts";
import { objectOf } from "./called-objects.ts";
import { POLL_MS } from "./settled-state.ts";
import type { Wall } from "../base/wall.ts";

/** A repeat is awaited this long if the answer announces no time, and no repeat of its kind was seen before. */
const UNKNOWN_MS = 5_000;

/** A repeat may come this much later than Retry-After, and this many times later than the repeats so far. */
const LATER_MS = 200;
const GAP_MARGIN = 2;

/** The maximum number of repeats that are awaited in one place, because each of them may be disturbed. */
const REPEATS_MAX = 10;

/** The share of the waited time until the next look at the log. */
const LOOK_SHARE = 0.05;

/** A disturbed call without a repeat. */
interface Disturbed {
  readonly id: string;
  readonly operation: string;
  /** The operation, and the kind of disturbance. */
  readonly kind: string;
  /** Its Retry-After, in milliseconds. */
  readonly announcedMs: number | undefined;
}

/** A disturbed call whose repeat did not come in time. */
interface Missed extends Disturbed {
  /** True once the system was asked for something: then a repeat may have that cause. */
  isAsked: boolean;
  /** True if its repeat came later, by the system's own clock. */
  isLate: boolean;
}

/** Finds the disturbed calls of a log that were not repeated. */
function disturbedIn(log: readonly LoggedRequest[]): Disturbed[] {
  const last = new Map<string, LoggedRequest>();
  for (const one of log)
    if (one.operationId !== null) last.set(`${one.operationId} ${objectOf(one.operationId, one)}`, one);
  return Array.from(last.values()).flatMap(({ id, operationId, injected, status, responseHeaders }) => {
    if (injected.length === 0 || operationId === null) return [];
    const seconds = Number(responseHeaders["retry-after"]);
    return [
      {
        id,
        operation: operationId,
        kind: `${operationId} ${injected.join(" ")} ${status}`,
        announcedMs: seconds > 0 ? seconds * 1000 : undefined,
      },
    ];
  });
}

/**
 * Waits in wall time for the repeat of a disturbed call, before the clock of the sandbox moves. The system repeats by its
 * own clock, so it would come too late after a leap of days. The gap is learned for each operation and kind of
 * disturbance, and later runs wait only for it.
 */
export class PendingRepeats {
  readonly #wall: Wall;
  /** The longest gap so far, by kind. Infinite if no repeat came. */
  readonly #gaps = new Map<string, number>();
  /** The kinds without a repeat in all of the time of a patient run. */
  readonly #never = new Set<string>();
  readonly #seenMs = new Map<string, number>();
  readonly #missed = new Map<string, Missed>();
  #patience = 1;
  #log: () => Promise<readonly LoggedRequest[]> = async () => [];
  #isFollower = (): boolean => false;

  constructor(wall: Wall) {
    this.#wall = wall;
  }

  /** Begins a run. `log` returns the calls of the system so far. */
  begin(run: {
    readonly patience: number;
    readonly log: () => Promise<readonly LoggedRequest[]>;
    readonly isFollower: () => boolean;
  }): void {
    this.#patience = run.patience;
    this.#log = run.log;
    this.#isFollower = run.isFollower;
    this.#seenMs.clear();
    this.#missed.clear();
  }

  /** Waits until each disturbed call was repeated, or its time is over. Returns true if it had to wait. */
  async over(): Promise<boolean> {
    if (this.#isFollower()) return false;
    let hasWaited = false;
    for (let times = 0; times < REPEATS_MAX; times++) {
      const pending = await this.#pending();
      if (pending.length === 0) break;
      hasWaited = (await this.#repeated(pending)) || hasWaited;
    }
    return hasWaited;
  }

  /** The system has passed a failure on to its own caller, who repeats the whole request. */
  async passedOn(): Promise<void> {
    for (const one of await this.#pending()) this.#miss(one);
    for (const one of this.#missed.values()) one.isAsked = true;
  }

  /** Notes the repeats so far: after this moment the system is asked for something. */
  async ask(): Promise<void> {
    await this.#noteLate();
    for (const one of this.#missed.values()) one.isAsked = true;
  }

  /** Returns the operations whose repeat came only after the clock had moved, by the system's own clock. */
  async late(): Promise<string[]> {
    await this.#noteLate();
    const late = Array.from(this.#missed.values()).filter(({ isLate }) => isLate);
    return [...new Set(late.map(({ operation }) => operation))];
  }

  async #noteLate(): Promise<void> {
    if (this.#missed.size === 0) return;
    const open = new Set(disturbedIn(await this.#log()).map(({ id }) => id));
    for (const one of this.#missed.values()) {
      if (one.isAsked || open.has(one.id)) continue;
      one.isLate = true;
      this.#never.delete(one.kind);
    }
  }

  /** Returns the calls whose repeat is still awaited. */
  async #pending(): Promise<Disturbed[]> {
    const nowMs = this.#wall.now();
    const pending = disturbedIn(await this.#log()).filter(({ id }) => !this.#missed.has(id));
    for (const { id } of pending) if (!this.#seenMs.has(id)) this.#seenMs.set(id, nowMs);
    return pending;
  }

  /** Waits until one of these calls was repeated, or until the time of all is over. Returns true if it had to wait. */
  async #repeated(pending: readonly Disturbed[]): Promise<boolean> {
    for (let hasWaited = false; ; hasWaited = true) {
      const nowMs = this.#wall.now();
      const still = new Set(disturbedIn(await this.#log()).map(({ id }) => id));
      const repeated = pending.filter(({ id }) => !still.has(id));
      for (const one of repeated) this.#learn(one, nowMs);
      if (repeated.length > 0) return hasWaited;
      const left = pending.filter((one) => nowMs - this.#seen(one) < this.#limitOf(one));
      if (left.length === 0) {
        for (const one of pending) this.#miss(one);
        return hasWaited;
      }
      const waitedMs = nowMs - Math.min(...left.map((one) => this.#seen(one)));
      await this.#wall.pause(Math.max(POLL_MS, LOOK_SHARE * waitedMs));
    }
  }

  #seen({ id }: Disturbed): number {
    return this.#seenMs.get(id) ?? 0;
  }

  #learn(one: Disturbed, nowMs: number): void {
    const known = this.#gaps.get(one.kind) ?? 0;
    this.#gaps.set(one.kind, Math.max(Number.isFinite(known) ? known : 0, nowMs - this.#seen(one)));
  }

  /** Gives a repeat up. From now on only a patient run waits for its kind. */
  #miss(one: Disturbed): void {
    const isOver = this.#wall.now() - this.#seen(one) >= this.#limitOf(one);
    if (isOver && this.#patience > 1 && (this.#gaps.get(one.kind) ?? Infinity) === Infinity)
      this.#never.add(one.kind);
    if (isOver && !this.#gaps.has(one.kind)) this.#gaps.set(one.kind, Infinity);
    this.#missed.set(one.id, { ...one, isAsked: false, isLate: false });
  }

  /** The longest wait for the repeat of a call. */
  #limitOf({ kind, announcedMs }: Disturbed): number {
    const gapMs = this.#gaps.get(kind);
    const unknownMs = announcedMs === undefined ? UNKNOWN_MS : announcedMs + LATER_MS;
    // A patient run has waited for a repeat of this kind. Another finding needs no second proof.
    if (gapMs === Infinity && this.#never.has(kind)) return this.#patience === 1 ? 0 : unknownMs;
    if (gapMs === Infinity) return this.#patience === 1 ? 0 : unknownMs * this.#patience;
    const ms = gapMs === undefined ? unknownMs : Math.max(GAP_MARGIN * gapMs + LATER_MS, announcedMs ?? 0);
    return ms * this.#patience;
  }
}
