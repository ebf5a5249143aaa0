import type { AssumptionValues } from "../platform/assumptions/assumptions.ts";
import type { Cause } from "../core/journal.ts";
import type { ClockMode } from "./world-clock.ts";
import type { Fixtures } from "../platform/founding.ts";
import type { HappeningLine } from "./happening.ts";
import type { LifeOptions } from "./life.ts";
import type { Outcome, Simulation, SimulationImage, SimulationOptions } from "../core/simulation.ts";
import type { Transport } from "../webhooks/transport.ts";
import type { Transaction } from "../core/transaction.ts";
import { advanceTo } from "./advance.ts";
import { happeningLines } from "./happening.ts";
import { Life } from "./life.ts";
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

/** Where an advance is to go. */
export type AdvanceTarget = { readonly to: number } | { readonly until: "next" | "idle" };

export interface AdvanceReport {
  readonly from: number;
  readonly to: number;
  /** How many timers fired. */
  readonly fired: number;
  readonly happened: readonly HappeningLine[];
  /** The limit that ended the advance early, where one did. */
  readonly stoppedBy?: string;
}

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
  #life: Life;
  #alarm: NodeJS.Timeout | undefined;
  #advances: Promise<unknown> = Promise.resolve();

  constructor(options: WorldOptions, image?: SimulationImage) {
    const { settings, credentialSuffix, fixtures, transport, wallNow, audit } = options;
    const { seed, start, mode, assumptions, webhookUrl } = settings;
    this.id = options.id;
    this.name = options.name;
    this.settings = settings;
    this.credentialSuffix = credentialSuffix;
    this.#wallNow = wallNow;
    const founding = { fixtures, credentialSuffix, assumptions, webhookUrl };
    this.#lifeOptions = { seed, start: start ?? wallNow(), founding, transport, ...(audit && { audit }) };
    this.#life = image ? Life.resume(this.#lifeOptions, image) : Life.found(this.#lifeOptions);
    this.#clock = new WorldClock(mode, this.#life.simulation.now, wallNow);
    this.#setAlarm();
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
    const outcome = this.simulation.execute(cause, command);
    this.#setAlarm();
    return outcome;
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
    const advance = this.#advances.then(() => this.#advance(target));
    this.#advances = advance.catch(() => undefined);
    return advance;
  }

  /** Lets the clock run, or freezes it where it stands. */
  setClockMode(mode: ClockMode): void {
    this.#catchUp();
    this.#clock.set(mode, this.simulation.now);
    this.#setAlarm();
  }

  /** Gives back exactly what a start gives. */
  reset(): void {
    this.#begin(Life.found(this.#lifeOptions), this.settings.mode);
    this.tokenExpiries.clear();
  }

  image(): SimulationImage {
    this.#catchUp();
    return this.simulation.image();
  }

  /** Goes on from an image, in the clock mode that is set. */
  restore(image: SimulationImage): void {
    this.#begin(Life.resume(this.#lifeOptions, image), this.#clock.mode);
  }

  /** Stops the clock for good. */
  close(): void {
    clearTimeout(this.#alarm);
    this.#clock.set("frozen", this.simulation.now);
  }

  async #advance(target: AdvanceTarget): Promise<AdvanceReport> {
    this.#catchUp();
    const { simulation, dispatcher } = this.#life;
    await dispatcher.settled();
    const { now: from } = simulation;
    const { nextNumber: firstEntry } = simulation.journal;
    const { fired, stoppedBy } = await advanceTo({ simulation, dispatcher, target });
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
    if (now > simulation.now) simulation.moveTo(now);
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
