import { CommandFailure } from "../../process/failures.ts";
import type { Lint } from "../../api/generated/shapes.ts";
import { Books } from "../books/books.ts";
import type { BooksFinding } from "../books/finding.ts";
import { lintsIn } from "../scenarios/lints.ts";
import type { PlayedDelivery, PlayedWorld } from "../../access/played-world.ts";
import type { ScenarioWorld } from "../scenarios/world.ts";
import type { StepFault } from "./deviations.ts";
import type { Rest } from "./rest.ts";
import { formatInstant } from "../../engine/instant.ts";
import { effectOf } from "../../platform/faults/effects.ts";
import { type PlayedCall, hastyLints, idsOfRun, isOfSystem, playedCalls, stepRequestId } from "./calls.ts";
import type { Limits } from "./limits.ts";
import { CALLS_MAX, type PartnerClient, type PartnerLife } from "./partner-system.ts";
import { lateSentence } from "../scenarios/perform.ts";
import { responseOf } from "../oracle/handler.ts";
import { platformState } from "./platform-state.ts";
import { REPETITION } from "../scenarios/repetition.ts";
import { Session } from "../scenarios/session.ts";
import { originsOf, sendAlso, type StepFailure, takeAll } from "./taking.ts";
import type { BooksSettings, Scenario, ScenarioStep } from "../scenarios/scenario.ts";
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
  /** True if it starts again before each run, because it keeps a token that only some runs would request. */
  restarts?: boolean;
  /** Empties it before each run. */
  readonly reset?: () => Promise<void>;
  /** Begins a new run: requests of the run before are no longer in flight. `answered` is called after each webhook. */
  readonly begin?: (answered?: () => Promise<unknown>) => void;
}

interface PlayerOptions {
  /**
   * The only world of this exploration's sandbox. Every run is played in it.
   */
  readonly world: PlayedWorld;
  readonly limits: Limits;
  readonly reached: ScenarioWorld;
  /** The `fetch` for a client in this process. It takes whole URLs and any path. */
  readonly clientFetch: typeof fetch;
  readonly scenario: Scenario;
  readonly partner: PartnerSystem;
  readonly rest: Rest;
  readonly settleMs: number;
  /** The place of its books in the state that its probe shows. */
  readonly books?: BooksSettings | undefined;
  /** True if the partner's system calls the sandbox. Then its calls are checked. */
  readonly isLinted: boolean;
}

/** One run of the scenario. */
export interface PlannedRun {
  /** The value of `${run}`. */
  readonly run: string;
  readonly seed: number;
  readonly faults: readonly StepFault[];
  /** The steps whose request is sent twice at the same moment. */
  readonly doubled?: ReadonlySet<number>;
  /** The delay of the second request; default: no delay. */
  readonly offsetMs?: () => number;
  readonly steps: readonly ScenarioStep[];
  /** Returns true if it ended like the baseline. Otherwise the state is read again, with the full patience. */
  readonly isExpected?: (played: Played) => boolean;
  /** The factor for the time that the system gets for its work; default: 1. */
  readonly patience?: number;
  /** The factor for that time if the run did not end like the baseline; default: 1. */
  readonly patienceAgain?: number;
  /** True if the work after the answers is timed. */
  readonly isTiming?: boolean;
  /** True if the steps are watched, to learn the step of each event. */
  readonly isWatched?: boolean;
}

/** The result of a run. */
export interface Played {
  readonly run: string;
  readonly deliveries: readonly PlayedDelivery[];
  readonly calls: readonly PlayedCall[];
  /** The platform's own objects and balances at the end, if they depend on the partner's system. */
  readonly platform?: unknown;
  /** True if a caller called without end. */
  readonly isEndless: boolean;
  /** Every text of the run by its origin, without the texts of events. */
  readonly origins: ReadonlyMap<string, string>;
  /** The state at the end. Undefined if the probe gave no state. */
  readonly state?: unknown;
  /** The reason why the probe gave no state. */
  readonly stateProblem?: string;
  /** The first differences between the partner's books and the ledger. Empty if they agree, or are not compared. */
  readonly books: readonly BooksFinding[];
  /** The number of comparisons of the books. */
  readonly moments: number;
  /** The suspicious calls of the partner's system. */
  readonly lints: readonly Lint[];
  /** The previous reading, if the state was still moving. */
  readonly moved?: unknown;
  /** The step that failed. */
  readonly failure?: StepFailure;
  /** The end of each step: the number of events so far, and the time. Empty if the run was not watched. */
  readonly stepEnds: readonly { readonly events: number; readonly at: number }[];
  /** The statuses of the answers, by step. */
  readonly statuses: ReadonlyMap<number, number | null | undefined>;
  /** The number of effects of each fault, by its id. */
  readonly hits: ReadonlyMap<string, number>;
}

/** The maximum number of readings at the end of a run, if a system continues to call the platform. */
const LOOKS_MAX = 4;

/** Plays a scenario again and again in one sandbox, each time from the start and with another seed. */
export class Player {
  readonly #options: PlayerOptions;

  constructor(options: PlayerOptions) {
    this.#options = options;
  }

  async play({
    run,
    seed,
    faults,
    doubled,
    offsetMs,
    steps,
    isExpected,
    patience = 1,
    patienceAgain = patience,
    isTiming = false,
    isWatched = false,
  }: PlannedRun): Promise<Played> {
    const { world, limits, partner, rest, settleMs, isLinted } = this.#options;
    await partner.life.ready;
    if (partner.restarts === true) {
      await partner.life.kill();
      await partner.life.ready;
    }
    await partner.reset?.();
    partner.life.beginRun(run);
    const scenario = { ...this.#options.scenario, steps };
    let current = 0;
    const reached = this.#reached(() => current);
    const session = new Session(scenario, {
      world: reached,
      seed,
      run,
      repetition: REPETITION,
      isLinted,
    });
    const books = this.#booksOf(session);
    partner.begin?.(async () => {
      if (partner.isCaller) this.#refuseEndless();
      if (isWatched && books !== undefined) await books.check("webhook");
    });
    const reset = (): void => (partner.isCaller ? world.resetForClients(seed) : world.reset({ seed }));
    reset();
    if (world.isFollowed && partner.life.canBeKilled) {
      // The system's timers come from the previous run. Its work during the start does not belong to a run.
      await partner.life.kill();
      await partner.life.ready;
      reset();
    }
    limits.plan(faults, patience);
    for (const fault of faults) world.fault(fault);
    rest.begin({ patience, isTiming, glance: () => this.#glance(session) });
    const stepEnds: { events: number; at: number }[] = [];
    let parted: readonly BooksFinding[] = [];
    const failure = await takeAll(session, {
      begins: (step) => {
        current = step.number;
        if (step.verb === "request") rest.disturb(0);
        return doubled?.has(step.number) === true ? sendAlso(step, session, offsetMs?.()) : undefined;
      },
      ended: async () => {
        await rest.settle();
        if (isWatched) stepEnds.push(await this.#stepEnd());
        if (books !== undefined && parted.length === 0) parted = await books.check("step");
      },
    });
    const late = await this.#comeToRest();
    await partner.life.ready;
    await rest.settle();
    const missed = failure ?? late ?? (await this.#recover(session));
    const hits = world.faultHits();
    if (faults.some(({ effect }) => effectOf(effect).endsWithFault)) {
      world.removeFaults();
      await world.advance({ until: "idle" });
    }
    const isSeen = isWatched || partner.isCaller;
    const seen = async (isQuick: boolean): Promise<Played> => {
      const probed = await this.#probe(session, isQuick);
      const log = isSeen ? world.requests() : [];
      const calls = playedCalls(log, run);
      return {
        run,
        books: parted.length === 0 && books !== undefined ? await books.check("end") : parted,
        moments: books?.moments ?? 0,
        lints: withIds([...(await lintsIn(session)), ...hastyLints(calls)], idsOfRun(log, run)),
        deliveries: await world.deliveries(),
        calls,
        ...(partner.isCaller && { platform: await platformState(world) }),
        isEndless: partner.life.isEndless || calls.filter(isOfSystem).length > CALLS_MAX,
        origins: originsOf(session),
        ...probed,
        ...(missed && { failure: missed }),
        stepEnds,
        statuses: session.statuses,
        hits,
      };
    };
    const played = await this.#atRest(() => seen(rest.isPrompt && patience === 1));
    if (settleMs === 0 || isExpected?.(played) !== false) return played;
    // A worker may wait for Retry-After, as it should.
    const hasWaited = await limits.over();
    if (!hasWaited && !rest.isPrompt && patienceAgain === patience) return played;
    rest.again(patienceAgain);
    return this.#atRest(() => seen(false));
  }

  /** Refuses every call of a system that calls again on each webhook, so that the run ends. */
  #refuseEndless(): void {
    const { world, partner } = this.#options;
    if (partner.life.isRefused || world.requests().filter(isOfSystem).length <= CALLS_MAX) return;
    partner.life.isRefused = true;
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
  #reached(step: () => number): ScenarioWorld {
    const { reached, clientFetch, partner } = this.#options;
    const { client, life } = partner;
    return {
      ...reached,
      rested: () => this.#options.rest.settle(),
      fetch: (path, init) => {
        if (isControlPath(path)) return reached.fetch(path, init);
        const headers = {
          ...(init?.headers as Record<string, string>),
          [REQUEST_ID_HEADER]: stepRequestId(step()),
        };
        return reached.fetch(path, { ...init, headers });
      },
      ready: () => life.ready,
      ...(client && {
        client: async (request) => {
          const here = { fetch: life.fetchOf(clientFetch) };
          return (
            (await life.whileAlive(async () => responseOf(await client(request, here)))) ?? Response.error()
          );
        },
      }),
    };
  }

  /** Runs the nightly jobs once more at the end: a system that reconciles later converges. */
  async #recover(session: Session): Promise<Played["failure"]> {
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
  async #glance(session: Session): Promise<unknown> {
    const { partner, world } = this.#options;
    const state = await partner.probe?.(session).catch(() => undefined);
    return [state, partner.isCaller ? world.requests().length : 0];
  }

  async #probe(
    session: Session,
    isQuick: boolean,
  ): Promise<Pick<Played, "state" | "stateProblem" | "moved">> {
    const { rest, partner } = this.#options;
    const { probe } = partner;
    if (probe === undefined) {
      await rest.read(async () => null, { isQuick: true });
      return {};
    }
    try {
      const { state, before } = await rest.read(() => probe(session), { isQuick });
      session.shown = state;
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
