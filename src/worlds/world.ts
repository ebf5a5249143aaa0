import type { AdvanceReport, AdvanceTarget, MoveTarget } from "./advance.ts";
import type { Cause, JournalEntry } from "../engine/journal.ts";
import type { ClockMode } from "./clock.ts";
import type { RunOptions } from "./run.ts";
import type { Outcome, Simulation, SimulationImage } from "../engine/simulation.ts";
import type { RecordingMark } from "./recorder.ts";
import type { SavedWorld, WorldLog, WorldNews } from "./saved-world.ts";
import type { Transport } from "../webhooks/transport.ts";
import type { Transaction } from "../engine/transaction.ts";
import type { WorldOptions, WorldOrigin, WorldSettings } from "./world-options.ts";
import { assume } from "../platform/assumptions/assumptions.ts";
import { birthOf, originImage, originPast } from "./world-options.ts";
import { Chronicle, UNKNOWN_PAST } from "./chronicle.ts";
import { isDeepStrictEqual } from "node:util";
import { assertDefined } from "../engine/assertion.ts";
import { Run } from "./run.ts";
import { overrideWebhookUrl } from "../platform/world-settings.ts";
import { Snapshots, START } from "./snapshots.ts";
import { TokenExpiries } from "./token-expiries.ts";
import { WorldClock } from "./clock.ts";

/**
 * One complete sandbox under a name of its own: a life that can be begun again, gone back on and kept, how time
 * goes by in it, and what is written down of it.
 */
export class World {
  readonly id: string;
  readonly name: string;
  readonly credentialSuffix: string;
  /** What is written down of it beside its journal. */
  readonly chronicle = new Chronicle();
  readonly #wallNow: () => number;
  readonly #log: WorldLog;
  readonly #clock: WorldClock;
  readonly #snapshots: Snapshots;
  readonly tokenExpiries: TokenExpiries;
  #settings: WorldSettings;
  #transportOverride: Transport | undefined;
  #runOptions: RunOptions;

  constructor(options: WorldOptions, origin?: WorldOrigin) {
    const { id, name, credentialSuffix, fixtures, transport, wallNow, audit } = options;
    const { seed, mode, assumptions, webhookUrl } = options.settings;
    const start = options.settings.start ?? wallNow();
    const image = originImage(origin);
    const saved = origin !== undefined && "saved" in origin ? origin.saved : undefined;
    this.id = id;
    this.name = name;
    this.#settings = { ...options.settings, start };
    this.credentialSuffix = credentialSuffix;
    this.#wallNow = wallNow;
    this.#log = options.log ?? (() => undefined);
    this.#snapshots = new Snapshots(saved?.snapshots);
    this.tokenExpiries = new TokenExpiries(
      (token, expiresAt) => this.#tell({ kind: "token", token, expiresAt }),
      saved?.tokenExpiries,
    );
    const now = image?.now ?? start;
    this.#clock = new WorldClock({
      mode,
      now,
      wallNow,
      changed: (clock) => this.#tell({ kind: "clock", clock }),
      ...(saved && { saved: saved.clock }),
    });
    this.#runOptions = {
      seed,
      start,
      founding: { fixtures, credentialSuffix, assumptions, webhookUrl },
      transport: (requests) => (this.#transportOverride ?? transport)(requests),
      timekeeper: this.#clock,
      committed: (entry: JournalEntry) => this.#tell({ kind: "committed", entry }),
      ...(audit && { audit }),
    };
    if (saved === undefined)
      this.#tell(birthOf(origin, { name, settings: this.#settings, clock: this.#clock.state(now) }));
    this.#clock.begin(image === undefined ? this.#found() : this.#resume(image, originPast(origin)));
  }

  /** What it was made with; `start` is the instant it began at. */
  get settings(): WorldSettings {
    return this.#settings;
  }

  /** The simulation wherever it stands; `now`, `records` and `journal` bring it up to the world's time first. */
  get simulation(): Simulation {
    return this.#clock.run.simulation;
  }

  get clockMode(): ClockMode {
    return this.#clock.mode;
  }

  /** The world's time, to which everything due has happened. */
  get now(): number {
    return this.#clock.present.simulation.now;
  }

  /** The records at the world's time, to read between commands. */
  get records(): Simulation["records"] {
    return this.#clock.present.simulation.records;
  }

  /** What happened so far, at the world's time. */
  get journal(): Simulation["journal"] {
    return this.#clock.present.simulation.journal;
  }

  get wallNow(): number {
    return this.#wallNow();
  }

  /** Takes a command at the world's time, after everything that was due before it. */
  execute<T>(cause: Cause, command: (tx: Transaction) => T): Outcome<T> {
    const { simulation, deliveries } = this.#clock.present;
    this.chronicle.requested(simulation.now);
    const { nextNumber } = simulation.journal;
    const outcome = simulation.execute(cause, command);
    if (simulation.journal.nextNumber > nextNumber) deliveries.commandTaken();
    deliveries.open();
    this.#clock.setAlarm();
    return outcome;
  }

  /** Runs a command as it would have come out before a journal entry, without any trace. */
  executeBefore<T>(entry: number, cause: Cause, command: (tx: Transaction) => T): Outcome<T> {
    return this.#clock.present.simulation.executeBefore(entry, cause, command);
  }

  /** How long an attempt took in wall time, where that is still known. */
  attemptDurationMs(deliveryId: string, number: number): number | null {
    return this.#clock.run.deliveries.durationMs(deliveryId, number);
  }

  /** Waits until every webhook attempt has ended and its outcome is part of the world. */
  settled(): Promise<void> {
    return this.#clock.run.deliveries.settled();
  }

  /** Prepares a read of outcomes on a frozen clock: waits a moment for those of attempts in flight. */
  settledSoon(): Promise<void> | undefined {
    return this.#clock.run.deliveries.settledSoon();
  }

  /** Makes the outcomes that are known part of the world, and waits for none. */
  takeInOutcomes(): void {
    this.#clock.run.deliveries.takeIn();
  }

  /** Sends every webhook attempt over another transport until the function it returns is called. */
  overrideTransport(transport: Transport): () => void {
    this.#transportOverride = transport;
    return () => {
      if (this.#transportOverride === transport) this.#transportOverride = undefined;
    };
  }

  /** Moves time on, drains everything that is due on the way, and tells what happened. One at a time. */
  advance(target: AdvanceTarget): Promise<AdvanceReport> {
    return this.#clock.advance(target, this.chronicle.mover());
  }

  /** Moves time on at once, whatever webhooks are on their way: what is due happens, and nothing is waited for. */
  moveOn(target: MoveTarget): AdvanceReport {
    return this.#clock.moveOn(target, this.chronicle.mover());
  }

  /** Lets the clock run, or freezes it where it stands. */
  setClockMode(mode: ClockMode): void {
    this.#clock.catchUp();
    this.#clock.setMode(mode);
  }

  /** Goes on with other assumptions, or another webhook URL, than it was made with. */
  reconfigure(changed: Partial<Pick<WorldSettings, "assumptions" | "webhookUrl">>): void {
    const settings = { ...this.#settings, ...changed };
    if (isDeepStrictEqual(settings, this.#settings)) return;
    this.#settings = settings;
    const { assumptions, webhookUrl } = this.#settings;
    const founding = { ...this.#runOptions.founding, assumptions, webhookUrl };
    this.#runOptions = { ...this.#runOptions, founding };
    this.#tell({ kind: "settings", settings: this.#settings });
    this.execute({ by: "control", name: "settings" }, (tx) => {
      assume(tx, assumptions);
      overrideWebhookUrl(tx, webhookUrl);
    });
  }

  /** Gives back exactly what a start gives; with an instant the fixtures alone, on a clock that stands there. */
  reset(standsAt?: number): void {
    this.tokenExpiries.clear();
    if (standsAt === undefined && this.snapshots.has(START)) return this.restore(START, this.settings.mode);
    this.#clock.run.end();
    const start = standsAt ?? this.#runOptions.start;
    this.#tell({ kind: "begun", at: start });
    this.#clock.begin(this.#found(start));
    this.#clock.setMode(standsAt === undefined ? this.settings.mode : "frozen");
  }

  /** Makes the world as it stands what a reset gives back, and lets its clock go on in `mode`. */
  beginHere(mode: ClockMode): void {
    this.#snapshots.takeAsStart(this.image());
    this.#tell({ kind: "snapshot", snapshot: START, now: this.simulation.now });
    this.#settings = { ...this.#settings, mode };
    this.#tell({ kind: "settings", settings: this.#settings });
    this.#clock.setMode(mode);
  }

  image(): SimulationImage {
    return this.chronicle.keep(this.#clock.present.simulation.image());
  }

  /** The snapshots taken of this world, oldest first. */
  get snapshots(): ReadonlyMap<string, SimulationImage> {
    return this.#snapshots.all;
  }

  /** Keeps the world as it stands; gives the id to come back by. */
  takeSnapshot(): string {
    const image = this.image();
    const id = this.#snapshots.take(image);
    this.#tell({ kind: "snapshot", snapshot: id, now: image.now });
    return id;
  }

  /** Goes on from one of its snapshots, in the clock mode that is set unless another is given. */
  restore(snapshot: string, mode: ClockMode = this.clockMode): void {
    const image = assertDefined(this.snapshots.get(snapshot), `the snapshot ${snapshot}`);
    this.#clock.run.end();
    this.#tell({ kind: "restored", snapshot });
    this.#clock.begin(this.#resume(image, this.chronicle.markOf(image)));
    this.#clock.setMode(mode);
  }

  /** The world as it stands, to be kept beyond the process; what was due meanwhile is still due. */
  saved(): SavedWorld {
    const { id, name, settings, simulation } = this;
    return {
      id,
      name,
      settings,
      clock: this.#clock.state(),
      image: simulation.image(),
      snapshots: new Map(this.snapshots),
      tokenExpiries: this.tokenExpiries.saved(),
    };
  }

  /** Stops the clock for good; nobody hears of it any more. */
  close(): void {
    this.takeInOutcomes();
    this.chronicle.end();
    this.#clock.run.end();
    this.#clock.close();
  }

  #tell(news: WorldNews): void {
    this.#log({ world: this.id, ...news });
  }

  /** A life from the fixtures. */
  #found(start: number = this.#runOptions.start): Run {
    return Run.found({ ...this.#runOptions, start }, this.chronicle.begin());
  }

  /** A life that goes on from an image. */
  #resume(image: SimulationImage, past: RecordingMark = UNKNOWN_PAST): Run {
    return Run.resume(this.#runOptions, this.chronicle.begin(past), image);
  }
}
