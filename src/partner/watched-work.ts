import { type Lag, longestFor, POLL_MS } from "./settled-state.ts";
import { LAGS } from "./pace.ts";
import { type Reading, ruleOfRest, type Ruled, type Watched, watching } from "./rest-rule.ts";
import type { Wall } from "../base/wall.ts";

/** Reads a system again and again, until it is at rest, or until its longest time is over. */
export async function watchedWork<Seen extends { readonly state: unknown; readonly calls?: unknown }>(
  read: () => Promise<Seen>,
  {
    sinceMs,
    still,
    quietMs,
    changeOf,
    isOver = () => false,
    lag,
    wall,
  }: {
    /** The moment of the exchange. */
    readonly sinceMs: number;
    /** The end of an earlier watch of the same work, if it was at rest, and the moment of its last change. */
    readonly still?: { readonly last: Seen; readonly sinceMs: number } | undefined;
    /** The time without a change that shows rest. */
    readonly quietMs: number;
    readonly changeOf: (one: Seen, other: Seen) => Reading["change"];
    /** Returns true if the readings so far are enough; default: never. */
    readonly isOver?: (watched: Watched) => boolean;
    readonly lag: Lag;
    readonly wall: Wall;
  },
): Promise<Ruled & { readonly first: Seen; readonly last: Seen }> {
  const begunMs = wall.now();
  const first = await read();
  const isStill = still !== undefined && changeOf(still.last, first) === "none";
  const stillSinceMs = isStill ? still.sinceMs : begunMs;
  let last = first;
  let step: Ruled = {
    verdict: "wait",
    watched: watching({ sinceMs, begunMs, stillSinceMs, quietMs, longestMs: longestFor(quietMs) }),
  };
  while (step.verdict === "wait" && !isOver(step.watched)) {
    await lag.pause(POLL_MS);
    const next = await read();
    const reading = {
      change: changeOf(last, next),
      isCall: last.calls !== next.calls,
      leastMs: LAGS * lag.ms,
    };
    step = ruleOfRest(step.watched, reading, wall.now());
    last = next;
  }
  return { ...step, first, last };
}
