import type { Dispatcher } from "../webhooks/dispatcher.ts";
import type { TimelineLine } from "./timeline.ts";
import { timelineLines } from "./timeline.ts";
import { memory } from "./memory.ts";
import type { Simulation } from "../engine/simulation.ts";
import { setImmediate as breathe } from "node:timers/promises";

/** An instant, or how far it is from where the clock stands when the move begins. */
export type MoveTarget = { readonly to: number } | { readonly by: (from: number) => number };

/** Where an advance is to go. */
export type AdvanceTarget = MoveTarget | { readonly until: "next" | "idle" };

export interface AdvanceReport {
  readonly from: number;
  readonly to: number;
  /** How many timers fired. */
  readonly fired: number;
  readonly happened: readonly TimelineLine[];
  /** The limit that ended the advance early, where one did. */
  readonly stoppedBy?: string;
}

/** Timers that one advance may fire before it stops and says so: some minutes of work. */
const TIMERS_PER_ADVANCE_MAX = 1_000_000;

/** Instants that are drained before other requests get their turn. */
const INSTANTS_PER_BREATH = 200;

interface Advance {
  readonly simulation: Simulation;
  readonly dispatcher: Dispatcher;
  readonly target: AdvanceTarget;
  readonly timersMax?: number;
}

/**
 * Drains a simulation up to a target: at each instant everything due runs, then the webhooks it caused are
 * delivered, and only then does time move on.
 */
export async function advanceTo({
  simulation,
  dispatcher,
  target,
  timersMax = TIMERS_PER_ADVANCE_MAX,
}: Advance): Promise<{ fired: number; stoppedBy?: string }> {
  const end = endOf(target, simulation);
  if (end === undefined) return { fired: 0 };
  let fired = 0;
  for (let instants = 1; ; instants++) {
    const due = simulation.nextDue();
    if (due === undefined || due > end) break;
    if (memory.isFull) return { fired, stoppedBy: "memoryMax" };
    if (fired >= timersMax) return { fired, stoppedBy: "timersPerAdvanceMax" };
    fired += simulation.moveTo(due);
    dispatcher.open();
    if (dispatcher.isBusy) await dispatcher.settled();
    else if (instants % INSTANTS_PER_BREATH === 0) await breathe();
  }
  if (end !== Infinity) simulation.moveTo(end);
  return { fired };
}

function endOf(target: AdvanceTarget, simulation: Simulation): number | undefined {
  if (!("until" in target)) return instantOf(target, simulation.now);
  return target.until === "next" ? simulation.nextDue() : Infinity;
}

/** The instant that a target means for a clock that stands at `from`. */
export function instantOf(target: MoveTarget, from: number): number {
  return "to" in target ? target.to : target.by(from);
}

interface Move {
  readonly simulation: Simulation;
  readonly dispatcher: Dispatcher;
  readonly to: number;
}

/**
 * Moves a simulation on at once, waiting for no webhook. It stops at every instant at which something is due, as
 * an advance does, so that both leave the same journal.
 */
export function moveTo({ simulation, dispatcher, to }: Move): number {
  let fired = 0;
  for (let due = simulation.nextDue(); due !== undefined && due <= to; due = simulation.nextDue()) {
    fired += simulation.moveTo(due);
    dispatcher.open();
  }
  simulation.moveTo(to);
  return fired;
}

/** Where a move begins, to tell afterwards what happened since. */
interface Beginning {
  readonly from: number;
  readonly entry: number;
}

export function beginning({ now, journal }: Simulation): Beginning {
  return { from: now, entry: journal.nextNumber };
}

/** What happened since a move began. */
export function reportOf(simulation: Simulation, { from, entry }: Beginning): Omit<AdvanceReport, "fired"> {
  return { from, to: simulation.now, happened: timelineLines(simulation.journal.since(entry)) };
}
