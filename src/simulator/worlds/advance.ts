import type { JournalNote } from "../engine/journal.ts";
import type { WorldInput } from "./inbound-request.ts";
import type { Run } from "./run.ts";
import { type Follower, type Followers, type Turn, withTurns } from "./followers.ts";
import type { TimelineLine } from "../api/generated/shapes.ts";
import { timelineLines } from "./timeline.ts";
import type { Simulation } from "../engine/simulation.ts";
import { CLOCK_BOUNDS } from "../engine/instant.ts";
import { LongWork } from "../../base/long-work.ts";
import { clockEnd } from "../platform/faults/last-day.ts";

/** The target of an advance: an instant, a distance from its beginning, the next timer, or the end of the work. */
export type AdvanceTarget =
  { readonly to: number } | { readonly by: (from: number) => number } | { readonly until: "next" | "idle" };

/** The result of an advance. */
interface Advanced {
  /** The number of timers that fired. */
  readonly fired: number;
  /** The turns of followers. */
  readonly turns: readonly Turn[];
  /** The cause that ended the advance early: a limit, a follower, or a reset of the world. */
  readonly stoppedBy?: string;
  /** The follower that stopped it. */
  readonly follower?: Follower | undefined;
}

/** The result of an advance with the times and the timeline in place of the turns. */
export interface AdvanceReport extends Omit<Advanced, "turns"> {
  readonly from: number;
  readonly to: number;
  /** The first lines of the timeline of the advance. It can be read once. */
  readonly happened: IteratorObject<TimelineLine>;
  /** The journal entry of the first line that is not in `happened`. */
  readonly rest?: number | undefined;
}

/** Timers that one advance may fire before it stops and reports it: some minutes of work. */
const TIMERS_PER_ADVANCE_MAX = 1_000_000;

/** The number of times that webhooks or followers may lead to more work at the same instant. */
const TURNS_PER_INSTANT_MAX = 1_000;

/** Finds the reason to stop an advance early: its signal, or too much work at one instant. */
export class AdvanceLimit {
  readonly #run: Pick<Run, "simulation" | "deliveries">;
  readonly #signal: AbortSignal | undefined;
  #instant = -Infinity;
  #turns = 0;
  #wavesBefore = 0;

  constructor(run: Pick<Run, "simulation" | "deliveries">, signal?: AbortSignal) {
    this.#run = run;
    this.#signal = signal;
  }

  /** Counts a turn at the present instant. */
  turnTaken(): void {
    this.#atInstant();
    this.#turns++;
  }

  /** The name of the limit that is reached; undefined if the advance may continue. */
  get reached(): string | undefined {
    if (this.#signal?.aborted === true)
      return typeof this.#signal.reason === "string" ? this.#signal.reason : "client";
    this.#atInstant();
    const waves = this.#run.deliveries.waves - this.#wavesBefore;
    return this.#turns + waves > TURNS_PER_INSTANT_MAX ? "turnsPerInstantMax" : undefined;
  }

  readonly isReached = (): boolean => this.reached !== undefined;

  /** Restarts the counts if time has moved. */
  #atInstant(): void {
    const { simulation, deliveries } = this.#run;
    if (simulation.now === this.#instant) return;
    this.#instant = simulation.now;
    this.#turns = 0;
    this.#wavesBefore = deliveries.waves;
  }
}

interface Advance {
  readonly run: Pick<Run, "simulation" | "deliveries" | "fireUntil" | "isFull">;
  readonly target: AdvanceTarget;
  /** Whether it waits for the webhooks and the followers of an instant before time moves on. */
  readonly waits: boolean;
  readonly timersMax?: number;
  readonly followers?: Followers;
  /** Sets the clocks of the followers to the present instant. */
  readonly reach?: () => Promise<void>;
  readonly limit?: AdvanceLimit;
}

/**
 * Moves a simulation to a target. At each instant:
 * 1. everything due happens;
 * 2. the webhooks that it caused are attempted;
 * 3. each follower that waits for the instant has its turn;
 * 4. time moves on.
 *
 * The work is done in turns, so a long advance delays no other request.
 */
export async function advanceTo({
  run,
  target,
  waits,
  timersMax = TIMERS_PER_ADVANCE_MAX,
  followers,
  reach,
  limit = new AdvanceLimit(run),
}: Advance): Promise<Advanced> {
  const { simulation, deliveries } = run;
  const turns: Turn[] = [];
  const work = new LongWork();
  const obeyed = waits ? followers : undefined;
  let fired = 0;
  const stopped = (stoppedBy: string, follower?: Follower): Advanced => ({
    fired,
    turns,
    stoppedBy,
    follower,
  });
  /** Gives the due followers their turns. Returns the follower that takes too long. */
  const takeTurns = async (due: readonly Follower[]): Promise<Follower | undefined> => {
    for (const follower of due) {
      await reach?.();
      limit.turnTaken();
      const position = { now: simulation.now, entry: simulation.journal.nextNumber - 1 };
      const turn = await followers?.take(follower, position, limit.isReached);
      if (limit.isReached()) return undefined;
      if (turn === undefined) return follower;
      if (turn.ran > 0) turns.push(turn);
      const late = await settled(run, followers, limit);
      if (late !== undefined) return late;
    }
    return undefined;
  };
  // Followers that have not reported yet first say which instant they wait for.
  const beginning = obeyed?.beginning ?? [];
  const late = await Promise.all(beginning.map((one) => takeTurns([one])));
  const first = late.find((one) => one !== undefined);
  if (first !== undefined) return stopped("follower", first);
  if (limit.reached !== undefined) return stopped(limit.reached);
  const wanted = endOf(target, simulation, obeyed);
  if (wanted === undefined) return { fired, turns };
  const faultEnd = clockEnd(simulation.records, simulation.now);
  const end = Math.min(wanted, faultEnd, CLOCK_BOUNDS.last);
  const isEndless = wanted === Infinity && faultEnd === Infinity;
  for (;;) {
    const due = nextDue(simulation, obeyed);
    // The timers of followers alone do not continue the advance: a nightly job has no last night.
    if (due === undefined || due > end || (isEndless && simulation.nextDue() === undefined)) break;
    if (deliveries.isClosed) return stopped("reset");
    limit.turnTaken();
    if (limit.reached !== undefined) return stopped(limit.reached);
    if (run.isFull) return stopped("memoryMax");
    if (fired + turns.length >= timersMax) return stopped("timersPerAdvanceMax");
    fired += await run.fireUntil(due, work, reach, limit.isReached);
    if (limit.reached !== undefined) return stopped(limit.reached);
    if (simulation.now < due && (simulation.nextDue() ?? Infinity) > due) simulation.moveTo(due);
    const tooLate =
      (waits ? await settled(run, followers, limit) : undefined) ??
      (obeyed && (await takeTurns(obeyed.due(simulation.now))));
    if (tooLate !== undefined) return stopped("follower", tooLate);
    if (work.isDue) await work.nextTurn();
  }
  if (deliveries.isClosed) return stopped("reset");
  if (limit.reached !== undefined) return stopped(limit.reached);
  const isCut = end < wanted && (wanted !== Infinity || (nextDue(simulation, obeyed) ?? 0) > end);
  if (isCut || wanted !== Infinity) simulation.moveTo(end);
  if (isCut) return stopped(end === faultEnd ? "fault" : "clockEnd");
  return { fired, turns };
}

/** Returns the next due instant. It is never earlier than the present. */
function nextDue(simulation: Simulation, followers: Followers | undefined): number | undefined {
  const due = simulation.nextDue();
  const ofFollowers = followers?.nextDue;
  if (ofFollowers === undefined) return due;
  return Math.min(due ?? Infinity, Math.max(ofFollowers, simulation.now));
}

/**
 * Waits until the outcome of every webhook is committed and no follower works on one. The work that a follower does
 * after its answer comes before the outcome. A follower that takes too long ends the wait, and so does a limit.
 * Returns that follower.
 */
export async function settled(
  { deliveries }: Pick<Run, "deliveries">,
  followers: Followers | undefined,
  { isReached }: Pick<AdvanceLimit, "isReached">,
): Promise<Follower | undefined> {
  let isOpen = followers !== undefined && followers.size > 0;
  while (isOpen) {
    await deliveries.answered(isReached);
    const late = await followers?.idle(isReached);
    if (isReached()) return undefined;
    if (late !== undefined) return late;
    await deliveries.commitKnown();
    isOpen = deliveries.isBusy;
  }
  if (deliveries.isBusy) await deliveries.settled(isReached);
  return undefined;
}

/** Returns the end of an advance to a target. Undefined if no timer is armed. */
function endOf(
  target: AdvanceTarget,
  simulation: Simulation,
  followers: Followers | undefined,
): number | undefined {
  if (!("until" in target)) return instantOf(target, simulation.now);
  return target.until === "next" ? nextDue(simulation, followers) : Infinity;
}

/** Returns the instant of a target, for a move that begins at the time `from`. */
export function instantOf(target: Exclude<AdvanceTarget, { readonly until: unknown }>, from: number): number {
  return "to" in target ? target.to : target.by(from);
}

/** Lines of the timeline in one report, unless a single entry has more. The timeline itself has the rest. */
const LINES_PER_REPORT_MAX = 1_000;

/** Begins the report of an advance. Returns a function that completes it with the result of the advance. */
export function beginReport(simulation: Simulation): (advanced: Advanced) => AdvanceReport {
  const { now: from } = simulation;
  const entry = simulation.journal.nextNumber;
  return ({ turns, ...advanced }) => {
    const entries = simulation.journal.since(entry);
    let count = 0;
    const end = entries.findIndex(({ timeline }) => (count += timeline.length) > LINES_PER_REPORT_MAX);
    const rest = end < 1 ? undefined : entries[end]?.number;
    const lines = timelineLines(rest === undefined ? entries : entries.slice(0, end), simulation.journal);
    const shown = rest === undefined ? turns : turns.filter((turn) => turn.entry < rest);
    const happened = shown.length === 0 ? lines : withTurns(lines, shown);
    return { from, to: simulation.now, happened, rest, ...advanced };
  };
}

/** Notes a move of the clock in the journal, if time did move. */
export function noteMove(
  simulation: Simulation,
  { from, to }: AdvanceReport,
  asked: string | undefined,
): JournalNote | undefined {
  if (from === to) return undefined;
  const input: WorldInput = { kind: "move", size: 50, from, to, ...(asked !== undefined && { asked }) };
  return simulation.note({ by: "clock", name: "move", input });
}
