/** A reading of a system, compared with the reading before. */
export interface Reading {
  /** Clock: only values that a clock could show have changed. */
  readonly change: "none" | "clock" | "work";
  /** True if the system called the sandbox since the reading before. */
  readonly isCall?: boolean;
  /** The least time without a change at this moment, because of the lag of the machine; default: 0. */
  readonly leastMs?: number;
}

/** The readings since an exchange, as far as they matter. */
export interface Watched {
  /** The moment of the exchange. */
  readonly sinceMs: number;
  /** The moment of the first reading. */
  readonly begunMs: number;
  /** The begin of the quiet time before the first reading. Without such a time, the moment of that reading. */
  readonly stillSinceMs: number;
  /** The time without a change that shows rest. */
  readonly quietMs: number;
  /** The longest time of the readings. */
  readonly longestMs: number;
  readonly firstChangeMs?: number;
  readonly changedMs?: number | undefined;
  readonly workedMs?: number;
  readonly calledMs?: number;
  /** The longest pause of the work: from the exchange to the first change, or between two changes. */
  readonly pauseMs: number;
}

/** The decision after a reading. */
export interface Ruled {
  readonly verdict: "wait" | "rest" | "restless" | "only clocks";
  readonly watched: Watched;
}

/** Begins to watch a system. */
export function watching(
  options: Pick<Watched, "sinceMs" | "begunMs" | "quietMs" | "longestMs"> &
    Partial<Pick<Watched, "stillSinceMs">>,
): Watched {
  return { stillSinceMs: options.begunMs, ...options, pauseMs: 0 };
}

/**
 * Decides after a reading if the system is at rest. It rests once nothing has changed for the quiet time. If its state
 * still changes when the longest time is over, it is restless, unless only clocks move in the state.
 */
export function ruleOfRest(
  before: Watched,
  { change, isCall = false, leastMs = 0 }: Reading,
  nowMs: number,
): Ruled {
  const watched: Watched = {
    ...before,
    ...(change !== "none" && {
      firstChangeMs: before.firstChangeMs ?? nowMs,
      changedMs: nowMs,
      pauseMs: Math.max(before.pauseMs, nowMs - (before.changedMs ?? before.sinceMs)),
    }),
    ...(change === "work" && { workedMs: nowMs }),
    ...(isCall && { calledMs: nowMs }),
  };
  const { begunMs, stillSinceMs, quietMs, longestMs } = watched;
  const { changedMs = stillSinceMs, workedMs = begunMs } = watched;
  if (nowMs - changedMs >= Math.max(quietMs, leastMs)) return { verdict: "rest", watched };
  if (nowMs - begunMs < longestMs) return { verdict: "wait", watched };
  return { verdict: nowMs - workedMs < quietMs ? "restless" : "only clocks", watched };
}

/** Returns the duration of the work that the readings showed, its longest pause, and the time after its last call. */
export function workIn({
  sinceMs,
  begunMs,
  changedMs = sinceMs,
  calledMs,
  firstChangeMs,
  pauseMs,
}: Watched): {
  readonly paceMs: number;
  readonly pauseMs: number;
  readonly tailMs: number;
} {
  const paceMs = changedMs - sinceMs;
  const lastCallMs = calledMs ?? firstChangeMs ?? begunMs;
  // The ticks of a clock are no work.
  return { paceMs, pauseMs: Math.min(pauseMs, paceMs), tailMs: Math.max(0, changedMs - lastCallMs) };
}
