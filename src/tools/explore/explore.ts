import type { CellResult, Divergence, Exploration, Explored, ExploreResult } from "./exploration.ts";
import type { StateDifference } from "../oracle/comparison.ts";
import { formatInstant } from "../../engine/instant.ts";
import { Baseline, type BaselineSight, NotTried } from "./baseline.ts";
import {
  type Schedule,
  candidates,
  chosenKinds,
  contains,
  faultsOf,
  nameOf,
  nextAbout,
} from "./deviations.ts";
import { type Observation, causeOf } from "./causes.ts";
import { DEFAULT_START } from "../scenarios/scenario.ts";
import { ExploredReceiver } from "./receiver.ts";
import { FirstLints } from "../scenarios/lints.ts";
import { inTurns, levelOf } from "./schedules.ts";
import { observe } from "./observation.ts";
import { isDeepStrictEqual } from "node:util";
import { loadFixtures } from "../../library/fixtures.ts";
import { type PartnerSystem, type Played, Player, stepsOfDeviation } from "./play.ts";
import { readProbe, stateOf } from "../oracle/probe.ts";
import { GONE, differencesOf, probeOf, settleOf, sightOf, refuseFailedBaseline } from "./sight.ts";
import { PlayedWorld } from "../../library/played-world.ts";
import { RECEIVER_URL, tokensOf } from "../scenarios/world.ts";
import { type ControlClient, controlClient } from "../../control/client.js";
import { openSandbox } from "../../library/sandbox.ts";
import { seededChance } from "../../engine/random.ts";
import { setTimeout as pause } from "node:timers/promises";
import { booksDivergence, contradictions, traceLints } from "./money.ts";
import { sentenceOf } from "./sentence.ts";

export const DEPTH = 2;
export const BUDGET = 500;
export const TIME_MS = 300_000;

/** How many divergences are watched, one exchange after another, to find their causes. */
const WATCHED_MAX = 20;

/** How long a receiver whose process ended gets to come back. */
const RESTART_MS = 3_000;

/** Tries the ways in which the webhooks of a scenario can come, and compares the states at the end. */
export async function exploreScenario(exploration: Exploration): Promise<Explored> {
  const { scenario, depth = DEPTH, seed = 1 } = exploration;
  try {
    await using search = await Search.open(exploration);
    return await search.run();
  } catch (error) {
    if (!(error instanceof NotTried)) throw error;
    const result: ExploreResult = {
      scenario: scenario.name,
      events: [],
      depth,
      schedules: { tried: 0, total: 0, skipped: 0 },
      ignored: [],
      divergences: [],
      verdict: "not-tried",
      reason: error.message,
      file: scenario.file,
      seed,
      cells: [],
      notes: [],
    };
    return { result };
  }
}

/** A schedule that was tried and diverged. */
interface Found {
  readonly schedule: Schedule;
  readonly played: Played;
  readonly differences: readonly StateDifference[];
}

class Search implements AsyncDisposable {
  readonly #exploration: Exploration;
  readonly #client: ControlClient;
  readonly #player: Player;
  readonly #receiver: ExploredReceiver;
  readonly #close: () => Promise<void>;
  readonly #notes: string[] = [];
  readonly #found: Found[] = [];
  readonly #lints = new FirstLints();
  readonly #results = new Map<string, CellResult>();
  #baseline!: Baseline;
  #watchedBaseline: Observation[] | undefined;
  #runs = 0;
  #tried = 0;
  #skipped = 0;
  #moving = 0;
  #hasEnded = false;

  constructor(exploration: Exploration, parts: SearchParts) {
    this.#exploration = exploration;
    this.#client = parts.client;
    this.#player = parts.player;
    this.#receiver = parts.receiver;
    this.#close = parts.close;
  }

  static async open(exploration: Exploration): Promise<Search> {
    const { scenario, receiver: where, operations, port, seed = 1 } = exploration;
    if (scenario.steps.some(({ verb }) => verb === "receiver"))
      throw new NotTried(
        "The scenario scripts the built-in receiver, and the webhooks go to yours: leave the `receiver` steps out.",
      );
    const { companies } = loadFixtures(scenario.fixtures);
    const known = companies.map(({ webhook }) => webhook.secret);
    const receiver = new ExploredReceiver(where, { secret: exploration.webhookSecret, known });
    if (await receiver.isGone())
      throw new NotTried(
        `Failed to reach the receiver: nothing listens at ${String(where)}. Start it first.`,
      );
    const probe = probeOf(exploration);
    const { start = DEFAULT_START, fixtures, assumptions, origin = "", webhookUrl } = scenario;
    const { sandbox, worlds } = await openSandbox({
      seed,
      mode: "frozen",
      transport: receiver.transport,
      webhookUrl: typeof where === "string" ? where : (webhookUrl ?? RECEIVER_URL),
      // The same start in every run, so that only what a schedule moves differs.
      start: start === "now" ? new Date().toISOString() : start,
      ...(fixtures !== undefined && { fixtures }),
      ...(assumptions !== undefined && { assumptions }),
    });
    if (port !== undefined) {
      await sandbox.listen({ port }).catch(async (error: Error) => {
        await sandbox.close();
        throw new NotTried(
          `Failed to open the sandbox on port ${port}: ${error.message}. Choose another port.`,
        );
      });
    }
    const partner: PartnerSystem = {
      probe,
      begin: () => receiver.begin(),
      ...(exploration.reset && { reset: async () => void (await exploration.reset?.()) }),
    };
    const player = new Player({
      world: new PlayedWorld(worlds.default),
      reached: {
        fetch: (path, init) => sandbox.fetch(origin + path, init),
        settled: () => sandbox.settled(),
        now: () => formatInstant(worlds.default.now),
        tokens: tokensOf(companies),
        receiver: undefined,
        [Symbol.asyncDispose]: () => sandbox.close(),
      },
      operations,
      scenario,
      partner,
      settleMs: settleOf(exploration),
      books: exploration.books ?? scenario.probe?.books,
      isLinted: port !== undefined || scenario.steps.some(({ verb }) => verb === "request"),
    });
    const client = controlClient({ url: "http://localhost", fetch: (request) => sandbox.fetch(request) });
    return new Search(exploration, { client, player, receiver, close: () => sandbox.close() });
  }

  async run(): Promise<Explored> {
    const { depth = DEPTH, seed = 1 } = this.#exploration;
    await this.#playBaselines();
    const { timeline } = this.#baseline;
    const deviations = candidates(timeline, chosenKinds(this.#exploration));
    if (deviations.length === 0)
      throw new NotTried("No deviation is possible: choose other kinds with --only and --without.");
    const known = new Set<string>();
    levelOf(0, { deviations, timeline, known });
    const levels = Array.from({ length: depth }, (_, index) =>
      levelOf(index + 1, { deviations, timeline, known }),
    );
    const total = levels.reduce((sum, { schedules }) => sum + schedules.length, 0);
    if (total === 0)
      throw new NotTried(
        "Every schedule leads to the same arrivals as the baseline: choose other deviations, or a scenario with more events.",
      );
    if (levels.some(({ isCut }) => isCut))
      this.#notes.push(
        "There are more schedules than are counted: lower --depth, or choose kinds with --only.",
      );
    await this.#search(
      levels.map(({ schedules }) => schedules),
      { total, seed },
    );
    const parted = booksDivergence(this.#baseline, this.#exploration);
    const divergences = [...parted, ...(await this.#divergences())];
    this.#lints.add(traceLints((await this.#watched()) ?? [], this.#baseline));
    if (this.#moving > 0)
      this.#notes.push(
        `The state still moved when it was read in ${this.#moving} ${this.#moving === 1 ? "run" : "runs"}: wait longer with --settle, or ignore what moves.`,
      );
    const { ignored, state } = this.#baseline;
    const { steps } = this.#exploration.scenario;
    // Others lead to the same arrivals as a schedule that was tried.
    const singles = new Set(levels[0]?.schedules.map(nameOf));
    return {
      baseline: this.#baseline,
      result: {
        scenario: this.#exploration.scenario.name,
        events: timeline.events.map(({ index, event, object, step }) => {
          const { line = 1, column = 1 } = steps[step - 1] ?? steps.at(-1) ?? {};
          return { index, event, object, line, column };
        }),
        depth,
        schedules: { tried: this.#tried, total, skipped: this.#skipped },
        ignored,
        divergences,
        verdict: divergences.length === 0 ? "converges" : "diverges",
        file: this.#exploration.scenario.file,
        seed,
        cells: deviations.map((deviation) => ({
          ...deviation,
          result:
            this.#results.get(nameOf([deviation])) ??
            (singles.has(nameOf([deviation])) ? ("not-tried" as const) : ("skipped" as const)),
        })),
        notes: this.#notes,
        ...this.#lints.found,
        ...(this.#baseline.played.moments > 0 && { booksCompared: this.#baseline.played.moments }),
        state: state.value,
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#close();
  }

  async #playBaselines(): Promise<void> {
    const { scenario, ignore = [] } = this.#exploration;
    const before = await this.#stateBefore();
    const played: Played[] = [];
    let sight: BaselineSight | undefined;
    for (let count = 0; count < 2; count++) {
      const run = await this.#play([], { isWatched: true });
      refuseFailedBaseline(run, await this.#receiver.isGone());
      sight ??= await sightOf(run, this.#client);
      played.push(run);
    }
    const [first, second] = played as [Played, Played];
    this.#notes.push(...contradictions(first.state, sight?.objects ?? []));
    this.#receiver.limitDeadline();
    this.#baseline = new Baseline(first, second, {
      ignore: [...(scenario.probe?.ignore ?? []), ...ignore],
      sight: sight as BaselineSight,
    });
    if (before !== undefined && isDeepStrictEqual(before, first.state))
      this.#notes.push(
        "The probe shows the same before and after the baseline: it may not show what the webhooks change.",
      );
  }

  /** The state before anything happened, where the probe can be read then. */
  async #stateBefore(): Promise<unknown> {
    const { probe } = this.#exploration;
    const url = typeof probe === "string" ? probe : this.#exploration.scenario.probe?.url;
    if (typeof probe === "function") return stateOf(probe).catch(() => undefined);
    if (url === undefined || url.includes("${")) return undefined;
    return readProbe(url).catch(() => undefined);
  }

  async #play(schedule: Schedule, options: { readonly isWatched?: boolean } = {}): Promise<Played> {
    const { seed = 1, scenario } = this.#exploration;
    this.#runs += 1;
    const isBaseline = schedule.length === 0;
    const played = await this.#player.play({
      run: `r${this.#runs}`,
      seed: seededChance(seed, `run ${this.#runs}`).below(2 ** 32),
      faults: isBaseline ? [] : faultsOf(schedule, this.#baseline.timeline),
      steps: isBaseline ? scenario.steps : stepsOfDeviation(scenario.steps, this.#baseline.played.statuses),
      ...options,
    });
    this.#lints.add(played.lints, isBaseline ? "" : ` It happened with ${nameOf(schedule)}.`);
    return played;
  }

  async #search(
    levels: readonly (readonly Schedule[])[],
    { total, seed }: { readonly total: number; readonly seed: number },
  ): Promise<void> {
    const { budget = BUDGET, timeMs = TIME_MS, onProgress } = this.#exploration;
    const endMs = performance.now() + timeMs;
    for (const level of levels) {
      const isComplete = this.#tried + level.length <= budget;
      for (const schedule of isComplete ? level : inTurns(level, seed)) {
        if (this.#found.some((found) => contains(schedule, found.schedule))) {
          this.#skipped += 1;
          continue;
        }
        if (this.#tried >= budget || performance.now() >= endMs || this.#hasEnded) {
          this.#hasEnded = true;
          break;
        }
        await this.#try(schedule);
        onProgress?.({ tried: this.#tried, total, diverged: this.#found.length });
      }
    }
  }

  async #try(schedule: Schedule): Promise<void> {
    const played = await this.#play(schedule);
    this.#tried += 1;
    if (this.#baseline.isMoving(played)) this.#moving += 1;
    const isGone = await this.#isGone(played);
    const differences = [...(isGone ? [GONE] : []), ...differencesOf(played, this.#baseline)];
    if (differences.length > 0) this.#found.push({ schedule, played, differences });
    if (schedule.length === 1)
      this.#results.set(nameOf(schedule), differences.length > 0 ? "diverged" : "ok");
    if (isGone && !(await this.#comesBack())) {
      this.#hasEnded = true;
      this.#notes.push(
        `The receiver's process is gone after ${nameOf(schedule)}: nothing else was tried. Start it with something that starts it again.`,
      );
    }
  }

  async #isGone({ deliveries, stateProblem }: Played): Promise<boolean> {
    const isRefused = deliveries.some(({ attempts }) =>
      attempts.some(({ error, injected }) => error === "refused" && injected.length === 0),
    );
    const isReset = deliveries.some(({ attempts }) => attempts.some(({ error }) => error === "reset"));
    if (!isRefused && !isReset && stateProblem === undefined) return false;
    return isRefused || this.#receiver.isGone();
  }

  async #comesBack(): Promise<boolean> {
    for (const endMs = performance.now() + RESTART_MS; performance.now() < endMs; await pause(100))
      if (!(await this.#receiver.isGone())) return true;
    return false;
  }

  /** The divergences in groups, each with the first of its schedules, which is the smallest. */
  async #divergences(): Promise<Divergence[]> {
    const groups = Map.groupBy(this.#found, ({ schedule, differences: [first] }) =>
      JSON.stringify([
        schedule.map(({ kind }) => kind).toSorted(),
        first?.path.replaceAll(/\[\d+\]/g, "[*]"),
      ]),
    );
    const divergences: Divergence[] = [];
    const baseline = groups.size > 0 ? await this.#watched() : undefined;
    for (const [first, ...others] of groups.values()) {
      if (first === undefined) continue;
      const isWatched = baseline !== undefined && divergences.length < WATCHED_MAX;
      const observed = isWatched ? await this.#observe(first.schedule) : undefined;
      divergences.push(this.#divergence(first, others, { observed, baseline }));
    }
    return divergences;
  }

  /** The baseline, watched once; undefined where nobody is there any more. */
  async #watched(): Promise<Observation[] | undefined> {
    const isGone = this.#found.some(({ differences }) => differences.includes(GONE));
    return isGone ? undefined : (this.#watchedBaseline ??= await this.#observe([]));
  }

  #observe(schedule: Schedule): Promise<Observation[] | undefined> {
    return observe(() => this.#play(schedule), {
      exploration: this.#exploration,
      receiver: this.#receiver,
      baseline: this.#baseline,
    });
  }

  #divergence(
    { schedule, played, differences }: Found,
    others: readonly Found[],
    watched: {
      readonly observed?: readonly Observation[] | undefined;
      readonly baseline?: readonly Observation[] | undefined;
    },
  ): Divergence {
    const { timeline } = this.#baseline;
    const arrivals = this.#baseline.arrivals(played);
    const eventOf = (index: number) => timeline.events[index - 1];
    const cause = causeOf({
      schedule,
      differences,
      arrivals,
      ...watched,
      diverges: (event, kind) => {
        const result = this.#results.get(nameOf([{ event, kind }]));
        return result === "diverged" ? true : result === "ok" ? false : undefined;
      },
      nextAbout: (index) => {
        const event = eventOf(index);
        return event && nextAbout(event, timeline.events)?.index;
      },
      isFirst: (index) => {
        const event = eventOf(index);
        return timeline.events.find(({ objectId }) => objectId === event?.objectId) === event;
      },
    });
    return {
      deviations: schedule,
      differences,
      arrivals,
      cause,
      replay: this.#exploration.replayOf?.(schedule) ?? nameOf(schedule),
      title: sentenceOf(schedule, timeline),
      alike: others.map((other) => other.schedule),
      ...(played.books.length > 0 && { books: played.books }),
      ...("state" in played && { state: this.#baseline.name(played, played.state).value }),
    };
  }
}

interface SearchParts {
  readonly client: ControlClient;
  readonly player: Player;
  readonly receiver: ExploredReceiver;
  readonly close: () => Promise<void>;
}
