import type { FollowClockOptions, FollowedClock, FollowedWorld } from "../server/access/followed-clock.ts";

/**
 * Makes `Date` and the timers of this thread follow the clock of a world, until `stop()`. Due timers run inside an
 * advance, at their exact instants. Rejects if no sandbox answers, or if this thread already follows a clock.
 *
 * ```ts
 * const clock = await followClock({ url: "http://127.0.0.1:4010", token: "acme-token" });
 * setTimeout(() => console.log("a day is over"), 86_400_000); // runs in an advance over a day
 * await clock.stop();
 * ```
 */
export async function followClock(options: FollowedWorld & FollowClockOptions): Promise<FollowedClock> {
  // Loaded when used: most tests that import the library follow no clock.
  const { followRemote } = await import("../partner/clock/follow-clock.ts");
  return followRemote(options);
}
