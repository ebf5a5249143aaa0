import type { Baseline } from "./baseline.ts";
import { type Found, differencesOf } from "./differences.ts";
import type { Played } from "./played.ts";

interface Seen {
  readonly baseline: Baseline;
  readonly found: readonly Found[];
  /** Plays a run without deviations that is read only at its end. */
  readonly play: () => Promise<Played>;
  /** Plays a run without deviations that is read after each exchange. */
  readonly watch: () => Promise<Played>;
}

export const DEPENDS_ON_READINGS =
  "The end of a run without deviations depends on how often the probe is read: the probe may read a cache.";

/**
 * Returns true if the end of a run without deviations depends on the readings during the run, because a cache is filled
 * by the first reading. A system that ends otherwise by chance does not do so in every second run.
 */
export async function dependsOnReadings(
  watched: Played,
  { baseline, found, play, watch }: Seen,
): Promise<boolean> {
  const isUsual = (run: Played): boolean => differencesOf(run, [], baseline).length === 0;
  const isAlike = (one: Played, other: Played): boolean =>
    baseline.changes(baseline.name(one, one.state), baseline.name(other, other.state)).length === 0;
  if (found.length === 0 || isUsual(watched)) return false;
  const plain = await play();
  if (!isUsual(plain)) return !isAlike(watched, plain);
  return isAlike(watched, await watch()) && isUsual(await play());
}
