import type { Cause } from "../engine/journal.ts";
import type { Deliveries } from "../webhooks/deliveries.ts";
import type { InboundRequest, WorldInput } from "./inbound-request.ts";
import type { Outcome, Simulation, SimulationImage } from "../engine/simulation.ts";
import type { SavedWorld, WorldEvent } from "./saved-world.ts";
import type { WorldOptions } from "./world-options.ts";
import { keepExpiry } from "./token-expiries.ts";
import type { WorldSettings } from "./world-settings.ts";
import type { Transport } from "../webhooks/transport.ts";
import type { Transaction } from "../engine/transaction.ts";
import { assertDefined } from "../engine/assertion.ts";
import { Coverage } from "./coverage.ts";
import { Followers } from "./followers.ts";
import { isDeepStrictEqual } from "node:util";
import { type ChangeableSettings, changeSettings, settingsOf } from "../platform/world-settings.ts";
import { type AdvanceReport, type AdvanceTarget, noteMove } from "./advance.ts";
import { Snapshots, START } from "./snapshots.ts";
import { forkedImage, Run, type RunOptions } from "./run.ts";
import { type AdvanceOptions, type ClockMode, WorldClock } from "./clock.ts";

/** The origin of a world: the present state of another world, or its own saved state. */
export interface WorldOrigin {
  readonly forkOf?: World;
  readonly saved?: SavedWorld;
  /** True if the world is read-only: its timers do not fire, and it sends no webhooks. */
  readonly isReadOnly?: boolean;
}

/** Called with the kind of each change of a world, and with `closed` at its end. */
type Watcher = (event: WorldEvent["kind"] | "closed") => void;

/**
 * One complete sandbox: its run, which can be started over, restored and forked, its clock, its snapshots and its
 * settings.
 */
export class World {
  readonly id: string;
  readonly name: string;
  readonly credentialSuffix: string;
  /** Whether it was made to start at a given time, and not at the current one. */
  readonly hasGivenStart: boolean;
  /** Whether it was reset or restored, so that tokens which were issued before may be gone. */
  hasBegunAgain = false;
  /** The coverage of the world since its start or its last reset. */
  readonly coverage: Coverage;
  /** The programs that follow its clock. */
  readonly followers: Followers;
  readonly #options: WorldOptions;
  /** Its time moves by commands, and by `advance`. */
  readonly clock: WorldClock;
  readonly snapshots: Snapshots;
  /** The expiry of each issued token. It is wall time, so it is not part of the records. */
  readonly #tokenExpiries: Map<string, number>;
  readonly #watchers = new Set<Watcher>();
  #settings: WorldSettings;
  /** The instant of its beginning. */
  readonly #start: number;
  #transportOverride: Transport | undefined;

  constructor(options: WorldOptions, { saved, forkOf, isReadOnly = false }: WorldOrigin = {}) {
    const { id, name, credentialSuffix, wallNow } = options;
    const { seed, mode } = options.settings;
    const start = options.settings.start ?? wallNow();
    const suffixes = forkOf && { from: forkOf.credentialSuffix, to: credentialSuffix };
    const fork = forkOf && suffixes && forkedImage(forkOf.image(), { seed, suffixes });
    const { image = fork?.image } = saved ?? {};
    const now = image?.now ?? start;
    this.id = id;
    this.name = name;
    this.hasGivenStart = options.settings.start !== null;
    this.credentialSuffix = credentialSuffix;
    this.#options = options;
    this.#start = start;
    this.#settings = { ...options.settings, start };
    this.snapshots = new Snapshots((event) => this.#report(event), saved?.snapshots);
    this.#tokenExpiries = new Map(saved?.tokenExpiries);
    this.coverage = new Coverage(saved?.coverage, options.consulted);
    this.followers = new Followers((follower) => options.followerGone?.(id, follower));
    this.clock = new WorldClock({
      followers: this.followers,
      mode,
      now,
      wallNow,
      changed: (clock) => this.#report({ kind: "clock", clock }),
      saved: saved?.clock,
      isReadOnly,
    });
    const made = { name, settings: this.#settings, clock: this.clock.state(now) };
    if (forkOf && fork) this.#report({ kind: "forked", from: forkOf.id, renewed: fork.renewed, ...made });
    else if (saved === undefined) this.#report({ kind: "made", ...made });
    this.#begin(image, start, saved?.opened);
  }

  /** The settings of the world. `start` is the instant of its beginning. */
  get settings(): WorldSettings {
    return this.#settings;
  }

  /**
   * The simulation, which may be behind the clock; `now`, `records` and `journal` bring it to the world's time first.
   */
  get simulation(): Simulation {
    return this.clock.run.simulation;
  }

  /** The run at the world's time. Each read brings the clock up to date: a request takes it once and passes it on. */
  get present(): Run {
    return this.clock.present;
  }

  /** The world's time. All timers that are due at this time have fired. */
  get now(): number {
    return this.present.simulation.now;
  }

  /** The records at the world's time, to read between commands. */
  get records(): Simulation["records"] {
    return this.present.simulation.records;
  }

  /** The journal so far, at the world's time. */
  get journal(): Simulation["journal"] {
    return this.present.simulation.journal;
  }

  /**
   * Runs a command at the world's time, after all timers that were due before it. The request that caused it is
   * stored in the journal with its changes.
   */
  execute<T>(
    cause: Cause,
    command: (tx: Transaction) => T,
    request?: InboundRequest,
    { simulation, deliveries }: Run = this.present,
  ): Outcome<T> {
    // Webhooks that earlier commands made due are opened first, so that the journal does not depend on turns.
    deliveries.open();
    const { now, journal, records } = simulation;
    const { nextNumber } = journal;
    const input = request && (request.isJournaled ? request.continued : request.inputFor(records));
    const caused = input === undefined ? cause : { ...cause, input };
    const outcome = deliveries.duringCommand(() => simulation.execute(caused, command));
    if (journal.entry(nextNumber)?.cause === caused) {
      if (request !== undefined) request.isJournaled = true;
    } else if (request?.isJournaled === false) {
      request.changedNothing(() => simulation.note(caused, nextNumber - 1, now));
    }
    void deliveries.openInTurns();
    this.clock.scheduleNext();
    return outcome;
  }

  /**
   * Runs the command of a call. A fault may send events before the answer (fault: early). Then `early` resolves once
   * the receiver has answered them: the events of the command, of timers that it made due at once, and of its next
   * timer.
   *
   * Time moves to that timer, unless it moves already, or a webhook is in flight whose receiver may be the caller.
   */
  executeCall<T>(
    cause: Cause,
    command: (tx: Transaction) => T,
    request?: InboundRequest,
    present: Run = this.present,
  ): { readonly outcome: Outcome<T>; readonly early: Promise<unknown> | undefined } {
    const { nextNumber } = present.simulation.journal;
    const isFree = !this.clock.isMoving && !present.deliveries.isInFlight;
    const outcome = this.execute(cause, command, request, present);
    const { earlyFaults } = present;
    if (earlyFaults.length === 0) return { outcome, early: undefined };
    present.deliveries.open();
    const to = isFree ? present.waitsUntil(nextNumber, earlyFaults) : undefined;
    const moved = to === undefined ? undefined : this.clock.advance({ to }, { waits: true });
    return { outcome, early: moved ?? present.deliveries.earlySince(nextNumber) };
  }

  /**
   * Returns the simulation as a read shows it: with the outcomes of attempts that are known, which become part of it at
   * a barrier. So the journal does not depend on who looked. `coverage` counts the parts that these outcomes exercise.
   */
  shown(coverage?: Coverage): Simulation {
    const { simulation, deliveries } = this.present;
    const shown = deliveries.shown({
      audit: (_, entry) => coverage?.entered(entry),
      consulted: (assumption) => coverage?.consulted(assumption),
    });
    return shown ?? simulation;
  }

  /** Runs a command that only reads, with the outcomes that a read shows. */
  executeShown<T>(cause: Cause, command: (tx: Transaction) => T, request: InboundRequest): Outcome<T> {
    const shown = this.shown();
    return shown === this.simulation ? this.execute(cause, command, request) : shown.execute(cause, command);
  }

  /** Puts a request into the journal that was answered before any command was run for it. */
  note(cause: Cause, request: InboundRequest): void {
    const { simulation } = this.present;
    if (!request.isJournaled) simulation.note({ ...cause, input: request.inputFor(simulation.records) });
  }

  /** The webhook attempts of the current run. */
  get deliveries(): Deliveries {
    return this.clock.run.deliveries;
  }

  /** The reason why the world has stopped, as a sentence. Undefined while it runs. */
  get stopped(): string | undefined {
    return this.clock.run.stopped;
  }

  /** Waits until the webhooks of earlier commands have ended and are part of the world, between two instants. */
  async settled(): Promise<void> {
    await this.deliveries.settledUntilNow();
    await this.clock.ready();
  }

  /**
   * Waits until the attempts in flight are answered. On a frozen clock their outcomes are not part of the world yet.
   */
  answered(): Promise<void> {
    return this.clock.mode === "frozen" ? this.deliveries.answered() : this.settled();
  }

  /** Sends every webhook attempt over another transport until the function it returns is called. */
  overrideTransport(transport: Transport): () => void {
    this.#transportOverride = transport;
    return () => {
      if (this.#transportOverride === transport) this.#transportOverride = undefined;
    };
  }

  /** Advances the clock, by default waits for the webhooks on the way, and reports it. `asked` is the request body. */
  async advance(
    target: AdvanceTarget,
    asked?: string,
    { waits = true, signal }: Partial<AdvanceOptions> = {},
  ): Promise<AdvanceReport> {
    const { simulation } = this;
    const report = await this.clock.advance(target, { waits, signal });
    const note = noteMove(simulation, report, asked);
    if (note !== undefined) this.#report({ kind: "moved", note });
    return report;
  }

  /** Starts the clock, or freezes it at its present time. */
  setClockMode(mode: ClockMode): void {
    this.clock.catchUp();
    this.clock.setMode(mode);
  }

  /** Sets further assumptions, or another webhook URL, until the world is reset. */
  changeSettings(changed: Partial<ChangeableSettings>, request?: InboundRequest): void {
    const input: WorldInput = { kind: "settings", changed, size: JSON.stringify(changed).length };
    const cause = { by: "control", name: "settings", ...(!request && { input }) };
    this.execute(cause, (tx) => changeSettings(tx, changed), request);
  }

  /** Sets further assumptions, or another webhook URL, than it was made with; a reset keeps them. */
  reconfigure(changed: Partial<ChangeableSettings>): void {
    const assumptions = { ...this.#settings.assumptions, ...changed.assumptions };
    const settings = { ...this.#settings, ...changed, assumptions };
    if (isDeepStrictEqual(settings, this.#settings)) return;
    this.#keepSettings(settings);
    // A stopped world takes the settings at its next reset.
    if (this.present.stopped === undefined) this.changeSettings(changed);
  }

  /**
   * Restores the exact initial state. With an instant, it restores only the fixtures, on a clock that is frozen at
   * that instant. With a seed, the world draws its values from that seed from now on.
   */
  reset(frozenAt?: number, seed = this.settings.seed): void {
    this.hasBegunAgain = true;
    if (seed !== this.settings.seed) this.#keepSettings({ ...this.#settings, seed });
    if (frozenAt === undefined && this.snapshots.images.has(START)) {
      this.restore(START, this.settings.mode);
      this.#tokenExpiries.clear();
      // A restart may have come with other settings than the start.
      const { assumptions, webhookUrl } = this.#settings;
      const given = { assumptions, webhookUrl };
      if (!isDeepStrictEqual(settingsOf(this.simulation.records), given)) this.changeSettings(given);
      return;
    }
    const start = frozenAt ?? this.#start;
    this.clock.run.end();
    this.#report({ kind: "begun", at: start });
    this.#tokenExpiries.clear();
    this.#begin(undefined, start);
    this.clock.setMode(frozenAt === undefined ? this.settings.mode : "frozen");
  }

  /** Makes the present state the initial state of later resets, and continues with the clock in `mode`. */
  beginHere(mode: ClockMode): void {
    this.snapshots.keep(START, this.image());
    this.#keepSettings({ ...this.#settings, mode });
    this.clock.setMode(mode);
  }

  image(): SimulationImage {
    return this.present.simulation.image();
  }

  /** Continues from one of its snapshots; default of `mode`: the present clock mode. */
  restore(snapshot: string, mode: ClockMode = this.clock.mode): void {
    const image = assertDefined(this.snapshots.images.get(snapshot), `the snapshot ${snapshot}`);
    this.hasBegunAgain = true;
    this.clock.run.end();
    this.#report({ kind: "restored", snapshot });
    this.#begin(image);
    this.clock.setMode(mode);
  }

  /** Whether an issued token has expired, in wall time; any other never does. */
  isExpired(token: string): boolean {
    const expiry = this.#tokenExpiries.get(token);
    return expiry !== undefined && expiry <= this.clock.wallNow();
  }

  /** From `expiresAt` on, in wall time, the token is refused. */
  setTokenExpiry(token: string, expiresAt: number): void {
    const { simulation, snapshots } = this;
    keepExpiry(this.#tokenExpiries, { token, expiresAt }, simulation.records, snapshots.images);
    this.#report({ kind: "token", token, expiresAt });
  }

  /** Returns all data that has to outlive the process. Timers that become due after it are still due. */
  saved(): SavedWorld {
    const { id, name, settings, simulation } = this;
    return {
      id,
      name,
      settings,
      clock: this.clock.state(),
      image: simulation.image(),
      snapshots: new Map(this.snapshots.images),
      tokenExpiries: new Map(this.#tokenExpiries),
      opened: this.deliveries.opened,
      coverage: this.coverage.counts(),
    };
  }

  /** Reports every change and the end of the world, until the function it returns is called. */
  watch(watcher: Watcher): () => void {
    this.#watchers.add(watcher);
    return () => void this.#watchers.delete(watcher);
  }

  get isWatched(): boolean {
    return this.#watchers.size + this.followers.size > 0;
  }

  /** Stops the clock and all deliveries for good. */
  close(): void {
    for (const watcher of this.#watchers) watcher("closed");
    this.#watchers.clear();
    this.followers.close();
    this.clock.run.end();
    this.clock.close();
  }

  #report(event: WorldEvent): void {
    this.#options.log?.({ world: this.id, ...event });
    for (const watcher of this.#watchers) watcher(event.kind);
  }

  #keepSettings(settings: WorldSettings): void {
    this.#settings = settings;
    this.#report({ kind: "settings", settings });
  }

  /** Begins a run from an image, or from the fixtures at `start`. */
  #begin(
    image: SimulationImage | undefined,
    start: number = this.#start,
    opened: SavedWorld["opened"] = [],
  ): void {
    if (image === undefined) this.coverage.clear();
    const { transport, fixtures, isFull, audit } = this.#options;
    const { seed, ...settings } = this.#settings;
    const options: RunOptions = {
      world: this.id,
      seed,
      start,
      seeding: { fixtures, ...settings, credentialSuffix: this.credentialSuffix },
      transport: (requests) => (this.#transportOverride ?? transport)(requests),
      clock: this.clock,
      isFull,
      audit: (simulation, entry) => {
        this.#report({ kind: "committed", entry });
        this.coverage.entered(entry);
        audit?.(simulation, entry, this.id);
      },
      consulted: (assumption) => this.coverage.consulted(assumption),
      answered: (attempt) => this.#report({ kind: "answered", attempt }),
      stopped: (reason) => this.#options.stopped?.(this.id, reason),
    };
    this.clock.begin(new Run(options, image, opened));
  }
}
