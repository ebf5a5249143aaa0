import type { Baseline } from "./baseline.ts";
import { type Found, differencesOf } from "./differences.ts";
import type { Played } from "./played.ts";

interface Seen {
  readonly baseline: Baseline;
  readonly found: readonly Found[];
  /** Plays a run without deviations that is read only at its end. */
  readonly play: () => Promise<Played>;
}

export const DEPENDS_ON_READINGS =
  "A run without deviations ends in another state each time, depending on how often the probe is read: the probe may read a cache.";

/**
 * Returns true if the end of a run without deviations depends on the readings during the run. It then differs with
 * many readings, with one reading, and with those of the baseline. A cache is filled by the first reading.
 */
export async function dependsOnReadings(watched: Played, { baseline, found, play }: Seen): Promise<boolean> {
  if (found.length === 0 || differencesOf(watched, [], baseline).length === 0) return false;
  const plain = await play();
  if (differencesOf(plain, [], baseline).length === 0) return false;
  const [one, other] = [watched, plain].map((run) => baseline.name(run, run.state));
  return baseline.changes(one, other).length > 0;
}
