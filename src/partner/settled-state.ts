import { isDeepStrictEqual } from "node:util";
import type { Wall } from "../base/wall.ts";

/** The wall time for work after the last answer, if the user does not name it. */
export const SETTLE_MS = 200;

/**
 * The settling times for work that comes late. With the default this is longer than the second of a worker that polls,
 * together with a cache before the probe.
 */
export const LATE_SETTLINGS = 10;

/** The time for a system that finishes its work before it answers. */
export const PROMPT_MS = 20;

/** The same on a machine that is not late. */
export const PROMPT_LEAST_MS = 5;

/** The pause between two readings of a state that is expected to change. */
export const POLL_MS = 20;

/** A state that still changes after this long is undecided, or after this many distances if that is more. */
export const DEADLINE_MS = 5_000;
export const DISTANCES_MAX = 10;

/** Returns the longest time that a state may change, for readings with this distance. */
export function longestFor(distanceMs: number): number {
  return Math.max(DEADLINE_MS, DISTANCES_MAX * distanceMs);
}

/** The maximum number of readings of a changing state, if no time limits them. */
const READS_MAX = 10;

/** The share of the newest measurement in the lag of the machine, which fades. */
const LAG_FADES = 0.9;

/** Pauses, and measures how late this machine is. */
export class Lag {
  readonly #wall: Wall;
  #ms = 0;
  #mostMs = 0;

  constructor(wall: Wall) {
    this.#wall = wall;
  }

  /** The largest lag, in milliseconds. */
  get mostMs(): number {
    return this.#mostMs;
  }

  /** The lag so far, in milliseconds. It fades with each pause. */
  get ms(): number {
    return this.#ms;
  }

  async pause(ms: number): Promise<void> {
    const startedMs = this.#wall.now();
    await this.#wall.pause(ms);
    const lateMs = this.#wall.now() - startedMs - ms;
    this.#ms = Math.max(LAG_FADES * this.#ms, lateMs);
    this.#mostMs = Math.max(this.#mostMs, lateMs);
  }
}

/** A machine that is late by more than this is busy. */
const BUSY_LAG_MS = 50;

/** Says that this machine was busy. Undefined if the measured lag does not show it. */
export function busySentence(mostLagMs: number): string | undefined {
  if (mostLagMs <= BUSY_LAG_MS) return undefined;
  return `The machine was busy: it was up to ${Math.round(mostLagMs)} ms late.`;
}

/** A state that was read at rest. */
export interface SettledState {
  readonly state: unknown;
  /** The previous reading, if the state still moved after all readings. */
  readonly before?: unknown;
}

/** Reads a state until two readings are equal, or until the last reading or the end of its time. */
export async function settledState(
  read: () => Promise<unknown>,
  {
    wall,
    distanceMs,
    firstMs = distanceMs(),
    pause = wall.pause,
    isEqual = isDeepStrictEqual,
    readsMax = READS_MAX,
    longestMs = () => Infinity,
  }: {
    readonly wall: Wall;
    /** The distance of two readings. It may grow from reading to reading. */
    readonly distanceMs: () => number;
    /** The time before the first reading; default: a distance. */
    readonly firstMs?: number;
    /** Lets time pass; default: wall time. */
    readonly pause?: (ms: number) => Promise<void>;
    readonly isEqual?: (one: unknown, other: unknown) => boolean;
    /** The most readings; default: 10. A single reading cannot show if the state is at rest. */
    readonly readsMax?: number;
    /** The longest time since the first reading; default: no limit. */
    readonly longestMs?: () => number;
  },
): Promise<SettledState> {
  await pause(firstMs);
  let state = await read();
  const endMs = wall.now() + longestMs();
  for (let reads = 2; reads <= readsMax; reads++) {
    await pause(distanceMs());
    const next = await read();
    if (isEqual(state, next)) return { state: next };
    if (reads === readsMax || wall.now() >= endMs) return { state: next, before: state };
    state = next;
  }
  return { state };
}

/**
 * Reads a state until it has changed, or until the time is over, and then until two readings are equal. `changedMs` is
 * the time until the change. It is undefined without a change.
 */
export async function changedState(
  read: () => Promise<unknown>,
  { before, settleMs, wall }: { readonly before: unknown; readonly settleMs: number; readonly wall: Wall },
): Promise<{ readonly state: unknown; readonly changedMs: number | undefined }> {
  const begunMs = wall.now();
  let state = await read();
  while (isDeepStrictEqual(before, state)) {
    if (wall.now() - begunMs >= settleMs) return { state, changedMs: undefined };
    await wall.pause(POLL_MS);
    state = await read();
  }
  const changedMs = wall.now() - begunMs;
  const settled = await settledState(read, { wall, distanceMs: () => Math.min(POLL_MS, settleMs) });
  return { state: settled.state, changedMs };
}
