import { CommandFailure } from "../../process/failures.ts";
import { type ChangeDifference, type Observed, type UsualChange, idlePaths } from "./state-change.ts";
import { type StateDifference, isCompared, rulesFor, stateDifferences } from "../oracle/comparison.ts";
import { type NamedState, nameState } from "../oracle/naming.ts";
import { readProbe } from "../oracle/probe.ts";
import { setTimeout as pause } from "node:timers/promises";
import { type IgnoredPath, withoutIgnored } from "../oracle/ignored-paths.ts";

export interface ProbeOptions {
  /** Where the receiver returns its state as JSON. */
  readonly url: string;
  /** What is left out of every comparison. */
  readonly ignored?: readonly IgnoredPath[];
  /** Wall time that work after the answer may take. */
  readonly settleMs: number;
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

/** A receiver that works after its answer may take this many times the settling time. */
const SETTLINGS_MAX = 5;

/** How often a state that moves is read again. */
const READS_MAX = 25;

/** Longer than a second, so that clocks and ages in whole seconds are seen to move. */
const IDLE_MS = 1_100;

/** The state of a receiver as any JSON, and what of it changes by itself. */
export class Probe {
  readonly #options: ProbeOptions;
  readonly #unstable = new Set<string>();
  readonly #unordered = new Set<string>();
  /** What changed while nothing was sent, once that was found out. */
  #idlePaths: ReadonlySet<string> | undefined;
  #settleMs: number;
  #waitedMs = 0;
  #isLearned = false;
  /** The state at rest, since which nothing was sent. */
  #atRest: { readonly state: unknown } | undefined;

  constructor(options: ProbeOptions) {
    this.#options = options;
    this.#settleMs = options.settleMs;
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
      await this.#pause(this.#settleMs);
      const second = await this.#read();
      this.#learn(first, second);
      if (!isCompared(unnamed(second), this.#rules))
        throw new CommandFailure(
          `Everything that the probe ${this.#options.url} shows changes by itself, or is left out by --ignore.`,
        );
    }
    return this.#read();
  }

  /** Something is sent: the state may move from now on. */
  disturb(): void {
    this.#atRest = undefined;
  }

  /**
   * The state once it is at rest: an earlier event may still work its way through a queue or an outbox. What it changes
   * late must not be taken for the work of the next one. After many events it takes more readings.
   */
  async before(readsMax = READS_MAX): Promise<unknown> {
    const state = await this.now();
    const { state: known } = this.#atRest ?? {};
    if (this.#atRest !== undefined && this.#differences(known, state).length === 0) return state;
    return this.#rest(state, readsMax);
  }

  /** The state after the receiver has worked. Where nothing has changed yet, it is waited for longer. */
  async afterWork(before: unknown): Promise<unknown> {
    for (let settling = 1; ; settling += 1) {
      await this.#pause(this.#settleMs);
      const after = await this.#read();
      const isChanged = this.#differences(before, after).length > 0;
      if (isChanged && settling > 1) this.#settleMs = this.#options.settleMs * settling;
      if (isChanged) return this.#rest(after);
      if (settling >= SETTLINGS_MAX) return after;
    }
  }

  /** The state when the receiver has had its time to work. */
  async settled(): Promise<unknown> {
    await this.#pause(this.#settleMs);
    return this.#rest(await this.#read());
  }

  /** Reads the state until two readings in a row are equal. */
  async #rest(first: unknown, readsMax = READS_MAX): Promise<unknown> {
    let state = first;
    for (let reads = 0; reads < readsMax; reads += 1) {
      await this.#pause(this.#settleMs);
      const next = await this.#read();
      const isAtRest = this.#differences(state, next).length === 0;
      state = next;
      if (isAtRest) break;
    }
    this.#atRest = { state };
    return state;
  }

  /** Whether something changed that does not change by itself. */
  isChanged(before: unknown, after: unknown): boolean {
    return this.#differences(before, after).length > 0;
  }

  /** Where two states differ that should be equal, without what is known to change by itself. */
  changes(first: unknown, second: unknown, names: ReadonlyMap<string, string>): StateDifference[] {
    return this.#differences(first, second, names);
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

  /**
   * Where deliveries changed something else than is usual, without what changes by itself; with `times`, where so many
   * at once changed something else than as many one by one. With `again` that was looked at a moment ago.
   */
  async unusual(
    usual: UsualChange,
    observed: Observed,
    { times, again = false }: { readonly times?: number; readonly again?: boolean } = {},
  ): Promise<ChangeDifference[]> {
    if (usual.differences(observed, { times }).length === 0) return [];
    if (!again) this.#idlePaths = idlePaths(...(await this.#idleStates()));
    return usual.differences(observed, { times, isIdle: (path) => this.#idlePaths?.has(path) === true });
  }

  async #idleStates(): Promise<[unknown, unknown]> {
    const one = await this.#read();
    await this.#pause(IDLE_MS);
    return [one, await this.#read()];
  }

  #learn(first: unknown, second: unknown): void {
    const { unstable, unordered } = rulesFor(unnamed(first), unnamed(second));
    for (const path of unstable) this.#unstable.add(path);
    for (const path of unordered) this.#unordered.add(path);
  }

  get #rules() {
    return { unstable: this.#unstable, unordered: this.#unordered };
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
    await pause(durationMs);
  }

  async #read(): Promise<unknown> {
    const { url, ignored = [] } = this.#options;
    const startedMs = performance.now();
    try {
      return withoutIgnored(unnamed(await readProbe(url)), ignored).value;
    } finally {
      this.#waitedMs += performance.now() - startedMs;
    }
  }
}

function unnamed(value: unknown): NamedState {
  return { value, named: new Set() };
}
