import { CommandFailure } from "../../base/failures.ts";
import type { Lint } from "../../simulator/api/generated/shapes.ts";
import { Books } from "../../scenarios/books/books.ts";
import type { BooksFinding } from "../../scenarios/books/finding.ts";
import { lintsIn } from "../../scenarios/lints.ts";
import { seededChance } from "../../simulator/engine/random.ts";
import type { Stage } from "./stage.ts";
import { HeldEvents } from "./held-events.ts";
import type { ScenarioWorld } from "../../scenarios/world.ts";
import { formatInstant } from "../../simulator/engine/instant.ts";
import { hastyLints, idsOfRun, isDisturbed, isOfSystem, playedCalls, stepRequestId } from "./calls.ts";
import type { Played } from "./played.ts";
import { kindOf } from "./deviations.ts";
import type { RunPlan } from "./run-plan.ts";
import { lateSentence } from "../../scenarios/perform.ts";
import { responseOf } from "../../partner/handler.ts";
import { platformState } from "./platform-state.ts";
import { REPETITION } from "../../scenarios/repetition.ts";
import { asksPartner, type ScenarioStep } from "../../scenarios/scenario.ts";
import { Session } from "../../scenarios/session.ts";
import { nightlyJobs, originsOf, takeAll } from "./taking.ts";
import { isControlPath } from "../../simulator/api/routes.ts";
import { REQUEST_ID_HEADER } from "../../server/control/client.js";
import { LIMITS } from "./search-limits.ts";

const DAY_MS = 86_400_000;

/** The maximum number of readings at the end of a run, if a system continues to call the platform. */
const LOOKS_MAX = 4;

/** The largest distance between two simultaneous requests in the later samples of a race. */
const OFFSET_MAX_MS = 12;

/** A run of the scenario, from the reset until the state is at rest. */
export class Run {
  readonly #stage: Stage;
  readonly #plan: RunPlan;
  /** The value of `${run}`. */
  readonly #name: string;
  readonly #seed: number;
  /** The delay of the second of two simultaneous requests. Undefined for no delay. */
  readonly #offsetMs: (() => number) | undefined;
  readonly #session: Session;
  readonly #books: Books | undefined;
  readonly #held: HeldEvents;
  readonly #stepEnds: { events: number; at: number }[] = [];
  /** The first differences of the books. They end the comparison. */
  #parted: readonly BooksFinding[] = [];
  #step = 0;
  /** True if the request of the step is sent twice, and has not been sent yet. */
  #isSentTwice = false;

  constructor(stage: Stage, plan: RunPlan, number: number) {
    const { scenario, wall, seed = LIMITS.seed.preset } = stage.exploration;
    this.#stage = stage;
    this.#plan = plan;
    this.#held = new HeldEvents(stage, plan.faults);
    this.#name = `r${number}`;
    this.#seed = seededChance(seed, `run ${number}`).below(2 ** 32);
    const chance = plan.offsets === undefined ? undefined : seededChance(seed, plan.offsets);
    this.#offsetMs = chance && (() => chance.below(OFFSET_MAX_MS));
    this.#session = new Session(
      { ...scenario, steps: plan.steps },
      {
        world: this.#reached(),
        seed: this.#seed,
        wall,
        run: this.#name,
        repetition: REPETITION,
        isLinted: stage.isLinted,
      },
    );
    this.#books = this.#booksOf(this.#session);
  }

  async toTheEnd(): Promise<Played> {
    const { retryAfter, rest, settleMs } = this.#stage;
    const { patience, patienceAgain, isExpected } = this.#plan;
    await this.#begin();
    const end = await this.#takeSteps();
    // A run that ends like the baseline needs no second reading.
    const isQuick = patience === 1 && (rest.isPrompt || isExpected !== undefined);
    const played = await this.#atRest(() => this.#look(end, isQuick));
    if (settleMs === 0) return played;
    const isEqual = isExpected?.(played) !== false;
    if (isEqual && !(isQuick && (await this.#changesLater(end, played)))) return played;
    // A worker may wait for Retry-After, as it should.
    const hasWaited = await retryAfter.over();
    if (!hasWaited && !isQuick && patienceAgain === patience) return played;
    rest.again(patienceAgain);
    return this.#atRest(() => this.#look(end, false));
  }

  /** Returns true if a run that ended as expected ends otherwise a moment later. */
  async #changesLater(end: Pick<Played, "failure" | "hits">, { state }: Played): Promise<boolean> {
    const { rest, lateLooks } = this.#stage;
    const watchedMs = state === undefined ? undefined : lateLooks.watchedMs(this.#plan, rest.watched);
    if (watchedMs === undefined || !(await rest.lateWork(watchedMs))) return false;
    if (this.#plan.isExpected?.(await this.#look(end, true)) !== false) return false;
    rest.learnLate(watchedMs);
    return true;
  }

  /** Resets the world, and arms the faults and kills. */
  async #begin(): Promise<void> {
    const { world, retryAfter, repeats, kills, life, isCaller, rest, receiver } = this.#stage;
    const { faults, patience, isMeasured, watcher } = this.#plan;
    const sofar = { run: this.#name, announced: () => world.announced() };
    kills.begin(this.#plan);
    receiver.begin({
      watcher,
      offsetMs: this.#offsetMs,
      killOf: (bodies) => kills.takeAt({ ...sofar, bodies }),
      answered: async (bodies, answerMs) => {
        if (isCaller) this.#refuseEndless();
        if (isMeasured && answerMs !== undefined) kills.learn({ ...sofar, bodies }, answerMs);
        if (isMeasured) await this.#books?.check("webhook");
      },
    });
    this.#resetWorld();
    if (world.isFollowed && life.canBeKilled) {
      // The system's timers come from the previous run. Its work during the start does not belong to a run.
      await life.kill();
      await life.ready;
      this.#resetWorld();
    }
    retryAfter.begin(faults, patience, (id) => world.removeFaults(id));
    for (const fault of faults) world.fault(fault);
    repeats.begin({
      patience,
      log: async () =>
        isCaller && world.calls().some(isDisturbed) ? world.requests().filter(isOfSystem) : [],
      isFollower: () => world.isFollowed,
    });
    rest.begin({
      patience,
      // A prompt system is timed once: the first baseline has shown that it works before it answers.
      isTiming: isMeasured && !rest.isPrompt,
      glance: () => this.#glance(),
      ...(isCaller && {
        calls: () => world.calls().filter((call) => isOfSystem(call) && !isDisturbed(call)).length,
      }),
      isFollower: () => world.isFollowed,
    });
  }

  #resetWorld(): void {
    const { world, isCaller } = this.#stage;
    if (isCaller) world.resetForClients(this.#seed);
    else world.reset({ seed: this.#seed });
  }

  /** Takes the steps, and moves time until the platform is idle. */
  async #takeSteps(): Promise<Pick<Played, "failure" | "hits">> {
    const { world, life, rest, repeats } = this.#stage;
    const { isMeasured, schedule } = this.#plan;
    const held = this.#held;
    const failure = await takeAll(this.#session, {
      begins: async (step) => {
        this.#step = step.number;
        this.#isSentTwice = schedule.some((one) => one.step === step.number);
        if (!asksPartner(step)) return;
        rest.disturb(0, `step ${step.number}`);
        await repeats.ask();
      },
      ended: async () => {
        await rest.settle();
        if (isMeasured) this.#stepEnds.push(await this.#stepEnd());
        if (this.#books !== undefined && this.#parted.length === 0)
          this.#parted = await this.#books.check("step");
      },
      mayPass: async (step) =>
        (await this.#hasNewToken(step)) || held.mayPass(step, this.#session.facts.statuses),
      during: (step, taking) => this.#during(step, taking),
    });
    const late = await this.#comeToRest();
    await life.ready;
    // A system that starts again works off what it has stored.
    if (schedule.some(({ kind }) => kindOf(kind).group === "crashes")) rest.disturb(0);
    await rest.settle();
    // An event that is still held arrives before the nightly jobs run for the last time. A late copy comes after them.
    await held.arrive();
    const missed = failure ?? late ?? (await this.#recover());
    const hits = world.faultHits();
    await held.end();
    return { hits, ...(missed && { failure: missed }) };
  }

  /** Reads the end of the run. */
  async #look(end: Pick<Played, "failure" | "hits">, isQuick: boolean): Promise<Played> {
    const { world, life, isCaller, kills, repeats } = this.#stage;
    const run = this.#name;
    const session = this.#session;
    const probed = await this.#probe(isQuick);
    const log = this.#plan.isMeasured || isCaller ? world.requests() : [];
    const calls = playedCalls(log);
    return {
      run,
      books: this.#parted.length === 0 ? ((await this.#books?.check("end")) ?? []) : this.#parted,
      moments: this.#books?.moments ?? 0,
      lints: withIds([...(await lintsIn(session)), ...hastyLints(calls)], idsOfRun(log, run)),
      deliveries: await world.deliveries(),
      calls,
      ...(isCaller && { platform: await platformState(world) }),
      isEndless: life.isEndless || calls.filter(isOfSystem).length > this.#plan.callsMax,
      origins: originsOf(session),
      ...probed,
      ...end,
      stepEnds: this.#stepEnds,
      statuses: session.facts.statuses,
      lateRepeats: await repeats.late(),
      killsLeft: kills.leftAtEvents,
    };
  }

  /** Refuses every call of a system that calls again on each webhook, so that the run ends. */
  #refuseEndless(): void {
    const { world, life } = this.#stage;
    if (life.isRefused || world.calls().filter(isOfSystem).length <= this.#plan.callsMax) return;
    life.refuse();
    world.fault({ on: "api", effect: "unavailable" });
  }

  /** Reads again if the system called the platform since the last reading, as a worker does after the last answer. */
  async #atRest(look: () => Promise<Played>): Promise<Played> {
    const { world, isCaller } = this.#stage;
    if (!isCaller) return look();
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
    const { reached, sandbox, exploration, life } = this.#stage;
    const { client } = exploration;
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
        alsoSent: (send) => this.#sendAlso(send),
        rested: () => this.#stage.rest.settle(),
        state: this.#stage.probe && (() => this.#stage.probe?.(this.#session) ?? Promise.resolve()),
        until: async (isShown) => {
          const { rest } = this.#stage;
          return (await rest.until(isShown)) || ((await this.#held.arriveNow()) && rest.until(isShown));
        },
        answered: async (status) => {
          if (status === null || status >= 500) await this.#stage.repeats.passedOn();
          await reached.partner?.answered?.(status);
        },
        ...(client && {
          client: async (request) => {
            const here = { fetch: life.fetchOf((input, init) => sandbox.fetch(input, init)) };
            return (
              (await life.whileAlive(async () => responseOf(await client(request, here)))) ?? Response.error()
            );
          },
        }),
      },
    };
  }

  /** Sends the first request of a step with `request-twice` once more, as a client that ignores the answer. */
  #sendAlso(send: () => Promise<unknown>): Promise<unknown> | undefined {
    if (!this.#isSentTwice) return undefined;
    this.#isSentTwice = false;
    const afterMs = this.#offsetMs?.() ?? 0;
    return afterMs > 0 ? this.#session.wall.pause(afterMs).then(send) : send();
  }

  /**
   * Gets a new token for a call of the scenario, if the token that it shares with the partner's system has expired in a
   * call of that system. Returns true if the step can be taken again.
   */
  async #hasNewToken(step: ScenarioStep): Promise<boolean> {
    const isExpired = this.#plan.schedule.some(({ kind }) => kind === "token-expired");
    if (!isExpired || step.verb !== "call" || this.#session.facts.statuses.get(step.number) !== 401)
      return false;
    await this.#session.client.renewToken(step.as);
    return true;
  }

  /** Takes a step, and counts its time. */
  async #during<Taken>(step: ScenarioStep, taking: () => Promise<Taken>): Promise<Taken> {
    const { spent, world } = this.#stage;
    if (step.verb === "request") return spent.during("answers", taking);
    return world.isFollowed ? spent.during("clock", taking) : taking();
  }

  /** Runs the nightly jobs once more at the end: a system that reconciles later converges. */
  async #recover(): Promise<Played["failure"]> {
    const session = this.#session;
    const ended = (): Promise<void> => this.#stage.rest.settle();
    const { marked, others, possible } = nightlyJobs(session.scenario.steps);
    const unmarked = this.#plan.repeatsPossibleJobs ? [...others, ...possible] : others;
    if (marked.length + unmarked.length === 0) return undefined;
    // A job that is not marked may rightly refuse to run once more.
    const during = <Taken>(step: ScenarioStep, taking: () => Promise<Taken>): Promise<Taken> =>
      this.#during(step, taking);
    const again = {
      begins: async ({ number }: ScenarioStep) => {
        this.#stage.rest.disturb(0, `step ${number} again`);
        await this.#stage.repeats.ask();
      },
      ended,
      during,
    };
    for (const step of unmarked) await takeAll(session, { steps: [step], ...again });
    const failure = await takeAll(session, { steps: marked, ...again });
    return failure ?? (await this.#comeToRest());
  }

  /**
   * Moves time until no timer is due. If the timers of the partner's system follow the clock, another day passes: its
   * retries run, and so does each nightly job.
   */
  async #comeToRest(): Promise<Played["failure"]> {
    const { world, exploration } = this.#stage;
    const targets = [{ until: "idle" }, { by: (from: number) => from + DAY_MS }, { until: "idle" }] as const;
    for (const target of world.isFollowed ? targets : targets.slice(0, 1)) {
      const { follower, to } = await world.advance(target);
      const message = follower && lateSentence({ name: follower.name, at: formatInstant(to) });
      if (message !== undefined)
        return { step: exploration.scenario.steps.length, title: "the end", message };
    }
    return undefined;
  }

  #booksOf(session: Session): Books | undefined {
    const { books, probe, rest } = this.#stage;
    return (
      books &&
      probe &&
      new Books(books, {
        session,
        read: () => probe(session),
        settled: async () => (await rest.read(() => probe(session))).state,
      })
    );
  }

  /** Returns the data that the partner's system may change by its work: its state, and the calls that it made. */
  async #glance(): Promise<{ readonly state: unknown; readonly calls: number }> {
    const { probe, isCaller, world } = this.#stage;
    const state = await probe?.(this.#session).catch(() => undefined);
    return { state, calls: isCaller ? world.calls().length : 0 };
  }

  async #probe(isQuick: boolean): Promise<Pick<Played, "state" | "stateProblem" | "moved">> {
    const { rest, probe } = this.#stage;
    const session = this.#session;
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
    const { world } = this.#stage;
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
