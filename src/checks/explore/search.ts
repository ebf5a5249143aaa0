import type { Divergence, Exploration, CellResult } from "./exploration.ts";
import type { Played } from "./played.ts";
import type { Baseline } from "./baseline.ts";
import { NotTried } from "../../base/failures.ts";
import { playBaselines, withoutIdentity } from "./baselines.ts";
import {
  type DeviationKind,
  type Schedule,
  candidates,
  contains,
  deviationKinds,
  kindOf,
  nameOf,
} from "./deviations.ts";
import { type Found, differencesOf, GONE } from "./differences.ts";
import { isOfSystem } from "./calls.ts";
import { type Reaction, watch } from "./reactions.ts";
import { causeGroupOf, divergencesOf } from "./divergences.ts";
import { inTurns, type Level, levelsOf, missedIn, notReached, savedSchedule } from "./schedules.ts";
import { type Explored, resultOf } from "./result.ts";
import { PATIENCE, planOf, triesOf } from "./run-plan.ts";
import { Runs } from "./runs.ts";
import type { Watcher } from "./receiver.ts";
import { busySentence } from "../../partner/settled-state.ts";
import { namedAgain, pathsOf, reconciledLater, repeatedInTime } from "./search-notes.ts";
import { refuseWithoutProbe } from "./unfit-probe.ts";
import { DEPENDS_ON_READINGS, dependsOnReadings } from "./old-data.ts";
import { nothingPossible } from "./deviation-words.ts";
import { nightlyJobs } from "./taking.ts";
import { workNotReached } from "./kill-moments.ts";
import type { Stage } from "./stage.ts";
import { LIMITS } from "./search-limits.ts";
import { Stopped } from "../../base/stop.ts";
import type { WorkTime } from "./answer-times.ts";
import type { StateDifference } from "../../partner/states/comparison.ts";

/** If the kills missed the work of the system, a schedule is tried this often again. */
const KILLS_AGAIN_MAX = 10;

/** The maximum number of changing paths in the report. */
const PATHS_MAX = 3;

/** The time that a receiver gets to come back after its process ended. */
const RESTART_MS = 3_000;

/** Searches for schedules that leave the partner's system, or the platform, in another state. */
export class Search {
  readonly #exploration: Exploration;
  readonly #stage: Stage;
  readonly #runs: Runs;
  readonly #notes: string[] = [];
  readonly #found: Found[] = [];
  readonly #confirmed = new Set<string>();
  /** The advice that decides the undecided schedules. */
  readonly #decidedBy = new Set<string>();
  readonly #results = new Map<string, CellResult>();
  readonly #counts = { tried: 0, skipped: 0, notReached: 0, undecided: 0, shown: 0 };
  /** The number of finished schedules of each level, and the number of all. */
  readonly #levels: { done: number; readonly total: number }[] = [];
  #baseline!: Baseline;
  /** The reason if the search ended before all schedules were tried. */
  #ended: string | undefined;

  constructor(stage: Stage) {
    this.#stage = stage;
    this.#exploration = stage.exploration;
    this.#runs = new Runs(stage);
    stage.stop.limit(this.#exploration.timeMs ?? LIMITS.timeMs.preset);
  }

  async run(): Promise<Explored> {
    const { depth = LIMITS.depth.preset, scenario } = this.#exploration;
    const { stop, life, isCaller } = this.#stage;
    const { baseline, notes } = await stop.until(playBaselines(this.#runs));
    this.#baseline = baseline;
    this.#notes.push(...notes);
    const { timeline } = baseline;
    const { canBeKilled } = life;
    const schedule = scenario.deviations && savedSchedule(scenario.deviations, { timeline, canBeKilled });
    const kinds = this.#kinds();
    if (kinds.has("request-twice")) this.#notes.push(...withoutIdentity(scenario.steps, isCaller));
    const deviations = candidates(timeline, kinds);
    if (deviations.length === 0 && schedule === undefined) throw new NotTried(nothingPossible(kinds));
    refuseWithoutProbe(this.#stage.probe, [...deviations, ...(schedule ?? [])]);
    const levels =
      schedule === undefined
        ? await this.#listed(levelsOf(depth, { deviations, timeline, wall: this.#exploration.wall }))
        : [{ schedules: [schedule], isCut: false, merged: [] }];
    if (levels.every(({ schedules }) => schedules.length === 0))
      throw new NotTried(
        "Every schedule leads to the same arrivals as the baseline: choose other deviations, or a scenario with more events.",
      );
    if (levels.some(({ isCut }) => isCut))
      this.#notes.push(
        "There are too many schedules to count them. Lower --depth, or choose kinds with --only.",
      );
    await this.#search(levels);
    const explained = await this.#explain();
    return resultOf({
      stage: this.#stage,
      baseline,
      ...explained,
      deviations,
      singles: new Set(levels[0]?.schedules.map(nameOf)),
      kinds,
      results: this.#results,
      counts: this.#counts,
      levels: this.#levels,
      merged: levels.flatMap(({ merged }) => merged),
      ended: this.#ended,
      notes: this.#notes,
      decidedBy: this.#decidedBy,
      lints: this.#runs.lints,
      runs: this.#runs.count,
    });
  }

  /** Returns the listed schedules, unless the search is stopped before. */
  async #listed<Listed>(listing: Promise<Listed>): Promise<Listed> {
    try {
      return await this.#stage.stop.until(listing);
    } catch (error) {
      if (!(error instanceof Stopped)) throw error;
      throw new NotTried(
        `The baseline ended, but no schedule was tried: while they were listed, ${error.message.replace(/^it /, "the exploration ")}. Lower --depth, or give it more --time.`,
      );
    }
  }

  /** Returns the kinds to try. By default these are all possible kinds, except the kinds that the user has to name. */
  #kinds(): Set<DeviationKind> {
    const { only, without = [], with: added = [], receiver } = this.#exploration;
    const { canBeKilled } = this.#stage.life;
    const isTriedByDefault = (kind: DeviationKind): boolean => {
      const { group, of, isNamedOnly } = kindOf(kind);
      const isPossible = (group !== "crashes" || canBeKilled) && (of !== "event" || receiver !== undefined);
      return isNamedOnly !== true && isPossible;
    };
    const chosen = [...(only ?? deviationKinds.filter(isTriedByDefault)), ...added];
    const kinds = chosen.filter((kind) => !without.includes(kind));
    const ofEvent = kinds.find((kind) => kindOf(kind).of === "event");
    if (ofEvent !== undefined && receiver === undefined)
      throw new NotTried(`${ofEvent} needs your webhook receiver. Name it with --receiver.`);
    const crash = kinds.find((kind) => kindOf(kind).group === "crashes");
    if (crash !== undefined && !canBeKilled)
      throw new NotTried(`${crash} needs a process that can be killed. Name it with --partner.`);
    return new Set(kinds);
  }

  async #search(levels: readonly Level[]): Promise<void> {
    const { budget = LIMITS.budget.preset, seed = LIMITS.seed.preset, onProgress } = this.#exploration;
    const { stop } = this.#stage;
    const total = levels.reduce((sum, { schedules }) => sum + schedules.length, 0);
    const tell = (): void => onProgress?.({ tried: this.#counts.shown, total, diverged: this.#found.length });
    try {
      tell();
      for (const { schedules } of levels) {
        const level = { done: 0, total: schedules.length };
        this.#levels.push(level);
        const isComplete = this.#counts.shown + schedules.length <= budget;
        if (this.#ended !== undefined) continue;
        const { wall } = this.#exploration;
        const ordered = isComplete ? schedules : await stop.until(inTurns(schedules, seed, wall));
        for (const schedule of ordered) {
          if (this.#found.some((found) => contains(schedule, found.schedule))) {
            this.#counts.skipped += 1;
            level.done += 1;
            continue;
          }
          if (this.#counts.shown >= budget) this.#ended = `the budget of ${budget} schedules was used up`;
          if (this.#ended !== undefined) break;
          await this.#try(schedule);
          level.done += 1;
          tell();
        }
      }
    } catch (error) {
      if (!(error instanceof Stopped)) throw error;
      this.#ended = error.message;
    }
  }

  /** Makes every schedule undecided. */
  #openAll(): void {
    this.#found.length = 0;
    this.#counts.undecided = this.#counts.tried;
    for (const [name, result] of this.#results)
      if (result === "ok" || result === "diverged") this.#results.set(name, "undecided");
    this.#decidedBy.add("a probe that reads the changed data, and not a cache or a copy");
  }

  /** Finds the causes of the divergences, as long as there is time. Also returns the watched baseline. */
  async #explain(): Promise<{
    readonly divergences: readonly Divergence[];
    readonly usualReactions: readonly Reaction[];
  }> {
    const isGone = this.#found.some(({ differences }) => differences.includes(GONE));
    const watchUsual = (): ReturnType<typeof watch> => this.#watch([], { patience: 1 });
    const watched =
      isGone || this.#stage.stop.reason !== undefined ? undefined : await watchUsual().catch(() => undefined);
    const seen = {
      baseline: this.#baseline,
      found: this.#found,
      play: () => this.#play([], { number: 0 }),
      watch: async () => (await watchUsual()).played,
    };
    if (watched !== undefined && (await dependsOnReadings(watched.played, seen))) {
      this.#notes.push(DEPENDS_ON_READINGS);
      this.#openAll();
    }
    const usualReactions = watched?.reactions;
    const facts = { results: this.#results, usualReactions };
    const divergences = divergencesOf(this.#found, this.#baseline, facts);
    return { divergences, usualReactions: usualReactions ?? [] };
  }

  #play(schedule: Schedule, sample: Parameters<typeof planOf>[2]): Promise<Played> {
    return this.#stage.stop.until(this.#runs.play(planOf(schedule, this.#baseline, sample)));
  }

  #differencesOf(played: Played, schedule: Schedule): StateDifference[] {
    return differencesOf(played, schedule, this.#baseline);
  }

  /** Plays a schedule with more patience, and looks at the state after each exchange. */
  #watch(schedule: Schedule, { number = 0, patience = PATIENCE }): ReturnType<typeof watch> {
    const play = (watcher?: Watcher): Promise<Played> => this.#play(schedule, { number, patience, watcher });
    return watch(play, this.#baseline, this.#stage.rest);
  }

  /** Plays a schedule. Plays a schedule with a race again until it diverges, because a race depends on timing. */
  async #try(schedule: Schedule): Promise<void> {
    const tries = triesOf(schedule, this.#exploration);
    let result: CellResult = "ok";
    const missed = (): WorkTime | undefined => this.#stage.kills.missedWork(schedule, this.#baseline);
    const triesMax = (): number => tries + (missed() === undefined ? 0 : KILLS_AGAIN_MAX);
    for (let number = 0; number < triesMax() && result === "ok" && this.#ended === undefined; number++)
      result = await this.#sample(schedule, number);
    const work = missed();
    if (work !== undefined && result === "ok") {
      const { killDelayMs } = this.#exploration;
      this.#notes.push(workNotReached(schedule, { work, killDelayMs }));
      result = "undecided";
    }
    this.#counts.shown += 1;
    if (result === "not-reached") this.#counts.notReached += 1;
    else this.#counts.tried += 1;
    if (result === "undecided") this.#counts.undecided += 1;
    if (schedule.length === 1) this.#results.set(nameOf(schedule), result);
  }

  async #sample(schedule: Schedule, number: number): Promise<CellResult> {
    const { life } = this.#stage;
    const played = await this.#play(schedule, { number });
    const failed = this.#exploration.scenario.steps.find(({ number: step }) => step === played.failure?.step);
    const missed = failed && missedIn(failed, schedule, this.#baseline.timeline);
    if (missed !== undefined) {
      this.#notes.push(`${nameOf(schedule)} was not tried: step ${failed?.number} fails ${missed}`);
      return "not-tried";
    }
    const isGone = await this.#stage.stop.until(this.#isGone(played));
    if (life.ending !== undefined && !this.#found.some(({ differences: [first] }) => first === GONE))
      this.#notes.push(`With ${nameOf(schedule)} your system no longer runs, ${life.ending}`);
    const differences = [...(isGone ? [GONE] : []), ...this.#differencesOf(played, schedule)];
    if (isGone && !(await this.#stage.stop.until(this.#comesBack()))) {
      this.#ended = `the receiver's process is gone after ${nameOf(schedule)}`;
      this.#notes.push(
        `The receiver's process is gone after ${nameOf(schedule)}, so the other schedules were not tried. Name it with --partner, or let a supervisor restart it.`,
      );
    }
    if (differences.length === 0) {
      if (this.#baseline.isMoving(played)) return this.#undecided(schedule, played);
      const isOfCalls = schedule.every(({ call }) => call !== undefined);
      const names = isOfCalls ? [...this.#baseline.names.renames(played).keys()] : [];
      if (names.length > 0) this.#notes.push(namedAgain(names, schedule));
      return notReached(schedule, played).length > 0 ? "not-reached" : "ok";
    }
    return this.#confirm({ schedule, played, differences }, { number, isGone });
  }

  /**
   * Plays a divergence again with more patience, and keeps it if it repeats. If only a busy machine shows it, it
   * becomes a note. A race that does not repeat is reported as seen once.
   */
  async #confirm(
    found: Found,
    { number, isGone }: { readonly number: number; readonly isGone: boolean },
  ): Promise<CellResult> {
    const { schedule } = found;
    const group = causeGroupOf(found);
    // Others of its group have the same cause, which was confirmed.
    const isConfirmed = this.#confirmed.has(group) && found.played.lateRepeats.length === 0;
    if (isGone || isConfirmed) return this.#keep(found);
    if (await this.#isReconciled(schedule, number)) return "ok";
    const samples = triesOf(schedule, this.#exploration);
    let confirming: Played | undefined;
    await this.#stage.stop.until(this.#stage.rest.drained());
    for (let sample = 0; sample < samples; sample++) {
      const { played, reactions } = await this.#watch(schedule, { number: (number + sample) % samples });
      const differences = this.#differencesOf(played, schedule);
      confirming = played;
      if (differences.length === 0 && this.#baseline.isMoving(played))
        return this.#undecided(schedule, played);
      if (differences.length === 0) continue;
      if (played.lateRepeats.length > 0) return this.#repeatedTooLate(schedule, played);
      this.#confirmed.add(group);
      return this.#keep({ schedule, played, differences, reactions });
    }
    const { lateRepeats } = found.played;
    if (lateRepeats.length > 0) {
      this.#notes.push(repeatedInTime(schedule, lateRepeats));
      return "ok";
    }
    const isMoving = this.#baseline.isMoving(found.played);
    if (samples > 1 && !isMoving) return this.#keep({ ...found, seen: { samples: number + 1 + samples } });
    this.#notes.push(
      `${nameOf(schedule)} left another state once (${pathsOf(found.differences)}), but not again with ${PATIENCE} times the waiting time, so it does not count. ${this.#whyOnce(found.played, confirming)}`,
    );
    return "ok";
  }

  /**
   * Returns true if the difference is gone after a request that may be a nightly job ran once more, after the last
   * webhook.
   */
  async #isReconciled(schedule: Schedule, number: number): Promise<boolean> {
    const jobs = nightlyJobs(this.#exploration.scenario.steps).possible;
    if (jobs.length === 0 || schedule.every(({ event }) => event === undefined)) return false;
    const played = await this.#play(schedule, { number, repeatsPossibleJobs: true });
    if (this.#differencesOf(played, schedule).length > 0) return false;
    this.#notes.push(reconciledLater(schedule, jobs));
    return true;
  }

  /** Says what was different in the run that confirms nothing. */
  #whyOnce(first: Played, second: Played | undefined): string {
    const busy = busySentence(this.#stage.rest.mostLagMs);
    if (busy !== undefined) return busy;
    const countOf = (played: Played | undefined): number => played?.calls.filter(isOfSystem).length ?? 0;
    const [before, after] = [countOf(first), countOf(second)];
    return before === after
      ? "Your system needed more time than it got at first. Name that time with --settle."
      : `Your system made ${before} calls in the first run and ${after} in the second. Name the time that it needs with --settle.`;
  }

  #keep(found: Found): CellResult {
    this.#found.push(found);
    return "diverged";
  }

  /** A state after such a repeat shows the leap of the clock, and not the system. */
  #repeatedTooLate(schedule: Schedule, { lateRepeats }: Played): CellResult {
    this.#decidedBy.add("an earlier repeat of the failed call, or --clock");
    this.#notes.push(
      `${nameOf(schedule)} is undecided: your system repeated ${lateRepeats.join(", ")} only after the clock had moved. Let it repeat a failed call sooner, or let its timers follow the clock (--clock).`,
    );
    return "undecided";
  }

  #undecided(schedule: Schedule, played: Played): CellResult {
    const paths = this.#baseline.movingPaths(played).slice(0, PATHS_MAX);
    this.#decidedBy.add("a longer --settle");
    for (const path of paths) this.#decidedBy.add(`--ignore '${path}', if it moves by itself`);
    this.#notes.push(
      `${nameOf(schedule)} is undecided: the state was still changing after 5 s. Try a longer --settle, or leave out the changing values with --ignore.`,
    );
    return "undecided";
  }

  async #isGone({ deliveries, stateProblem }: Played): Promise<boolean> {
    const isRefused = deliveries.some(({ attempts }) =>
      attempts.some(({ error, injected }) => error === "refused" && injected.length === 0),
    );
    const isReset = deliveries.some(({ attempts }) => attempts.some(({ error }) => error === "reset"));
    if (this.#stage.life.ending !== undefined) return true;
    if (!isRefused && !isReset && stateProblem === undefined) return false;
    return isRefused || this.#stage.receiver.isGone();
  }

  async #comesBack(): Promise<boolean> {
    const { receiver, life } = this.#stage;
    if (life.canBeKilled) {
      await life.kill();
      return life.isReady();
    }
    const { wall } = this.#exploration;
    for (const endMs = wall.now() + RESTART_MS; wall.now() < endMs; await wall.pause(100))
      if (!(await receiver.isGone())) return true;
    return false;
  }
}
