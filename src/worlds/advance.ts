import type { Dispatcher } from "../webhooks/dispatcher.ts";
import type { HappeningLine } from "./happening.ts";
import type { Simulation } from "../core/simulation.ts";
import { setImmediate as breathe } from "node:timers/promises";

/** Where an advance is to go. */
export type AdvanceTarget = { readonly to: number } | { readonly until: "next" | "idle" };

export interface AdvanceReport {
  readonly from: number;
  readonly to: number;
  /** How many timers fired. */
  readonly fired: number;
  readonly happened: readonly HappeningLine[];
  /** The limit that ended the advance early, where one did. */
  readonly stoppedBy?: string;
}

/** Timers that one advance may fire before it stops and says so. */
const TIMERS_PER_ADVANCE_MAX = 5_000_000;

/** Instants that are drained before other requests get their turn. */
const INSTANTS_PER_BREATH = 200;

interface Advance {
  readonly simulation: Simulation;
  readonly dispatcher: Dispatcher;
  readonly target: AdvanceTarget;
}

/**
 * Drains a simulation up to a target: at each instant everything due runs, then the webhooks it caused are
 * delivered, and only then does time move on.
 */
export async function advanceTo({
  simulation,
  dispatcher,
  target,
}: Advance): Promise<{ fired: number; stoppedBy?: string }> {
  const end = "to" in target ? target.to : target.until === "next" ? simulation.nextDue() : Infinity;
  if (end === undefined) return { fired: 0 };
  let fired = 0;
  for (let instants = 1; ; instants++) {
    const due = simulation.nextDue();
    if (due === undefined || due > end) break;
    if (fired >= TIMERS_PER_ADVANCE_MAX) return { fired, stoppedBy: "timersPerAdvanceMax" };
    fired += simulation.moveTo(due);
    dispatcher.open();
    if (dispatcher.isBusy) await dispatcher.settled();
    else if (instants % INSTANTS_PER_BREATH === 0) await breathe();
  }
  if (end !== Infinity) simulation.moveTo(end);
  return { fired };
}
