import type { Rest } from "../../partner/rest.ts";
import type { RunPlan } from "./run-plan.ts";

/** Chooses the runs whose end is read again later, although they ended like the baseline. */
export class LateLooks {
  readonly #seen = new Set<string>();

  /**
   * Returns how long after its last change the system is watched in a run. Undefined if the run needs no second reading.
   * The first run of each disturbance of an event or an operation is read again. The first run of each kind is watched
   * longer.
   */
  watchedMs(
    { schedule, faults, killsAtEvents }: Pick<RunPlan, "schedule" | "faults" | "killsAtEvents">,
    { usualMs, longMs }: Rest["watched"],
  ): number | undefined {
    const [one, ...others] = schedule;
    if (one === undefined || others.length > 0) return undefined;
    const subjects = [...faults.map(({ event, operation }) => event ?? operation), ...killsAtEvents.keys()];
    const disturbance = JSON.stringify([one.kind, subjects]);
    if (this.#seen.has(disturbance)) return undefined;
    const isFirst = !this.#seen.has(one.kind);
    this.#seen.add(disturbance).add(one.kind);
    return isFirst ? longMs : usualMs;
  }
}
