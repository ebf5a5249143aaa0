import type { Store } from "../../engine/store.ts";
import type { Instant } from "../../engine/instant.ts";
import { addDays, instantAt, localDate } from "../../countries/brazil/calendar.ts";
import { affects } from "./effect.ts";
import { effectOf } from "./effects.ts";
import { faults } from "./fault.ts";

/** Returns the last instant that a clock can reach. It is the end of its day if a fault says so (fault: last-day). */
export function clockEnd(records: Pick<Store, "all" | "count">, now: Instant): Instant {
  if (records.count(faults) === 0) return Infinity;
  const isLastDay = Array.from(records.all(faults)).some(({ effect }) =>
    affects(effectOf(effect), "midnight"),
  );
  return isLastDay ? instantAt(addDays(localDate(now), 1), "00:00") - 1 : Infinity;
}
