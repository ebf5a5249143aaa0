import type { Rest } from "../../partner/rest.ts";
import { kindOf } from "./deviations.ts";
import type { RunPlan } from "./run-plan.ts";

/** Chooses the runs whose end is read again later, although they ended like the baseline. */
export class LateLooks {
  readonly #seen = new Set<string>();

  /**
   * Returns how long after its last change the system is watched in a run. Undefined if the run needs no second reading.
   * If a run is the first one with a disturbance of an event or an operation, its end is read again. If it is the first
   * one with that disturbance at all, it is watched longer. Kinds that look the same to a system are one disturbance.
   */
  watchedMs(
    { schedule, faults, killsAtEvents }: Pick<RunPlan, "schedule" | "faults" | "killsAtEvents">,
    { usualMs, longMs }: Rest["watched"],
  ): number | undefined {
    const [one, ...others] = schedule;
    if (one === undefined || others.length > 0) return undefined;
    const subjects = [...faults.map(({ event, operation }) => event ?? operation), ...killsAtEvents.keys()];
    const { shows = one.kind } = kindOf(one.kind);
    const disturbance = JSON.stringify([shows, subjects]);
    if (this.#seen.has(disturbance)) return undefined;
    const isFirst = !this.#seen.has(shows);
    this.#seen.add(disturbance).add(shows);
    return isFirst ? longMs : usualMs;
  }
}
