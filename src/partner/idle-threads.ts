import { activityOf } from "./processes.ts";
import { DEADLINE_MS, DISTANCES_MAX, type Lag, POLL_MS } from "./settled-state.ts";
import type { Wall } from "../base/wall.ts";

/**
 * Lets time pass for the work of processes. The time does not count while their threads run or wait for a processor.
 * Without processes, only time passes.
 */
export async function idleThreads(
  ms: number,
  { pids, lag, wall }: { readonly pids: () => readonly number[]; readonly lag: Lag; readonly wall: Wall },
): Promise<void> {
  const activity = (): ReturnType<typeof activityOf> | undefined => {
    const ids = pids();
    return ids.length === 0 ? undefined : activityOf(ids);
  };
  const endMs = wall.now() + DEADLINE_MS + DISTANCES_MAX * ms;
  let before = activity();
  for (let leftMs = ms; leftMs > 0 && wall.now() < endMs;) {
    await lag.pause(leftMs);
    const after = activity();
    if (before === undefined || after === undefined) return;
    leftMs = Math.min(ms, after.waitedMs - before.waitedMs);
    if (after.isBusy) leftMs = Math.max(leftMs, POLL_MS);
    // Shorter waits come from the wake-up of a thread.
    if (leftMs < 1) return;
    before = after;
  }
}
