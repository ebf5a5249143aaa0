import type { Explored } from "./result.ts";
import type { Exploration, ExploreResult } from "./exploration.ts";
import { LIMITS } from "./search-limits.ts";
import { NotTried } from "../../base/failures.ts";
import { openStage } from "./stage.ts";
import { Search } from "./search.ts";
import { Stop, Stopped } from "../../base/stop.ts";

/** Tries the possible orders and failures of a scenario's webhooks and calls, and compares the states at the end. */
export async function exploreScenario(exploration: Exploration): Promise<Explored> {
  const { scenario, depth = LIMITS.depth.preset, seed = LIMITS.seed.preset } = exploration;
  try {
    using stop = new Stop(exploration.wall, exploration.signal);
    await using stage = await openStage({ ...exploration, wall: stop.wall }, stop);
    return await new Search(stage).run();
  } catch (caught) {
    const error = firstFailure(caught);
    if (!(error instanceof NotTried || error instanceof Stopped)) throw error;
    const result: ExploreResult = {
      scenario: scenario.name,
      events: [],
      calls: [],
      depth,
      schedules: { tried: 0, total: 0, skipped: 0 },
      ignored: [],
      divergences: [],
      verdict: "not-tried",
      reason: error instanceof Stopped ? endedBefore(error) : error.message,
      file: scenario.file,
      seed,
      cells: [],
      notes: [],
      notTried: [],
    };
    return { result };
  }
}

function endedBefore({ message }: Stopped): string {
  return `The baseline did not end, because ${message}. Give it more --time, or find out why your system waits.`;
}

/** Returns the first failure, which a failure while closing would hide. Node 22 has no global `SuppressedError`. */
function firstFailure(caught: unknown): unknown {
  const isHidden = caught instanceof Error && caught.name === "SuppressedError";
  return isHidden ? (caught as SuppressedError).suppressed : caught;
}
