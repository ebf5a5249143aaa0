import type { Input, JournalNote } from "../engine/journal.ts";
import type { Deliveries } from "../webhooks/deliveries.ts";
import type { Run } from "./run.ts";
import { type TimelineLine, timelineLines } from "./timeline.ts";
import type { Simulation } from "../engine/simulation.ts";
import { LongWork } from "../process/long-work.ts";

/** An instant, or how far it is from the time at which the move begins. */
export type MoveTarget = { readonly to: number } | { readonly by: (from: number) => number };

/** Where an advance is to go. */
export type AdvanceTarget = MoveTarget | { readonly until: "next" | "idle" };

export interface AdvanceReport {
  readonly from: number;
  readonly to: number;
  /** How many timers fired. */
  readonly fired: number;
  /** What happened on the way; it can be read once. */
  readonly happened: IteratorObject<TimelineLine>;
  /** What ended the advance early: a limit, or a reset of the world. */
  readonly stoppedBy?: string;
}

/** Timers that one advance may fire before it stops and reports it: some minutes of work. */
const TIMERS_PER_ADVANCE_MAX = 1_000_000;

interface Advance {
  readonly run: Pick<Run, "simulation" | "deliveries" | "fireUntil" | "isFull">;
  readonly target: AdvanceTarget;
  /** Whether it waits for the webhooks of an instant before time moves on. */
  readonly waits: boolean;
  readonly timersMax?: number;
}

/**
 * Moves a simulation to a target: at each instant everything due happens, then the webhooks it caused are attempted,
 * and only then does time move on. It is done in turns, so that a long one delays no other request.
 */
export async function advanceTo({
  run,
  target,
  waits,
  timersMax = TIMERS_PER_ADVANCE_MAX,
}: Advance): Promise<{ fired: number; stoppedBy?: string }> {
  const { simulation, deliveries } = run;
  const end = endOf(target, simulation);
  if (end === undefined) return { fired: 0 };
  const work = new LongWork();
  let fired = 0;
  for (;;) {
    const due = simulation.nextDue();
    if (due === undefined || due > end) break;
    if (deliveries.isClosed) return { fired, stoppedBy: "reset" };
    if (run.isFull) return { fired, stoppedBy: "memoryMax" };
    if (fired >= timersMax) return { fired, stoppedBy: "timersPerAdvanceMax" };
    fired += await run.fireUntil(due, work);
    if (waits && deliveries.isBusy) await deliveries.settled();
    if (work.isDue) await work.nextTurn();
  }
  if (deliveries.isClosed) return { fired, stoppedBy: "reset" };
  if (end !== Infinity) simulation.moveTo(end);
  return { fired };
}

function endOf(target: AdvanceTarget, simulation: Simulation): number | undefined {
  if (!("until" in target)) return instantOf(target, simulation.now);
  return target.until === "next" ? simulation.nextDue() : Infinity;
}

/** The instant that a target means at the time `from`. */
export function instantOf(target: MoveTarget, from: number): number {
  return "to" in target ? target.to : target.by(from);
}

interface Move {
  readonly simulation: Simulation;
  readonly deliveries: Deliveries;
  readonly to: number;
}

/**
 * Moves a simulation on in this turn and waits for no webhook. It stops at every instant at which something is due, as
 * an advance does, so that both leave the same journal.
 */
export function moveTo({ simulation, deliveries, to }: Move): number {
  let fired = 0;
  for (let due = simulation.nextDue(); due !== undefined && due <= to; due = simulation.nextDue()) {
    fired += simulation.moveTo(due);
    deliveries.open();
  }
  simulation.moveTo(to);
  return fired;
}

/** Where a move begins. */
interface StartOfMove {
  readonly from: number;
  readonly entry: number;
}

export function startOfMove({ now, journal }: Simulation): StartOfMove {
  return { from: now, entry: journal.nextNumber };
}

/** What happened since a move began. */
export function reportSince(
  simulation: Simulation,
  { from, entry }: StartOfMove,
): Omit<AdvanceReport, "fired"> {
  return { from, to: simulation.now, happened: timelineLines(simulation.journal.since(entry)) };
}

/** What the journal keeps of a move of the clock. */
export interface MoveInput extends Input {
  readonly kind: "move";
  readonly from: number;
  readonly to: number;
  /** The body of the request for it. */
  readonly asked?: string;
}

/** Notes a move of the clock in the journal, if time did move. */
export function noteMove(
  simulation: Simulation,
  { from, to }: AdvanceReport,
  asked: string | undefined,
): JournalNote | undefined {
  if (from === to) return undefined;
  const input: MoveInput = { kind: "move", size: 50, from, to, ...(asked !== undefined && { asked }) };
  return simulation.note({ by: "clock", name: "move", input });
}
