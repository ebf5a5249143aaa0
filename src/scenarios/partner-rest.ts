import type { LoggedRequest } from "../simulator/api/generated/shapes.ts";
import { type Scenario, type ScenarioStep, asksPartner } from "./scenario.ts";
import type { ScenarioWorld } from "./world.ts";
import type { Session } from "./session.ts";
import { listAt } from "../simulator/engine/json.ts";
import { newestCalls } from "./refused-calls.ts";
import { readProbe } from "../partner/partner-state.ts";
import { PendingRepeats } from "../partner/pending-repeats.ts";
import { Rest } from "../partner/rest.ts";
import { operations } from "../simulator/api/operations.ts";
import type { SpentTime, TimeReport } from "../base/spent-time.ts";
import { Stopped } from "../base/stop.ts";
import type { Wall } from "../base/wall.ts";

/** The webhooks after which time waits, until it is known that the system works before it answers. */
const EXCHANGES_TIMED = 3;

/** The maximum number of late calls that a report names. */
const LATE_MAX = 5;

interface PartnerRestOptions {
  readonly scenario: Scenario;
  readonly world: ScenarioWorld;
  readonly wall: Wall;
  readonly settleMs: number;
  /** True if the user names `settleMs`. */
  readonly isSettleNamed: boolean;
  readonly spent: SpentTime;
}

/** Returns true if the partner's system is a part of a run: it is started, gets webhooks or requests, or is probed. */
function hasPartner({ probe, steps }: Scenario, { receiver, partner }: ScenarioWorld): boolean {
  return (
    receiver === undefined || partner !== undefined || probe?.url !== undefined || steps.some(asksPartner)
  );
}

/** Returns the rest of the partner's system in a run. Undefined if no such system is part of the run. */
export function partnerRestOf(options: PartnerRestOptions): PartnerRest | undefined {
  return hasPartner(options.scenario, options.world) ? new PartnerRest(options) : undefined;
}

/**
 * The rest of the partner's system during the steps of a run. Each step begins only when the system has done the work
 * of the step before. A call that comes later nevertheless is noted.
 */
export class PartnerRest {
  readonly #wall: Wall;
  readonly #spent: SpentTime;
  #isFollowed = false;
  readonly #rest: Rest;
  readonly #repeats: PendingRepeats;
  /** The world whose steps wait for the system. */
  readonly world: ScenarioWorld;
  readonly #isWatched: boolean;
  readonly #late: { readonly call: LoggedRequest; readonly step: number }[] = [];
  #session: Session | undefined;
  #step: ScenarioStep | undefined;
  #askedMs = 0;
  /** True once the step has asked the system for something: by its request, or by a webhook. */
  #isAsked = false;
  #exchanges = 0;
  #lastCall: string | undefined;

  constructor({ world, wall, settleMs, isSettleNamed, spent }: PartnerRestOptions) {
    this.#wall = wall;
    this.#spent = spent;
    const pids = world.partner?.pids;
    const repeats = new PendingRepeats(spent.wallOf("repeats"));
    this.#repeats = repeats;
    this.#rest = new Rest({
      wall: spent.wallOf("rest"),
      settleMs,
      isDefault: !isSettleNamed,
      pids,
      repeatsOver: () => repeats.over(),
    });
    this.#isWatched = world.receiver !== undefined || world.watch !== undefined;
    this.world = {
      ...world,
      partner: {
        ...world.partner,
        rested: () => this.#rested(),
        until: async (isShown) => {
          // Calls during the wait are expected.
          await this.#ask();
          return this.#rest.until(isShown);
        },
        answered: async (status) => {
          this.#disturb();
          if (status === null || status >= 500) await repeats.passedOn();
          await world.partner?.answered?.(status);
        },
      },
    };
  }

  /** Begins the run of a session. */
  async begin(session: Session): Promise<void> {
    this.#session = session;
    const { world } = session;
    this.#rest.begin({
      patience: 1,
      isTiming: true,
      timedLong: 0,
      glance: () => this.#glance(session),
      isFollower: () => false,
    });
    this.#repeats.begin({ patience: 1, log: () => this.#newest(), isFollower: () => false });
    if (world.receiver === undefined) world.watch?.(() => this.#exchange());
    this.#lastCall = (await this.#newest()).at(-1)?.id;
  }

  /** Notes the begin of a step. */
  async begins(step: ScenarioStep): Promise<void> {
    this.#step = step;
    this.#isAsked = false;
    if (asksPartner(step)) await this.#ask();
  }

  /** Notes the end of a step, at rest. */
  async ended(): Promise<void> {
    if (!this.#isAsked) await this.#noteLate();
    this.#lastCall = (await this.#newest()).at(-1)?.id ?? this.#lastCall;
  }

  /** Takes a step, and counts its time. */
  async during<Taken>(step: ScenarioStep, taking: () => Promise<Taken>): Promise<Taken> {
    if (step.verb === "request") return this.#spent.during("answers", taking);
    return this.#isFollowed ? this.#spent.during("clock", taking) : taking();
  }

  /** The time of the run so far, and its parts. */
  get time(): TimeReport {
    return this.#spent.report(1);
  }

  /** Facts for the reader of the report: the late calls, and a state that never came to rest. */
  get notes(): string[] {
    const late = this.#late.slice(0, LATE_MAX).map(({ call, step }) => {
      const name = call.operationId ?? `${call.method} ${call.path}`;
      return `${name} of your system came during step ${step}, although that step had not asked your system for anything yet: the call belongs to an earlier step. Give your system more time for its work after an answer: --settle, in milliseconds.`;
    });
    const restless = this.#rest.isRestless
      ? [
          "The state of your system was still changing after 5 s. Leave its clocks and counters out of the probe, or end its background work.",
        ]
      : [];
    return [...late, ...restless];
  }

  async #rested(): Promise<void> {
    const session = this.#session;
    if (session === undefined) return;
    // Webhooks of a sandbox elsewhere are not seen on their way.
    if (!this.#isWatched) this.#disturb();
    this.#isFollowed = await isFollowed(session);
    if (!this.#isFollowed) await this.#rest.settle();
  }

  /** A webhook is about to leave. */
  async #exchange(): Promise<() => Promise<void>> {
    await this.#ask();
    const answered = this.#spent.begin("answers");
    return async () => {
      answered();
      this.#disturb();
      // Time stands still until this ends. Work after the answer belongs to this instant.
      if (this.#rest.isPrompt && this.#exchanges >= EXCHANGES_TIMED) return;
      this.#exchanges += 1;
      // After a stop the run ends by itself.
      await this.#rested().catch((error: unknown) => {
        if (!(error instanceof Stopped)) throw error;
      });
    };
  }

  async #ask(): Promise<void> {
    this.#askedMs = this.#wall.now();
    if (this.#isAsked) return;
    this.#isAsked = true;
    await this.#noteLate();
  }

  #disturb(): void {
    this.#rest.disturb(this.#isAsked ? this.#wall.now() - this.#askedMs : 0);
  }

  /** Notes the calls since the end of the step before. A read, and a request for a token, change nothing. */
  async #noteLate(): Promise<void> {
    const calls = await this.#newest();
    const later = calls.slice(calls.findIndex(({ id }) => id === this.#lastCall) + 1);
    for (const call of later)
      if (call.method !== "GET" && call.operationId !== operations.issueToken.operationId)
        this.#late.push({ call, step: this.#step?.number ?? 0 });
    this.#lastCall = calls.at(-1)?.id ?? this.#lastCall;
  }

  /** Returns the newest calls of the system. Empty if the sandbox is gone: its scenario has failed then. */
  async #newest(): Promise<LoggedRequest[]> {
    const session = this.#session;
    return session === undefined ? [] : newestCalls(session.client).catch(() => []);
  }

  async #glance(session: Session): Promise<{ readonly state: unknown; readonly calls: string | undefined }> {
    const url = session.scenario.probe?.url;
    const state =
      url === undefined
        ? undefined
        : await session
            .fill(url)
            .then((address) => readProbe(address, this.#wall))
            .catch(() => undefined);
    return { state, calls: (await this.#newest()).at(-1)?.id };
  }
}

/** Returns true if a process follows the clock of the world. The clock itself waits for it. */
async function isFollowed({ client }: Session): Promise<boolean> {
  const { body } = await client.control("GET /sandbox/clock/followers");
  return listAt(body, "data").length > 0;
}
