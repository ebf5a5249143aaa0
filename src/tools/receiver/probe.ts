import { CommandFailure } from "../../process/failures.ts";
import { type ChangeDifference, type Observed, type UsualChange, idlePaths } from "./state-change.ts";
import {
  type Rules,
  type StateDifference,
  isCompared,
  rulesFor,
  stateDifferences,
} from "../oracle/comparison.ts";
import { type NamedState, nameState } from "../oracle/naming.ts";
import { readProbe } from "../oracle/probe.ts";
import type { Wall } from "../wall.ts";
import { type IgnoredPath, withoutIgnored } from "../oracle/ignored-paths.ts";

export interface ProbeOptions {
  readonly wall: Wall;
  /** Where the receiver returns its state as JSON. */
  readonly url: string;
  /** What is left out of every comparison. */
  readonly ignored?: readonly IgnoredPath[];
  /** Wall time that work after the answer may take. */
  readonly settleMs: number;
  /** Texts that distinguish rows, such as the ids of the objects that events were about. */
  readonly identities?: ReadonlySet<string>;
}

/** The probe shows nothing of an event that was accepted. */
export class NothingShown extends CommandFailure {}

/** What a probe shows of deliveries; undefined where it shows nothing of them. */
export async function ifShown<Shown>(shown: Promise<Shown>): Promise<Shown | undefined> {
  try {
    return await shown;
  } catch (error) {
    if (error instanceof NothingShown) return undefined;
    throw error;
  }
}

/** Where nothing has changed yet, it is waited for this many settling times more. */
const SETTLINGS_MAX = 5;

/** How often a state that moves is read again. */
const READS_MAX = 25;

/** How often a state is read whose next change is timed. */
const POLL_MS = 20;

/** How many events show how long each waits for those before it. */
const PACED = 5;

/** A receiver may take longer than while it was timed, and more so for each of many events. */
const MARGIN = 1.5;
const QUEUE_MARGIN = 3;

/** For so long its work is timed at most. */
const PACE_MAX_MS = 15_000;

/** Longer than a second, so that clocks and ages in whole seconds are seen to move. */
const IDLE_MS = 1_100;

/** The state of a receiver as any JSON, and what of it changes by itself. */
export class Probe {
  readonly #options: ProbeOptions;
  readonly #identities: ReadonlySet<string>;
  readonly #unstable = new Set<string>();
  readonly #unordered = new Set<string>();
  /** What changed while nothing was sent, once that was found out. */
  #idlePaths: ReadonlySet<string> | undefined;
  /** How long after its answer an event shows, and how much longer for each one that was sent before it. */
  #pace = { firstMs: 0, eachMs: 0 };
  #sent = 0;
  #sentAtMs = 0;
  #waitedMs = 0;
  #isLearned = false;
  /** The state at rest, since which nothing was sent. */
  #atRest: { readonly state: unknown } | undefined;

  constructor(options: ProbeOptions) {
    this.#options = options;
    this.#identities = options.identities ?? new Set();
  }

  /** How long this probe was waited for. */
  get waitedMs(): number {
    return this.#waitedMs;
  }

  /** The state at this moment. The first time, what changes by itself is found out. */
  async now(): Promise<unknown> {
    if (!this.#isLearned) {
      this.#isLearned = true;
      const first = await this.#read();
      await this.#pause(this.#options.settleMs);
      const second = await this.#read();
      this.#learn(first, second);
      if (!isCompared(unnamed(second), this.#rules))
        throw new CommandFailure(
          `Everything that the probe ${this.#options.url} shows changes by itself, or is left out by --ignore.`,
        );
    }
    return this.#read();
  }

  /** So many requests were answered: the state may move from now on. */
  disturb(requests: number): void {
    this.#atRest = undefined;
    this.#sent += requests;
    this.#sentAtMs = this.#options.wall.now();
  }

  /**
   * Finds out how long a receiver works after its answers. One whose worker comes round now and then takes longest for
   * an event that comes right after that; one that works through a queue takes longer for each event in it.
   */
  async learnPace(send: (events: number) => Promise<void>): Promise<void> {
    const { settleMs } = this.#options;
    const quietMs = SETTLINGS_MAX * settleMs;
    // What was sent so far may still be worked on: that is no change by itself.
    await this.#pause(2 * quietMs);
    this.#learn(...(await this.#idleStates()));
    let state = await this.before();
    /** After how long the state has changed for the first time, or for the last one before it does not for so long. */
    const changeMs = async (events: number, which: "first" | "last", calmMs = quietMs): Promise<number> => {
      await send(events);
      const begunMs = this.#options.wall.now();
      for (let changedMs = 0; ; await this.#pause(Math.min(POLL_MS, settleMs))) {
        const ms = this.#options.wall.now() - begunMs;
        const next = await this.#read();
        const isChanged = this.isChanged(state, next);
        if (isChanged) [state, changedMs] = [next, ms];
        if ((isChanged && which === "first") || ms - changedMs >= calmMs || ms >= PACE_MAX_MS)
          return changedMs;
      }
    };
    const soonMs = await changeMs(1, "first");
    const firstMs = Math.max(soonMs, await changeMs(1, "last"));
    const allMs = await changeMs(PACED, "last", Math.max(quietMs, MARGIN * firstMs));
    this.#pace = { firstMs, eachMs: Math.max(0, allMs - firstMs) / PACED };
  }

  /**
   * The state once it is at rest: an earlier event may still work its way through a queue or an outbox. What it changes
   * late must not be taken for the work of the next one.
   */
  async before(): Promise<unknown> {
    const state = await this.now();
    if (this.#atRest !== undefined && this.#differences(this.#atRest.state, state).length === 0) return state;
    return this.settled();
  }

  /** The state after the receiver has worked. Where nothing has changed yet, it is waited for longer. */
  async afterWork(before: unknown): Promise<unknown> {
    let state = await this.settled();
    for (let settling = 0; settling < SETTLINGS_MAX && !this.isChanged(before, state); settling += 1) {
      await this.#pause(this.#options.settleMs);
      state = await this.#read();
      if (!this.isChanged(before, state)) continue;
      this.#pace.firstMs = Math.max(this.#pace.firstMs, this.#options.wall.now() - this.#sentAtMs);
      state = await this.settled();
    }
    return state;
  }

  /** The state when the receiver has had its time to work, and two readings in a row are equal. */
  async settled(): Promise<unknown> {
    const { firstMs, eachMs } = this.#pace;
    const workMs = MARGIN * firstMs + QUEUE_MARGIN * eachMs * Math.max(0, this.#sent - 1);
    const endMs = this.#sentAtMs + Math.max(this.#options.settleMs, workMs);
    await this.#pause(Math.max(0, endMs - this.#options.wall.now()));
    let state = await this.#read();
    for (let reads = 0; reads < READS_MAX; reads += 1) {
      await this.#pause(Math.max(this.#options.settleMs, firstMs));
      const next = await this.#read();
      const isAtRest = this.#differences(state, next).length === 0;
      state = next;
      if (isAtRest) break;
    }
    this.#sent = 0;
    this.#atRest = { state };
    return state;
  }

  /** Whether something changed that does not change by itself. */
  isChanged(before: unknown, after: unknown): boolean {
    return this.#differences(before, after).length > 0;
  }

  /** Where two states differ that should be equal, without what changes by itself. */
  async differences(
    first: unknown,
    second: unknown,
    names: ReadonlyMap<string, string> = new Map(),
  ): Promise<StateDifference[]> {
    if (this.#differences(first, second, names).length === 0) return [];
    const [one, other] = await this.#idleStates();
    this.#learn(one, other);
    return this.#differences(first, second, names);
  }

  /** Whether deliveries change something that does not change by itself, as a clock does, now and then by the same. */
  async shows(usual: UsualChange): Promise<boolean> {
    if (!usual.isVisible()) return false;
    this.#idlePaths ??= idlePaths(...(await this.#idleStates()));
    return usual.isVisible((path) => this.#idlePaths?.has(path) === true);
  }

  /** Where deliveries changed something else than is usual, without what changes by itself. */
  async unusual(usual: UsualChange, observed: Observed, order?: "any order"): Promise<ChangeDifference[]> {
    if (usual.differences(observed, { order }).length === 0) return [];
    this.#idlePaths = idlePaths(...(await this.#idleStates()));
    return usual.differences(observed, { order, isIdle: (path) => this.#idlePaths?.has(path) === true });
  }

  async #idleStates(): Promise<[unknown, unknown]> {
    const one = await this.#read();
    await this.#pause(IDLE_MS);
    return [one, await this.#read()];
  }

  #learn(first: unknown, second: unknown): void {
    const { unstable, unordered } = rulesFor(unnamed(first), unnamed(second), {
      identities: this.#identities,
    });
    for (const path of unstable) this.#unstable.add(path);
    for (const path of unordered) this.#unordered.add(path);
  }

  get #rules(): Rules {
    return { unstable: this.#unstable, unordered: this.#unordered, identities: this.#identities };
  }

  #differences(
    first: unknown,
    second: unknown,
    names: ReadonlyMap<string, string> = new Map(),
  ): StateDifference[] {
    return stateDifferences(nameState(first, { names }), nameState(second, { names }), this.#rules);
  }

  async #pause(durationMs: number): Promise<void> {
    this.#waitedMs += durationMs;
    await this.#options.wall.pause(durationMs);
  }

  async #read(): Promise<unknown> {
    const { url, ignored = [], wall } = this.#options;
    const startedMs = this.#options.wall.now();
    try {
      return withoutIgnored(unnamed(await readProbe(url, wall)), ignored).value;
    } finally {
      this.#waitedMs += this.#options.wall.now() - startedMs;
    }
  }
}

function unnamed(value: unknown): NamedState {
  return { value, named: new Set() };
}
