import type { AdvanceReport, AdvanceTarget, MoveTarget } from "./advance.ts";
import type { Cause, JournalEntry } from "../engine/journal.ts";
import type { ClockMode } from "./world-clock.ts";
import type { LifeOptions } from "./life.ts";
import type { Outcome, Simulation, SimulationImage } from "../engine/simulation.ts";
import type { RecordingMark } from "./recorder.ts";
import type { SavedWorld, WorldLog, WorldNews } from "./saved-world.ts";
import type { Transport } from "../webhooks/transport.ts";
import type { Transaction } from "../engine/transaction.ts";
import type { WorldOptions, WorldOrigin, WorldSettings } from "./world-options.ts";
import { assume } from "../platform/assumptions/assumptions.ts";
import { birthOf, originImage, originPast } from "./world-options.ts";
import { Chronicle, UNKNOWN_PAST } from "./chronicle.ts";
import { Detour } from "./detour.ts";
import { isDeepStrictEqual } from "node:util";
import { assertDefined } from "../engine/assertion.ts";
import { Life } from "./life.ts";
import { overrideWebhookUrl } from "../platform/world-settings.ts";
import { Snapshots, START } from "./snapshots.ts";
import { TokenExpiries } from "./token-expiries.ts";
import { WorldClock } from "./world-clock.ts";
import { WorldTime } from "./world-time.ts";

/**
 * One complete sandbox under a name of its own: a life that can be begun again, gone back on and kept, how time
 * goes by in it, and what is written down of it.
 */
export class World {
  readonly id: string;
  readonly name: string;
  readonly credentialSuffix: string;
  /** Whether it was made to start at a given time, and not at the current one. */
  readonly hasGivenStart: boolean;
  /** What is written down of it beside its journal. */
  readonly chronicle = new Chronicle();
  readonly #wallNow: () => number;
  readonly #log: WorldLog;
  readonly #time: WorldTime;
  readonly #detour: Detour;
  readonly #snapshots: Snapshots;
  readonly tokenExpiries: TokenExpiries;
  #settings: WorldSettings;
  #lifeOptions: LifeOptions;

  constructor(options: WorldOptions, origin?: WorldOrigin) {
    const { id, name, credentialSuffix, fixtures, transport, wallNow, audit } = options;
    const { seed, mode, assumptions, webhookUrl } = options.settings;
    const start = options.settings.start ?? wallNow();
    const image = originImage(origin);
    const saved = origin !== undefined && "saved" in origin ? origin.saved : undefined;
    this.id = id;
    this.name = name;
    this.hasGivenStart = options.settings.start !== null;
    this.#settings = { ...options.settings, start };
    this.credentialSuffix = credentialSuffix;
    this.#wallNow = wallNow;
    this.#log = options.log ?? (() => undefined);
    this.#detour = new Detour(transport);
    this.#snapshots = new Snapshots(saved?.snapshots);
    this.tokenExpiries = new TokenExpiries(
      (token, expiresAt) => this.#tell({ kind: "token", token, expiresAt }),
      saved?.tokenExpiries,
    );
    const clock = new WorldClock(mode, image?.now ?? start, wallNow);
    if (saved !== undefined) clock.resume(saved.clock);
    this.#time = new WorldTime(clock, (state) => this.#tell({ kind: "clock", clock: state }));
    this.#lifeOptions = {
      seed,
      start,
      founding: { fixtures, credentialSuffix, assumptions, webhookUrl },
      transport: this.#detour.transport,
      timekeeper: this.#time,
      committed: (entry: JournalEntry) => this.#tell({ kind: "committed", entry }),
      ...(audit && { audit }),
    };
    if (saved === undefined)
      this.#tell(
        birthOf(origin, { name, settings: this.#settings, clock: clock.state(image?.now ?? start) }),
      );
    this.#time.begin(image === undefined ? this.#found() : this.#resume(image, originPast(origin)));
  }

  /** What it was made with; `start` is the instant it began at. */
  get settings(): WorldSettings {
    return this.#settings;
  }

  /** The simulation wherever it stands; `now`, `records` and `journal` bring it up to the world's time first. */
  get simulation(): Simulation {
    return this.#time.life.simulation;
  }

  get clockMode(): ClockMode {
    return this.#time.mode;
  }

  /** The world's time, to which everything due has happened. */
  get now(): number {
    return this.#time.present.simulation.now;
  }

  /** The records at the world's time, to read between commands. */
  get records(): Simulation["records"] {
    return this.#time.present.simulation.records;
  }

  /** What happened so far, at the world's time. */
  get journal(): Simulation["journal"] {
    return this.#time.present.simulation.journal;
  }

  get wallNow(): number {
    return this.#wallNow();
  }

  /** Takes a command at the world's time, after everything that was due before it. */
  execute<T>(cause: Cause, command: (tx: Transaction) => T): Outcome<T> {
    const { simulation, dispatcher } = this.#time.present;
    this.chronicle.requested(simulation.now);
    const outcome = simulation.execute(cause, command);
    dispatcher.open();
    this.#time.setAlarm();
    return outcome;
  }

  /** Runs a command as it would have come out before a journal entry, without any trace. */
  executeBefore<T>(entry: number, cause: Cause, command: (tx: Transaction) => T): Outcome<T> {
    return this.#time.present.simulation.executeBefore(entry, cause, command);
  }

  /** How long an attempt took in wall time, where that is still known. */
  attemptDurationMs(deliveryId: string, number: number): number | null {
    return this.#time.life.dispatcher.durationMs(deliveryId, number);
  }

  /** Resolves once no webhook is on its way any more. */
  settled(): Promise<void> {
    return this.#time.life.dispatcher.settled();
  }

  /** Hands every webhook attempt to another transport until the function it gives is called. */
  detour(transport: Transport): () => void {
    return this.#detour.take(transport);
  }

  /** Moves time on, drains everything that is due on the way, and tells what happened. One at a time. */
  advance(target: AdvanceTarget): Promise<AdvanceReport> {
    return this.#time.advance(target, this.chronicle.mover());
  }

  /** Moves time on at once, whatever webhooks are on their way: what is due happens, and nothing is waited for. */
  moveOn(target: MoveTarget): AdvanceReport {
    return this.#time.moveOn(target, this.chronicle.mover());
  }

  /** Lets the clock run, or freezes it where it stands. */
  setClockMode(mode: ClockMode): void {
    this.#time.catchUp();
    this.#time.setMode(mode);
  }

  /** Goes on with other assumptions, or another webhook URL, than it was made with. */
  reconfigure(changed: Partial<Pick<WorldSettings, "assumptions" | "webhookUrl">>): void {
    const settings = { ...this.#settings, ...changed };
    if (isDeepStrictEqual(settings, this.#settings)) return;
    this.#settings = settings;
    const { assumptions, webhookUrl } = this.#settings;
    const founding = { ...this.#lifeOptions.founding, assumptions, webhookUrl };
    this.#lifeOptions = { ...this.#lifeOptions, founding };
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
    this.#time.life.end();
    const start = standsAt ?? this.#lifeOptions.start;
    this.#tell({ kind: "begun", at: start });
    this.#time.begin(this.#found(start));
    this.#time.setMode(standsAt === undefined ? this.settings.mode : "frozen");
  }

  /** Makes the world as it stands what a reset gives back, and lets its clock go on in `mode`. */
  beginHere(mode: ClockMode): void {
    this.#snapshots.takeAsStart(this.image());
    this.#tell({ kind: "snapshot", snapshot: START, now: this.simulation.now });
    this.#settings = { ...this.#settings, mode };
    this.#tell({ kind: "settings", settings: this.#settings });
    this.#time.setMode(mode);
  }

  image(): SimulationImage {
    return this.chronicle.keep(this.#time.present.simulation.image());
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
    this.#time.life.end();
    this.#tell({ kind: "restored", snapshot });
    this.#time.begin(this.#resume(image, this.chronicle.markOf(image)));
    this.#time.setMode(mode);
  }

  /** The world as it stands, to be kept beyond the process; what was due meanwhile is still due. */
  saved(): SavedWorld {
    const { id, name, settings, simulation } = this;
    return {
      id,
      name,
      settings,
      clock: this.#time.clock,
      image: simulation.image(),
      snapshots: new Map(this.snapshots),
      tokenExpiries: this.tokenExpiries.saved(),
    };
  }

  /** Stops the clock for good; nobody hears of it any more. */
  close(): void {
    this.chronicle.end();
    this.#time.life.end();
    this.#time.stop();
  }

  #tell(news: WorldNews): void {
    this.#log({ world: this.id, ...news });
  }

  /** A life from the fixtures. */
  #found(start: number = this.#lifeOptions.start): Life {
    return Life.found({ ...this.#lifeOptions, start }, this.chronicle.begin());
  }

  /** A life that goes on from an image. */
  #resume(image: SimulationImage, past: RecordingMark = UNKNOWN_PAST): Life {
    return Life.resume(this.#lifeOptions, this.chronicle.begin(past), image);
  }
}
