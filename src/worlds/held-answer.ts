import type { Simulation } from "../engine/simulation.ts";
import { addDuration, type Instant } from "../engine/instant.ts";
import { effectOf } from "../platform/faults/effects.ts";
import { type Fault, faults } from "../platform/faults/fault.ts";
import { timers } from "../engine/timers.ts";

/**
 * Until when the answer to a call is held back, whose command and what that made due at once were journaled from an
 * entry on: until the next timer that they armed, where it is due soon enough and announces an event that a fault sends
 * before the answer (fault: early, `within`). Undefined where it does not.
 */
export function heldUntil(simulation: Simulation, entry: number): Instant | undefined {
  const { records, now } = simulation;
  const own = Array.from(records.all(timers)).filter(({ armedBy }) => armedBy >= entry);
  const due = Math.min(...own.map((timer) => timer.due));
  const waiting = earlyFaults(simulation).filter(
    ({ fields: { within } }) => typeof within === "string" && due <= addDuration(now, within, "UTC"),
  );
  if (waiting.length === 0) return undefined;
  const ahead = simulation.copy({});
  ahead.moveTo(due);
  const isHit = waiting.some(({ id, hits }) => (ahead.records.get(faults, id)?.hits ?? 0) > hits);
  return isHit ? due : undefined;
}

/** The faults that are armed and send an event before the answer to its call. */
export function earlyFaults({ records }: Pick<Simulation, "records">): Fault[] {
  return Array.from(records.all(faults)).filter(({ effect }) => effectOf(effect).isBeforeAnswer);
}
