import type { Baseline } from "./baseline.ts";
import type { Exploration } from "./exploration.ts";
import type { ExploredReceiver } from "./receiver.ts";
import type { PartnerLife } from "./partner-system.ts";
import type { PlayedWorld } from "../../access/played-world.ts";
import type { Rest } from "./rest.ts";
import { LIMITS } from "./search-limits.ts";
import { type Crashes, KILL_DELAYS_MS } from "./crashes.ts";
import {
  type Deviation,
  type Schedule,
  armedOf,
  faultsOf,
  keyOf,
  kindOf,
  movesTime,
  nameOf,
} from "./deviations.ts";
import { differencesOf } from "./oracles.ts";
import { eventsOf } from "./events.ts";
import { isTimed } from "./sight.ts";
import { FirstLints } from "../scenarios/lints.ts";
import type { Played, Player } from "./play.ts";
import { stepsOfDeviation } from "./taking.ts";
import { samplesOf } from "./schedules.ts";
import { seededChance } from "../../engine/random.ts";
import type { StateDifference } from "../oracle/comparison.ts";

/** The largest distance between two simultaneous requests in the later samples of a race. */
const OFFSET_MAX_MS = 12;

/** If a call of the previous run arrives late, the schedule is played again: at most this often, after this pause. */
const STRAGGLERS_MAX = 3;
const STRAGGLER_MS = 1_000;

/** The factor for the time that a system gets in the run that confirms a divergence. */
export const PATIENCE = 10;

interface StageParts {
  readonly world: PlayedWorld;
  readonly player: Player;
  readonly receiver: ExploredReceiver;
  readonly life: PartnerLife;
  readonly crashes: Crashes;
  readonly rest: Rest;
}

/** The number of a run among the runs of its schedule. */
interface Sample {
  /** The number of the try, counted from 0. Races are tried several times. */
  readonly number?: number;
  readonly patience?: number;
  /** True if the steps are watched and the work after the answers is timed, as in a baseline. */
  readonly isWatched?: boolean;
}

/** Plays schedules one after another in the world of one exploration. */
export class Stage {
  readonly #exploration: Exploration;
  readonly #parts: StageParts;
  /** Undefined until the two runs without deviations are played. */
  baseline: Baseline | undefined;
  readonly lints = new FirstLints();
  #runs = 0;

  constructor(exploration: Exploration, parts: StageParts) {
    this.#exploration = exploration;
    this.#parts = parts;
  }

  /** Plays a schedule, again if a call of the run before came late. */
  async play(schedule: Schedule, sample: Sample = {}): Promise<Played> {
    let played = await this.#playOnce(schedule, sample);
    for (let again = 0; again < STRAGGLERS_MAX && this.#hasStraggler(played); again++) {
      await this.#exploration.wall.pause(STRAGGLER_MS);
      played = await this.#playOnce(schedule, sample);
    }
    return played;
  }

  /** Finds the differences between the end of a run and the end of the baseline. */
  differencesOf(played: Played, schedule: Schedule): StateDifference[] {
    const { baseline } = this;
    if (baseline === undefined) return [];
    return differencesOf(played, baseline, { isMovedInTime: movesTime(schedule, baseline.timeline) });
  }

  /** Returns true if only calls are disturbed. */
  isOfCalls(schedule: Schedule): boolean {
    return schedule.every(({ call }) => call !== undefined);
  }

  /** Returns the deviations whose event or call did not occur in the run that was just played. */
  notReached(schedule: Schedule, { hits, statuses }: Played): Deviation[] {
    const armed = armedOf(schedule);
    return schedule.filter((deviation) => {
      const { event, step, kind } = deviation;
      if (step !== undefined) return !statuses.has(step);
      if (event !== undefined && kindOf(kind).group === "crashes")
        return !this.#parts.crashes.hasHappenedAt(event);
      const place = armed.findIndex((one) => keyOf(one) === keyOf(deviation));
      return (hits.get(`f${place + 1}`) ?? 0) === 0;
    });
  }

  async #playOnce(
    schedule: Schedule,
    { number = 0, patience = 1, isWatched = false }: Sample,
  ): Promise<Played> {
    const { seed = 1, scenario, slowMs = LIMITS.slowMs.preset } = this.#exploration;
    const { player, receiver, crashes } = this.#parts;
    const { baseline } = this;
    this.#runs += 1;
    const isBaseline = schedule.length === 0 || baseline === undefined;
    if (!isBaseline) this.#planCrashes(schedule, baseline, number);
    receiver.crashOf = crashes.areAtEvents && !isBaseline ? this.#crashOf : undefined;
    const chance = seededChance(seed, `offsets ${nameOf(schedule)} ${number}`);
    // The first sample of a race is of exactly the same moment.
    const offsetMs = number > 0 && isTimed(this.#exploration) ? () => chance.below(OFFSET_MAX_MS) : undefined;
    receiver.offsetMs = offsetMs;
    const played = await player.play({
      run: `r${this.#runs}`,
      seed: seededChance(seed, `run ${this.#runs}`).below(2 ** 32),
      faults: isBaseline ? [] : faultsOf(schedule, baseline.timeline, slowMs),
      doubled: new Set(schedule.flatMap(({ step }) => (step === undefined ? [] : [step]))),
      steps: isBaseline ? scenario.steps : stepsOfDeviation(scenario.steps, baseline.played.statuses),
      isWatched,
      isTiming: isWatched,
      patience,
      // The result of a race stays, even after a long wait.
      patienceAgain: Math.max(patience, samplesOf(schedule, 2) > 1 ? PATIENCE : 1),
      ...(offsetMs && { offsetMs }),
      ...(!isBaseline && { isExpected: (found) => this.differencesOf(found, schedule).length === 0 }),
    });
    this.lints.add(played.lints, isBaseline ? "" : ` It happened with ${nameOf(schedule)}.`);
    return played;
  }

  #planCrashes(schedule: Schedule, { timeline }: Baseline, number: number): void {
    const { killDelayMs } = this.#exploration;
    const delays = killDelayMs === undefined ? KILL_DELAYS_MS : [killDelayMs];
    this.#parts.crashes.plan(schedule, {
      timeline,
      armed: armedOf(schedule),
      delayMs: isTimed(this.#exploration) ? delays[number % delays.length] : killDelayMs,
      isLater: number > 0,
    });
  }

  readonly #crashOf: NonNullable<ExploredReceiver["crashOf"]> = (requests) => {
    const { world, crashes } = this.#parts;
    const deliveries = world.announced();
    const events = eventsOf({ run: `r${this.#runs}`, deliveries, stepEnds: [] });
    for (const { body } of requests) {
      const text = Buffer.from(body).toString("utf8");
      const position = deliveries
        .filter(({ duplicateOf }) => duplicateOf === null)
        .findIndex((delivery) => delivery.body === text);
      const kind = crashes.takeAt(events[position]);
      if (kind !== undefined)
        return { isBeforeAnswer: kind === "killed-before-answer", delayMs: crashes.delayMs };
    }
    return undefined;
  };

  /** Returns true if a call about the run before came: a worker was still waiting to send it again. */
  #hasStraggler({ calls }: Played): boolean {
    const before = new RegExp(`(?<![A-Za-z0-9])r${this.#runs - 1}(?![A-Za-z0-9])`);
    return calls.some(({ object }) => before.test(object));
  }
}
