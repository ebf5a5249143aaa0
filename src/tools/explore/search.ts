import type { Exploration, Explored } from "./exploration.ts";
import type { CellResult } from "./report-data.ts";
import type { ExploredReceiver } from "./receiver.ts";
import type { PartnerLife } from "./partner-system.ts";
import { Baseline, type BaselineSight, NotTried } from "./baseline.ts";
import { eventsOf } from "./events.ts";
import {
  type DeviationKind,
  type Schedule,
  armedOf,
  candidates,
  contains,
  deviationKinds,
  faultsOf,
  kindOf,
  movesTime,
  nameOf,
} from "./deviations.ts";
import { differencesOf, type Found, GONE } from "./oracles.ts";
import { divergencesOf } from "./divergences.ts";
import { inTurns, levelOf, missedIn, samplesOf, savedSchedule } from "./schedules.ts";
import { isDeepStrictEqual } from "node:util";
import { type Crashes, KILL_DELAYS_MS } from "./crashes.ts";
import { notTriedOf } from "./not-tried.ts";
import { type Played, type Player, stepsOfDeviation } from "./play.ts";
import { readProbe, stateOf } from "../oracle/probe.ts";
import type { StateDifference } from "../oracle/comparison.ts";
import { isSettleNamed, refuseFailedBaseline, sightOf } from "./sight.ts";
import { booksDivergence, contradictions } from "./money.ts";
import { traceLints } from "../books/traces.ts";
import { FirstLints } from "../scenarios/lints.ts";
import type { PlayedWorld } from "../../library/played-world.ts";
import type { ControlClient } from "../../control/client.js";
import { seededChance } from "../../engine/random.ts";

export const DEPTH = 2;
export const BUDGET = 500;
export const TIME_MS = 300_000;
/** How often a race is tried over sockets, where it depends on what is faster. */
export const REPEAT = 5;
/** How far apart the requests of one moment leave in the further samples of a race. */
const OFFSET_MAX_MS = 12;
/** How late the answer of `call-slow` is. */
export const SLOW_MS = 10_000;

/** How often a schedule is played again in which a call of the run before came, and how long nothing is sent before. */
const STRAGGLERS_MAX = 3;
const STRAGGLER_MS = 1_000;

/** How long a receiver whose process ended gets to come back. */
const RESTART_MS = 3_000;

interface SearchParts {
  readonly client: ControlClient;
  readonly world: PlayedWorld;
  readonly player: Player;
  readonly receiver: ExploredReceiver;
  readonly life: PartnerLife;
  readonly crashes: Crashes;
  readonly isCaller: boolean;
  readonly close: () => Promise<void>;
}

/** Which run of a schedule: races are tried several times. */
interface Sample {
  readonly number: number;
  readonly isWatched?: boolean;
}

/** The search for schedules after which the partner's system, or the platform, is in another state. */
export class Search implements AsyncDisposable {
  readonly #exploration: Exploration;
  readonly #parts: SearchParts;
  readonly #notes: string[] = [];
  readonly #found: Found[] = [];
  readonly #lints = new FirstLints();
  readonly #results = new Map<string, CellResult>();
  #baseline!: Baseline;
  #runs = 0;
  #tried = 0;
  #skipped = 0;
  #moving = 0;
  #hasEnded = false;

  constructor(exploration: Exploration, parts: SearchParts) {
    this.#exploration = exploration;
    this.#parts = parts;
  }

  async run(): Promise<Explored> {
    const { depth = DEPTH, seed = 1, scenario } = this.#exploration;
    await this.#playBaselines();
    const { timeline } = this.#baseline;
    const { canBeKilled } = this.#parts.life;
    const schedule = scenario.deviations && savedSchedule(scenario.deviations, { timeline, canBeKilled });
    const kinds = this.#kinds();
    const deviations = candidates(timeline, kinds);
    if (deviations.length === 0 && schedule === undefined) throw new NotTried(this.#nothingPossible(kinds));
    const levels = schedule === undefined ? this.#levels(deviations, depth) : [[schedule]];
    const total = levels.reduce((sum, schedules) => sum + schedules.length, 0);
    if (total === 0)
      throw new NotTried(
        "Every schedule leads to the same arrivals as the baseline: choose other deviations, or a scenario with more events.",
      );
    await this.#search(levels, { total, seed });
    const { divergences: found, watched } = await divergencesOf(this.#found, {
      exploration: this.#exploration,
      baseline: this.#baseline,
      receiver: this.#parts.receiver,
      play: (one) => this.#play(one, { number: 0 }),
      resultOf: (one) => this.#results.get(nameOf([one])),
    });
    const divergences = [...booksDivergence(this.#baseline, this.#exploration), ...found];
    this.#lints.add(traceLints(watched, this.#baseline.announced, this.#baseline.money));
    if (this.#moving > 0)
      this.#notes.push(
        `The state still moved when it was read in ${this.#moving} ${this.#moving === 1 ? "run" : "runs"}: wait longer with --settle, or ignore what moves.`,
      );
    const { ignored, state } = this.#baseline;
    // Others lead to the same arrivals as a schedule that was tried.
    const singles = new Set(levels[0]?.map(nameOf));
    return {
      baseline: this.#baseline,
      result: {
        scenario: scenario.name,
        events: timeline.events.map(({ index, event, object, step }) => {
          const { line = 1, column = 1 } = scenario.steps[step - 1] ?? scenario.steps.at(-1) ?? {};
          return { index, event, object, line, column };
        }),
        calls: timeline.calls.map(({ index, operation, object }) => ({ index, operation, object })),
        depth,
        schedules: { tried: this.#tried, total, skipped: this.#skipped },
        ignored,
        divergences,
        verdict: divergences.length === 0 ? "converges" : "diverges",
        file: scenario.file,
        seed,
        cells: deviations.map((deviation) => ({
          ...deviation,
          result:
            this.#results.get(nameOf([deviation])) ??
            (singles.has(nameOf([deviation])) ? ("not-tried" as const) : ("skipped" as const)),
        })),
        notes: this.#notes,
        notTried: notTriedOf({
          timeline,
          deviations,
          kinds,
          canBeKilled: this.#parts.life.canBeKilled,
          isCaller: this.#parts.isCaller,
          repeat: this.#repeat(),
          hasBooks: (this.#exploration.books ?? scenario.probe?.books) !== undefined,
        }),
        ...this.#lints.found,
        ...(this.#baseline.played.moments > 0 && { booksCompared: this.#baseline.played.moments }),
        ...("state" in this.#baseline.played && { state: state.value }),
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#parts.close();
  }

  #levels(deviations: Parameters<typeof levelOf>[1]["deviations"], depth: number): (readonly Schedule[])[] {
    const { timeline } = this.#baseline;
    const known = new Set<string>();
    levelOf(0, { deviations, timeline, known });
    const levels = Array.from({ length: depth }, (_, index) =>
      levelOf(index + 1, { deviations, timeline, known }),
    );
    if (levels.some(({ isCut }) => isCut))
      this.#notes.push(
        "There are more schedules than are counted: lower --depth, or choose kinds with --only.",
      );
    return levels.map(({ schedules }) => schedules);
  }

  /** The kinds by default are all that can be tried here, except those that have to be named. */
  #kinds(): Set<DeviationKind> {
    const { only, without = [], with: added = [] } = this.#exploration;
    const { canBeKilled } = this.#parts.life;
    const isTriedByDefault = (kind: DeviationKind): boolean => {
      const { group, isNamedOnly } = kindOf(kind);
      return isNamedOnly !== true && (group !== "crashes" || canBeKilled);
    };
    const chosen = [...(only ?? deviationKinds.filter(isTriedByDefault)), ...added];
    const kinds = chosen.filter((kind) => !without.includes(kind));
    const crash = kinds.find((kind) => kindOf(kind).group === "crashes");
    if (crash !== undefined && !canBeKilled)
      throw new NotTried(`${crash} needs a process that can be killed: name it with --partner.`);
    return new Set(kinds);
  }

  #nothingPossible(kinds: ReadonlySet<DeviationKind>): string {
    const isAboutCalls = Array.from(kinds).every((kind) => kindOf(kind).of !== "event");
    if (!isAboutCalls) return "No deviation is possible: choose other kinds with --only and --without.";
    return "No call can be disturbed, because nobody repeats one: let your system call the sandbox (`request` steps and --port), or write `retry` at a `call` step.";
  }

  /** How often a race is tried. */
  #repeat(): number {
    const { repeat, receiver } = this.#exploration;
    return repeat ?? (typeof receiver === "string" ? REPEAT : 1);
  }

  async #playBaselines(): Promise<void> {
    const { scenario, ignore = [] } = this.#exploration;
    const { receiver, client, isCaller } = this.#parts;
    const before = await this.#stateBefore();
    const played: Played[] = [];
    let sight: BaselineSight | undefined;
    for (let count = 0; count < 2; count++) {
      const run = await this.#play([], { number: 0, isWatched: true });
      const { ending } = this.#parts.life;
      refuseFailedBaseline(run, { isGone: await receiver.isGone(), isCaller, ending });
      sight ??= await sightOf(run, this.#exploration, { client, isCaller });
      played.push(run);
    }
    const [first, second] = played as [Played, Played];
    this.#notes.push(...contradictions(first.state, sight?.objects ?? []));
    receiver.limitDeadline();
    this.#baseline = new Baseline(first, second, {
      ignore: [...(scenario.probe?.ignore ?? []), ...ignore],
      sight: sight as BaselineSight,
    });
    if (!isSettleNamed(this.#exploration) && played.every((run) => this.#baseline.isPrompt(run)))
      this.#parts.player.expectPromptWork();
    if (before !== undefined && isDeepStrictEqual(before, first.state))
      this.#notes.push(
        "The probe shows the same before and after the baseline: it may not show what the webhooks change.",
      );
  }

  /** The state before anything happened, where the probe can be read then. */
  async #stateBefore(): Promise<unknown> {
    const { probe, reset, wall } = this.#exploration;
    const url = typeof probe === "string" ? probe : this.#exploration.scenario.probe?.url;
    // What an exploration before it left is not the state before this one.
    await reset?.();
    if (typeof probe === "function") return stateOf(probe, wall).catch(() => undefined);
    if (url === undefined || url.includes("${")) return undefined;
    return readProbe(url, wall).catch(() => undefined);
  }

  async #play(schedule: Schedule, { number, isWatched = false }: Sample): Promise<Played> {
    const { seed = 1, scenario, slowMs = SLOW_MS, killDelayMs, receiver } = this.#exploration;
    const { player, crashes } = this.#parts;
    this.#runs += 1;
    const isBaseline = schedule.length === 0;
    if (!isBaseline) {
      const delays = killDelayMs === undefined ? KILL_DELAYS_MS : [killDelayMs];
      const delayMs = typeof receiver === "string" ? delays[number % delays.length] : killDelayMs;
      crashes.plan(schedule, {
        timeline: this.#baseline.timeline,
        armed: armedOf(schedule),
        delayMs,
        isLater: number > 0,
      });
    }
    this.#parts.receiver.crashOf = crashes.areAtEvents && !isBaseline ? this.#crashOf : undefined;
    const chance = seededChance(seed, `offsets ${nameOf(schedule)} ${number}`);
    // The first sample of a race is of exactly the same moment.
    const offsetMs =
      number > 0 && typeof receiver === "string" ? () => chance.below(OFFSET_MAX_MS) : undefined;
    this.#parts.receiver.offsetMs = offsetMs;
    const played = await player.play({
      run: `r${this.#runs}`,
      seed: seededChance(seed, `run ${this.#runs}`).below(2 ** 32),
      faults: isBaseline ? [] : faultsOf(schedule, this.#baseline.timeline, slowMs),
      doubled: new Set(schedule.flatMap(({ step }) => (step === undefined ? [] : [step]))),
      steps: isBaseline ? scenario.steps : stepsOfDeviation(scenario.steps, this.#baseline.played.statuses),
      isWatched,
      ...(offsetMs && { offsetMs }),
      ...(!isBaseline && {
        isExpected: (found) => this.#differencesOf(found, schedule).length === 0,
      }),
    });
    this.#lints.add(played.lints, isBaseline ? "" : ` It happened with ${nameOf(schedule)}.`);
    return played;
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

  async #search(
    levels: readonly (readonly Schedule[])[],
    { total, seed }: { readonly total: number; readonly seed: number },
  ): Promise<void> {
    const { budget = BUDGET, timeMs = TIME_MS, onProgress, wall } = this.#exploration;
    const endMs = wall.now() + timeMs;
    for (const level of levels) {
      const isComplete = this.#tried + level.length <= budget;
      for (const schedule of isComplete ? level : inTurns(level, seed)) {
        if (this.#found.some((found) => contains(schedule, found.schedule))) {
          this.#skipped += 1;
          continue;
        }
        if (this.#tried >= budget || wall.now() >= endMs || this.#hasEnded) {
          this.#hasEnded = true;
          break;
        }
        await this.#try(schedule);
        onProgress?.({ tried: this.#tried, total, diverged: this.#found.length });
      }
    }
  }

  /** Plays a schedule; one with a race, which depends on what is faster, until it diverges. */
  async #try(schedule: Schedule): Promise<void> {
    this.#tried += 1;
    const repeat = samplesOf(schedule, this.#repeat());
    let result: CellResult = "ok";
    for (let number = 0; number < repeat && result === "ok" && !this.#hasEnded; number++)
      result = await this.#sample(schedule, number);
    if (schedule.length === 1) this.#results.set(nameOf(schedule), result);
  }

  async #sample(schedule: Schedule, number: number): Promise<CellResult> {
    let played = await this.#play(schedule, { number });
    for (let again = 0; again < STRAGGLERS_MAX && this.#hasStraggler(played); again++) {
      await this.#exploration.wall.pause(STRAGGLER_MS);
      played = await this.#play(schedule, { number });
    }
    const failed = this.#exploration.scenario.steps.find(({ number: step }) => step === played.failure?.step);
    const missed = failed && missedIn(failed, schedule, this.#baseline.timeline);
    if (missed !== undefined) {
      this.#notes.push(`${nameOf(schedule)} was not tried: step ${failed?.number} fails ${missed}`);
      return "not-tried";
    }
    if (this.#baseline.isMoving(played)) this.#moving += 1;
    const isGone = await this.#isGone(played);
    const { ending } = this.#parts.life;
    if (ending !== undefined && !this.#found.some(({ differences: [first] }) => first === GONE))
      this.#notes.push(`With ${nameOf(schedule)} your system does not run any more, ${ending}`);
    const differences = [...(isGone ? [GONE] : []), ...this.#differencesOf(played, schedule)];
    if (differences.length > 0) this.#found.push({ schedule, played, differences });
    if (isGone && !(await this.#comesBack())) {
      this.#hasEnded = true;
      this.#notes.push(
        `The receiver's process is gone after ${nameOf(schedule)}: nothing else was tried. Name it with --partner, or start it with something that starts it again.`,
      );
    }
    return differences.length > 0 ? "diverged" : "ok";
  }

  /** Whether a call came that is about the run before: a worker was still waiting to send it again. */
  #hasStraggler({ calls }: Played): boolean {
    const before = new RegExp(`(?<![A-Za-z0-9])r${this.#runs - 1}(?![A-Za-z0-9])`);
    return calls.some(({ object }) => before.test(object));
  }

  #differencesOf(played: Played, schedule: Schedule): StateDifference[] {
    const isMovedInTime = movesTime(schedule, this.#baseline.timeline);
    return differencesOf(played, this.#baseline, { isMovedInTime });
  }

  async #isGone({ deliveries, stateProblem }: Played): Promise<boolean> {
    const isRefused = deliveries.some(({ attempts }) =>
      attempts.some(({ error, injected }) => error === "refused" && injected.length === 0),
    );
    const isReset = deliveries.some(({ attempts }) => attempts.some(({ error }) => error === "reset"));
    if (this.#parts.life.ending !== undefined) return true;
    if (!isRefused && !isReset && stateProblem === undefined) return false;
    return isRefused || this.#parts.receiver.isGone();
  }

  async #comesBack(): Promise<boolean> {
    const { life } = this.#parts;
    if (life.canBeKilled) {
      await life.kill();
      return life.isReady();
    }
    const { wall } = this.#exploration;
    for (const endMs = wall.now() + RESTART_MS; wall.now() < endMs; await wall.pause(100))
      if (!(await this.#parts.receiver.isGone())) return true;
    return false;
  }
}
