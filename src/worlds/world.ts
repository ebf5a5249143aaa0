import type { AssumptionValues } from "../platform/assumptions/assumptions.ts";
import type { Cause } from "../core/journal.ts";
import type { ClockMode } from "./world-clock.ts";
import type { Fixtures } from "../platform/founding.ts";
import type { Inbound } from "./inbound.ts";
import type { LifeOptions, Onlookers } from "./life.ts";
import type { Outcome, Simulation, SimulationImage, SimulationOptions } from "../core/simulation.ts";
import type { RecordingMark } from "./recorder.ts";
import type { Transport } from "../webhooks/transport.ts";
import type { Transaction } from "../core/transaction.ts";
import type { AdvanceReport, AdvanceTarget } from "./advance.ts";
import { advanceTo } from "./advance.ts";
import { Coverage } from "./coverage.ts";
import { happeningLines } from "./happening.ts";
import { inbound } from "./inbound.ts";
import { Life } from "./life.ts";
import { Recorder } from "./recorder.ts";
import { WorldClock } from "./world-clock.ts";

/** What one world can be made with. */
export interface WorldSettings {
  readonly seed: number;
  /** Null starts at the present wall time. */
  readonly start: number | null;
  readonly mode: ClockMode;
  readonly assumptions: AssumptionValues;
  readonly webhookUrl: string | null;
}

export interface WorldOptions {
  readonly id: string;
  readonly name: string;
  readonly settings: WorldSettings;
  readonly fixtures: Fixtures;
  /** Ends every token and client id of this world, so that they name it. */
  readonly credentialSuffix: string;
  readonly transport: Transport;
  /** Wall time in milliseconds; what a running clock flows with. */
  readonly wallNow: () => number;
  readonly audit?: SimulationOptions["audit"];
}

/** What reached a life of a world, from its start to now. */
export interface RecordedLife extends RecordingMark {
  readonly start: number;
  readonly now: number;
}

const UNKNOWN_PAST: RecordingMark = { items: [], isFull: false, isWhole: false };

/** One complete sandbox: a clock, and a life that can be begun again. */
export class World {
  readonly id: string;
  readonly name: string;
  /** When issued tokens expire, in wall time: no wall time enters the records. */
  readonly tokenExpiries = new Map<string, number>();
  readonly settings: WorldSettings;
  readonly credentialSuffix: string;
  readonly #wallNow: () => number;
  readonly #lifeOptions: LifeOptions;
  readonly #clock: WorldClock;
  readonly #marks = new WeakMap<SimulationImage, RecordingMark>();
  #recorder = new Recorder();
  #coverage = new Coverage();
  #life: Life;
  #alarm: NodeJS.Timeout | undefined;
  #advances: Promise<unknown> = Promise.resolve();

  constructor(options: WorldOptions, image?: SimulationImage, mark: RecordingMark = UNKNOWN_PAST) {
    const { settings, credentialSuffix, fixtures, transport, wallNow, audit } = options;
    const { seed, start, mode, assumptions, webhookUrl } = settings;
    this.id = options.id;
    this.name = options.name;
    this.settings = settings;
    this.credentialSuffix = credentialSuffix;
    this.#wallNow = wallNow;
    const founding = { fixtures, credentialSuffix, assumptions, webhookUrl };
    this.#lifeOptions = { seed, start: start ?? wallNow(), founding, transport, ...(audit && { audit }) };
    this.#life = image ? this.#resume(image, mark) : this.#found();
    this.#clock = new WorldClock(mode, this.#life.simulation.now, wallNow);
    this.#setAlarm();
  }

  /** What this world has gone through since its start or its last reset. */
  get coverage(): Coverage {
    return this.#coverage;
  }

  get simulation(): Simulation {
    return this.#life.simulation;
  }

  get clockMode(): ClockMode {
    return this.#clock.mode;
  }

  /** The world's time, to which everything due has happened. */
  get now(): number {
    this.#catchUp();
    return this.simulation.now;
  }

  /** The records at the world's time, to read between commands. */
  get records(): Simulation["records"] {
    this.#catchUp();
    return this.simulation.records;
  }

  /** What happened so far, at the world's time. */
  get journal(): Simulation["journal"] {
    this.#catchUp();
    return this.simulation.journal;
  }

  get wallNow(): number {
    return this.#wallNow();
  }

  /** Takes a command at the world's time, after everything that was due before it. */
  execute<T>(cause: Cause, command: (tx: Transaction) => T): Outcome<T> {
    this.#catchUp();
    const request = inbound.getStore();
    if (request !== undefined && cause.name !== "fork")
      this.#recorder.requested(this.simulation.now, request);
    const outcome = this.simulation.execute(cause, command);
    this.#life.dispatcher.open();
    this.#setAlarm();
    return outcome;
  }

  /** Takes down a request that came to nothing at the door. */
  noticed(request: Inbound): void {
    this.#recorder.requested(this.now, request);
  }

  /** Runs a command as it would have come out before a journal entry, without any trace. */
  executeBefore<T>(entry: number, cause: Cause, command: (tx: Transaction) => T): Outcome<T> {
    this.#catchUp();
    return this.simulation.executeBefore(entry, cause, command);
  }

  /** How long an attempt took in wall time, where that is still known. */
  attemptDurationMs(deliveryId: string, number: number): number | null {
    return this.#life.dispatcher.durationMs(deliveryId, number);
  }

  /** Resolves once no webhook is on its way any more. */
  settled(): Promise<void> {
    return this.#life.dispatcher.settled();
  }

  /** Moves time on, drains everything that is due on the way, and tells what happened. One at a time. */
  advance(target: AdvanceTarget): Promise<AdvanceReport> {
    const request = inbound.getStore();
    const advance = this.#advances.then(() => this.#advance(target, request));
    this.#advances = advance.catch(() => undefined);
    return advance;
  }

  /** Moves time on at once, whatever webhooks are on their way: what is due happens, and nothing is waited for. */
  moveOn(to: number): AdvanceReport {
    this.#catchUp();
    const { simulation } = this;
    const { now: from } = simulation;
    const { nextNumber: firstEntry } = simulation.journal;
    const fired = this.#moveTo(to);
    this.#recorder.advanced(simulation.now, from, inbound.getStore());
    this.#clock.set(this.#clock.mode, simulation.now);
    this.#setAlarm();
    return {
      from,
      to: simulation.now,
      fired,
      happened: happeningLines(simulation.journal.since(firstEntry)),
    };
  }

  /** What reached this life of the world so far, once nothing is on its way any more. */
  async recording(): Promise<RecordedLife> {
    await this.settled();
    this.#catchUp();
    await this.settled();
    const { start } = this.#lifeOptions;
    return { ...this.#recorder.mark(), start, now: this.simulation.now };
  }

  /** Lets the clock run, or freezes it where it stands. */
  setClockMode(mode: ClockMode): void {
    this.#catchUp();
    this.#clock.set(mode, this.simulation.now);
    this.#setAlarm();
  }

  /** Gives back exactly what a start gives. */
  reset(): void {
    this.#begin(this.#found(), this.settings.mode);
    this.tokenExpiries.clear();
  }

  image(): SimulationImage {
    this.#catchUp();
    const image = this.simulation.image();
    this.#marks.set(image, this.#recorder.mark());
    return image;
  }

  /** Goes on from an image, in the clock mode that is set. */
  restore(image: SimulationImage): void {
    this.#begin(this.#resume(image, this.markOf(image)), this.#clock.mode);
  }

  /** What was recorded up to an image that this world has given. */
  markOf(image: SimulationImage): RecordingMark {
    return this.#marks.get(image) ?? UNKNOWN_PAST;
  }

  /** Stops the clock for good. */
  close(): void {
    clearTimeout(this.#alarm);
    this.#clock.set("frozen", this.simulation.now);
  }

  async #advance(target: AdvanceTarget, request: Inbound | undefined): Promise<AdvanceReport> {
    this.#catchUp();
    const { simulation, dispatcher } = this.#life;
    const recorder = this.#recorder;
    await dispatcher.settled();
    const { now: from } = simulation;
    const { nextNumber: firstEntry } = simulation.journal;
    const { fired, stoppedBy } = await advanceTo({ simulation, dispatcher, target });
    recorder.advanced(simulation.now, from, request);
    this.#clock.set(this.#clock.mode, simulation.now);
    this.#setAlarm();
    const happened = happeningLines(simulation.journal.since(firstEntry));
    return { from, to: simulation.now, fired, happened, ...(stoppedBy && { stoppedBy }) };
  }

  #begin(life: Life, mode: ClockMode): void {
    this.#life = life;
    this.#clock.set(mode, life.simulation.now);
    this.#setAlarm();
  }

  #catchUp(): void {
    const { simulation } = this;
    const now = Math.floor(this.#clock.read(simulation.now));
    if (now > simulation.now) this.#moveTo(now);
  }

  /** Stops at every instant at which something is due, as an advance does, so that both leave the same journal. */
  #moveTo(to: number): number {
    const { simulation, dispatcher } = this.#life;
    let fired = 0;
    for (let due = simulation.nextDue(); due !== undefined && due <= to; due = simulation.nextDue()) {
      fired += simulation.moveTo(due);
      dispatcher.open();
    }
    simulation.moveTo(to);
    return fired;
  }

  #found(): Life {
    this.#recorder = new Recorder();
    this.#coverage = new Coverage();
    return Life.found(this.#lifeOptions, this.#onlookers());
  }

  #resume(image: SimulationImage, mark: RecordingMark): Life {
    this.#recorder = new Recorder(mark);
    return Life.resume(this.#lifeOptions, this.#onlookers(), image);
  }

  #onlookers(): Onlookers {
    const coverage = this.#coverage;
    return {
      watcher: this.#recorder,
      consult: (what) => coverage.consulted(what),
      entered: (entry) => coverage.entered(entry),
    };
  }

  /** Wakes a running world when its next timer is due. */
  #setAlarm(): void {
    clearTimeout(this.#alarm);
    const due = this.#clock.mode === "running" ? this.simulation.nextDue() : undefined;
    if (due === undefined) return;
    const delayMs = Math.min(Math.max(0, due - this.#clock.read(this.simulation.now)), ALARM_DELAY_MAX_MS);
    this.#alarm = setTimeout(() => {
      this.#catchUp();
      this.#setAlarm();
    }, Math.ceil(delayMs));
    this.#alarm.unref();
  }
}

/** The longest a Node timer waits. */
const ALARM_DELAY_MAX_MS = 2 ** 31 - 1;
