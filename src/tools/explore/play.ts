import { CommandFailure } from "../../process/failures.ts";
import type { Lint } from "../../api/generated/shapes.ts";
import { Books } from "../scenarios/books/books.ts";
import type { BooksFinding } from "../scenarios/books/finding.ts";
import { lintsIn } from "../scenarios/lints.ts";
import type { PlayedWorld } from "../../access/played-world.ts";
import type { ScenarioWorld } from "../scenarios/world.ts";
import type { Rest } from "./rest.ts";
import { formatInstant } from "../../engine/instant.ts";
import { effectOf } from "../../platform/faults/effects.ts";
import { hastyLints, idsOfRun, isOfSystem, playedCalls, stepRequestId } from "./calls.ts";
import type { Crashes } from "./crashes.ts";
import type { ExploredReceiver } from "./receiver.ts";
import type { Limits } from "./limits.ts";
import type { Played } from "./played.ts";
import type { RunPlan } from "./run-plan.ts";
import type { Wall } from "../wall.ts";
import type { PartnerClient, PartnerLife } from "./partner-system.ts";
import { lateSentence } from "../scenarios/perform.ts";
import { responseOf } from "../partner/handler.ts";
import { platformState } from "./platform-state.ts";
import { REPETITION } from "../scenarios/repetition.ts";
import { Session } from "../scenarios/session.ts";
import { originsOf, sendAlso, takeAll } from "./taking.ts";
import type { BooksSettings, Scenario } from "../scenarios/scenario.ts";
import { isControlPath } from "../../api/routes.ts";
import { REQUEST_ID_HEADER } from "../../control/client.js";

const DAY_MS = 86_400_000;

/** The system of the partner, from the view of the exploration. */
export interface PartnerSystem {
  /** Reads its state. Rejects with a `CommandFailure`. Without a probe, only the platform's state is compared. */
  readonly probe?: ((session: Session) => Promise<unknown>) | undefined;
  /** True if it, or a client in the steps, calls the sandbox. Then the platform's state depends on it. */
  readonly isCaller: boolean;
  readonly life: PartnerLife;
  readonly client?: PartnerClient | undefined;
  /** Empties it before each run. */
  readonly reset?: (() => Promise<unknown>) | undefined;
}

/** The sandbox and the partner's system of all runs. */
export interface PlayOptions {
  /**
   * The only world of this exploration's sandbox. Every run is played in it.
   */
  readonly world: PlayedWorld;
  readonly limits: Limits;
  readonly crashes: Crashes;
  readonly receiver: ExploredReceiver;
  readonly reached: ScenarioWorld;
  /** The `fetch` for a client in this process. It takes whole URLs and any path. */
  readonly clientFetch: typeof fetch;
  readonly scenario: Scenario;
  readonly partner: PartnerSystem;
  readonly rest: Rest;
  readonly wall: Wall;
  readonly settleMs: number;
  /** The place of its books in the state that its probe shows. */
  readonly books?: BooksSettings | undefined;
  /** True if the partner's system calls the sandbox. Then its calls are checked. */
  readonly isLinted: boolean;
}

/** The identity of a run among all runs. */
interface RunIdentity {
  /** The value of `${run}`. */
  readonly run: string;
  readonly seed: number;
  /** The delay of the second of two simultaneous requests. Undefined for no delay. */
  readonly offsetMs: (() => number) | undefined;
}

/** The maximum number of readings at the end of a run, if a system continues to call the platform. */
const LOOKS_MAX = 4;

/** Plays one run of the scenario, from the reset until the state is at rest. */
export async function play(options: PlayOptions, plan: RunPlan, run: RunIdentity): Promise<Played> {
  const { partner, world } = options;
  const { life } = partner;
  await life.ready;
  if (plan.restarts) {
    await life.kill();
    await life.ready;
  }
  await partner.reset?.();
  life.begin(run.run, { callsMax: plan.callsMax, died: () => world.awaitFollower() });
  return new Play(options, plan, run).toTheEnd();
}

/** A run of the scenario with its session. */
class Play {
  readonly #options: PlayOptions;
  readonly #plan: RunPlan;
  readonly #run: RunIdentity;
  readonly #session: Session;
  readonly #books: Books | undefined;
  readonly #stepEnds: { events: number; at: number }[] = [];
  /** The first differences of the books. They end the comparison. */
  #parted: readonly BooksFinding[] = [];
  #step = 0;

  constructor(options: PlayOptions, plan: RunPlan, run: RunIdentity) {
    this.#options = options;
    this.#plan = plan;
    this.#run = run;
    const scenario = { ...options.scenario, steps: plan.steps };
    this.#session = new Session(scenario, {
      world: this.#reached(),
      seed: run.seed,
      wall: options.wall,
      run: run.run,
      repetition: REPETITION,
      isLinted: options.isLinted,
    });
    this.#books = this.#booksOf(this.#session);
  }

  async toTheEnd(): Promise<Played> {
    const { limits, rest, settleMs } = this.#options;
    const { patience, patienceAgain, isExpected } = this.#plan;
    await this.#begin();
    const end = await this.#takeSteps();
    const played = await this.#atRest(() => this.#look(end, rest.isPrompt && patience === 1));
    if (settleMs === 0 || isExpected?.(played) !== false) return played;
    // A worker may wait for Retry-After, as it should.
    const hasWaited = await limits.over();
    if (!hasWaited && !rest.isPrompt && patienceAgain === patience) return played;
    rest.again(patienceAgain);
    return this.#atRest(() => this.#look(end, false));
  }

  /** Resets the world, and arms the faults and kills. */
  async #begin(): Promise<void> {
    const { world, limits, crashes, partner, rest, receiver } = this.#options;
    const { faults, patience, isWatched, watcher } = this.#plan;
    const { run, offsetMs } = this.#run;
    const { life } = partner;
    crashes.begin(this.#plan.crashes);
    receiver.begin({
      watcher,
      offsetMs,
      crashOf: (bodies) => crashes.takeAt(bodies, run, () => world.announced()),
      answered: async () => {
        if (partner.isCaller) this.#refuseEndless();
        if (isWatched) await this.#books?.check("webhook");
      },
    });
    this.#resetWorld();
    if (world.isFollowed && life.canBeKilled) {
      // The system's timers come from the previous run. Its work during the start does not belong to a run.
      await life.kill();
      await life.ready;
      this.#resetWorld();
    }
    limits.begin(faults, patience, (id) => world.removeFaults(id));
    for (const fault of faults) world.fault(fault);
    const glance = (): Promise<unknown> => this.#glance();
    rest.begin({ patience, isTiming: isWatched, glance, isFollower: () => world.isFollowed });
  }

  #resetWorld(): void {
    const { world, partner } = this.#options;
    const { seed } = this.#run;
    if (partner.isCaller) world.resetForClients(seed);
    else world.reset({ seed });
  }

  /** Takes the steps, and moves time until the platform is idle. */
  async #takeSteps(): Promise<Pick<Played, "failure" | "hits">> {
    const { world, partner, rest } = this.#options;
    const { faults, isWatched, doubled } = this.#plan;
    const { offsetMs } = this.#run;
    const failure = await takeAll(this.#session, {
      begins: (step) => {
        this.#step = step.number;
        if (step.verb === "request") rest.disturb(0);
        return doubled.has(step.number) ? sendAlso(step, this.#session, offsetMs?.()) : undefined;
      },
      ended: async () => {
        await rest.settle();
        if (isWatched) this.#stepEnds.push(await this.#stepEnd());
        if (this.#books !== undefined && this.#parted.length === 0)
          this.#parted = await this.#books.check("step");
      },
    });
    const late = await this.#comeToRest();
    await partner.life.ready;
    await rest.settle();
    const missed = failure ?? late ?? (await this.#recover());
    const hits = world.faultHits();
    if (faults.some(({ effect }) => effectOf(effect).endsWithFault)) {
      world.removeFaults();
      await world.advance({ until: "idle" });
    }
    return { hits, ...(missed && { failure: missed }) };
  }

  /** Reads the end of the run. */
  async #look(end: Pick<Played, "failure" | "hits">, isQuick: boolean): Promise<Played> {
    const { world, partner, crashes } = this.#options;
    const { run } = this.#run;
    const session = this.#session;
    const probed = await this.#probe(isQuick);
    const log = this.#plan.isWatched || partner.isCaller ? world.requests() : [];
    const calls = playedCalls(log, run);
    return {
      run,
      books: this.#parted.length === 0 ? ((await this.#books?.check("end")) ?? []) : this.#parted,
      moments: this.#books?.moments ?? 0,
      lints: withIds([...(await lintsIn(session)), ...hastyLints(calls)], idsOfRun(log, run)),
      deliveries: await world.deliveries(),
      calls,
      ...(partner.isCaller && { platform: await platformState(world) }),
      isEndless: partner.life.isEndless || calls.filter(isOfSystem).length > this.#plan.callsMax,
      origins: originsOf(session),
      ...probed,
      ...end,
      stepEnds: this.#stepEnds,
      statuses: session.facts.statuses,
      killsLeft: crashes.leftAtEvents,
    };
  }

  /** Refuses every call of a system that calls again on each webhook, so that the run ends. */
  #refuseEndless(): void {
    const { world, partner } = this.#options;
    if (partner.life.isRefused || world.requests().filter(isOfSystem).length <= this.#plan.callsMax) return;
    partner.life.refuse();
    world.fault({ on: "api", effect: "unavailable" });
  }

  /** Reads again if the system called the platform since the last reading, as a worker does after the last answer. */
  async #atRest(look: () => Promise<Played>): Promise<Played> {
    const { world, partner } = this.#options;
    if (!partner.isCaller) return look();
    for (let looks = 1; ; looks++) {
      const played = await look();
      const before = world.now;
      if (looks === LOOKS_MAX || world.isFollowed) return played;
      await world.advance({ until: "idle" });
      if (world.now === before) return played;
    }
  }

  /** Returns the world for the steps. Their calls carry the number of their step. */
  #reached(): ScenarioWorld {
    const { reached, clientFetch, partner } = this.#options;
    const { client, life } = partner;
    return {
      ...reached,
      fetch: (path, init) => {
        if (isControlPath(path)) return reached.fetch(path, init);
        const headers = {
          ...(init?.headers as Record<string, string>),
          [REQUEST_ID_HEADER]: stepRequestId(this.#step),
        };
        return reached.fetch(path, { ...init, headers });
      },
      partner: {
        ...reached.partner,
        ready: () => life.ready,
        rested: () => this.#options.rest.settle(),
        ...(client && {
          client: async (request) => {
            const here = { fetch: life.fetchOf(clientFetch) };
            return (
              (await life.whileAlive(async () => responseOf(await client(request, here)))) ?? Response.error()
            );
          },
        }),
      },
    };
  }

  /** Runs the nightly jobs once more at the end: a system that reconciles later converges. */
  async #recover(): Promise<Played["failure"]> {
    const session = this.#session;
    const ticks = session.scenario.steps.filter((step) => step.verb === "request" && step.tick === true);
    if (ticks.length === 0) return undefined;
    const failure = await takeAll(session, { steps: ticks });
    return failure ?? (await this.#comeToRest());
  }

  /**
   * Moves time until no timer is due. If the timers of the partner's system follow the clock, another day passes: its
   * retries run, and so does each nightly job.
   */
  async #comeToRest(): Promise<Played["failure"]> {
    const { world, scenario } = this.#options;
    const targets = [{ until: "idle" }, { by: (from: number) => from + DAY_MS }, { until: "idle" }] as const;
    for (const target of world.isFollowed ? targets : targets.slice(0, 1)) {
      const { follower, to } = await world.advance(target);
      const message = follower && lateSentence({ name: follower.name, at: formatInstant(to) });
      if (message !== undefined) return { step: scenario.steps.length, title: "the end", message };
    }
    return undefined;
  }

  #booksOf(session: Session): Books | undefined {
    const { books, partner, settleMs, rest } = this.#options;
    const { probe } = partner;
    return (
      books &&
      probe &&
      new Books(books, {
        session,
        settleMs,
        wall: session.wall,
        read: () => probe(session),
        settled: async () => (await rest.read(() => probe(session))).state,
      })
    );
  }

  /** Returns the data that the partner's system may change by its work: its state, and the calls that it made. */
  async #glance(): Promise<unknown> {
    const { partner, world } = this.#options;
    const state = await partner.probe?.(this.#session).catch(() => undefined);
    return [state, partner.isCaller ? world.requests().length : 0];
  }

  async #probe(isQuick: boolean): Promise<Pick<Played, "state" | "stateProblem" | "moved">> {
    const { rest, partner } = this.#options;
    const session = this.#session;
    const { probe } = partner;
    if (probe === undefined) {
      await rest.read(async () => null, { isQuick: true });
      return {};
    }
    try {
      const { state, before } = await rest.read(() => probe(session), { isQuick });
      session.facts.shown = state;
      return { state, ...(before !== undefined && { moved: before }) };
    } catch (error) {
      if (error instanceof CommandFailure) return { stateProblem: error.message };
      throw error;
    }
  }

  async #stepEnd(): Promise<{ events: number; at: number }> {
    const { world } = this.#options;
    const deliveries = await world.deliveries();
    return {
      events: deliveries.filter(({ duplicateOf }) => duplicateOf === null).length,
      at: world.now,
    };
  }
}

function withIds(lints: readonly Lint[], ids: ReadonlyMap<string, string>): Lint[] {
  return lints.map((one) => ({ ...one, requests: one.requests.map((id) => ids.get(id) ?? id) }));
}
