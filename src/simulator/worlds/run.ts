import type { Change } from "../engine/store.ts";
import type { SavedExchange } from "../webhooks/exchange.ts";
import type { Transport } from "../webhooks/transport.ts";
import { deliveries } from "../platform/webhook-events/delivery.ts";
import { Deliveries } from "../webhooks/deliveries.ts";
import type { DeliveryClock } from "../webhooks/delivery-clock.ts";
import { LongWork } from "../../base/long-work.ts";
import { effectOf } from "../platform/faults/effects.ts";
import { type Fault, faults } from "../platform/faults/fault.ts";
import { memory } from "../../base/memory.ts";
import { type Seeding, renewCredentials, seedWorld } from "../platform/seed.ts";
import { noteSeedChange } from "../platform/world-settings.ts";
import {
  Simulation,
  type SimulationImage,
  type SimulationOptions,
  type TimerFailure,
} from "../engine/simulation.ts";
import { addDuration, formatInstant, type Instant } from "../engine/instant.ts";
import { timers } from "../engine/timers.ts";
import { timerKinds } from "../platform/catalog.ts";

export interface RunOptions {
  /** The id of the world. */
  readonly world: string;
  readonly seed: number;
  readonly start: number;
  readonly seeding: Seeding;
  readonly transport: Transport;
  readonly clock: DeliveryClock;
  /** Called with every outcome that is known and not committed yet, until the run ends. */
  readonly answered: (attempt: SavedExchange) => void;
  /** Called with every committed entry until the run ends. */
  readonly audit: NonNullable<SimulationOptions["audit"]>;
  /** Called once with the reason, as a sentence, if a failed timer stops the run. */
  readonly stopped: (reason: string) => void;
  /** Called with every assumption that a command consults until the run ends. */
  readonly consulted: (assumption: string) => void;
  /** Returns true if the world keeps as much as it may. Default: only the memory of the process is the limit. */
  readonly isFull?: ((simulation: Simulation) => boolean) | undefined;
}

/**
 * One run of a world: a simulation and its deliveries. A reset or a restore ends the run and begins another run, so
 * the former state is gone. A run that has ended sends and commits nothing.
 */
export class Run {
  readonly simulation: Simulation;
  readonly deliveries: Deliveries;
  /** The reason why it has stopped, as a sentence. Undefined while it runs. */
  stopped: string | undefined;
  readonly #isWorldFull: RunOptions["isFull"];
  #hasEnded = false;
  /** The work in turns at one instant, and the number of commands that wait for its end. */
  #firing: Promise<number> | undefined;
  #waiting = 0;

  /**
   * Starts from the fixtures, or continues from an image; attempts that were in flight there are made again. Those of
   * `opened` are not opened a second time.
   */
  constructor(options: RunOptions, image?: SimulationImage, opened: readonly SavedExchange[] = []) {
    const { world, seed, start, clock, transport, seeding, answered } = options;
    const audit: RunOptions["audit"] = (simulation, entry) => {
      if (!this.#hasEnded) options.audit(simulation, entry);
    };
    const consulted = (what: string): void => {
      if (!this.#hasEnded) options.consulted(what);
    };
    const perform = (deliveryIds: readonly string[]): void => {
      for (const id of deliveryIds) this.deliveries.makeDue(id);
    };
    const failed = ({ at, message }: TimerFailure): void => {
      this.deliveries.close();
      this.stopped = `The world ${world} stopped at ${formatInstant(at)}, because of a bug in sandbank: ${message}. Its data is kept. Read it under /sandbox, then start again with POST /sandbox/reset.`;
      if (!this.#hasEnded) options.stopped(this.stopped);
    };
    this.simulation = new Simulation({ seed, start, timerKinds, perform, consulted, audit, failed }, image);
    this.deliveries = new Deliveries(this.simulation, { world, transport, clock, answered });
    this.#isWorldFull = options.isFull;
    if (image === undefined) {
      this.simulation.execute({ by: "control", name: "start" }, (tx) => seedWorld(tx, seeding));
      return;
    }
    if (clock.isReadOnly) {
      this.deliveries.close();
      return;
    }
    const resumed = this.deliveries.resume(opened);
    for (const { id, pending } of this.simulation.records.all(deliveries))
      for (const _attempt of resumed.has(id) ? pending.slice(1) : pending) this.deliveries.makeDue(id);
    this.deliveries.open();
  }

  /** Whether nothing more should be kept: of this world, or of all. */
  get isFull(): boolean {
    return memory.isFull || this.#isWorldFull?.(this.simulation) === true;
  }

  /**
   * Fires due timers until an instant and opens their webhooks, in turns. Returns the number of timers that fired. It
   * ends early if memory runs out. Commands that wait for its end run before the next instant. If there are webhooks
   * to open, it waits for `beforeSending` first.
   */
  async fireUntil(
    until: number,
    work: LongWork,
    beforeSending?: () => Promise<void>,
    isStopped: () => boolean = () => false,
  ): Promise<number> {
    const firing = this.#fireInTurns(until, work, { beforeSending, isStopped });
    this.#firing = firing;
    try {
      return await firing;
    } finally {
      if (this.#firing === firing) this.#firing = undefined;
      if (this.#waiting > 0) await work.nextTurn();
    }
  }

  /**
   * Resolves when the work in turns at the present instant has ended, which a command must not overtake. Undefined if
   * no such work is under way.
   */
  ready(): Promise<void> | undefined {
    const isUnderWay = this.#firing !== undefined || this.deliveries.inTurns !== undefined;
    return isUnderWay ? this.#settle() : undefined;
  }

  async #settle(): Promise<void> {
    this.#waiting++;
    try {
      await this.#firing;
      await this.deliveries.inTurns;
    } finally {
      this.#waiting--;
    }
  }

  async #fireInTurns(
    until: number,
    work: LongWork,
    {
      beforeSending,
      isStopped,
    }: { readonly beforeSending: (() => Promise<void>) | undefined; readonly isStopped: () => boolean },
  ): Promise<number> {
    let fired = 0;
    while (!this.#hasEnded && this.simulation.fireNext(until)) {
      fired++;
      if (!work.isDue) continue;
      if (this.isFull || isStopped()) break;
      await work.nextTurn();
    }
    if (beforeSending !== undefined && this.deliveries.isDue) await beforeSending();
    await this.deliveries.openInTurns(work);
    return fired;
  }

  /** The faults that are armed and send an event before the answer to its call (fault: early). */
  get earlyFaults(): Fault[] {
    return Array.from(this.simulation.records.all(faults)).filter(
      ({ effect }) => effectOf(effect).isBeforeAnswer,
    );
  }

  /**
   * Returns the time until which the answer to a call must wait: the due time of the first timer armed since `entry`.
   * The timer must be due soon enough, and announce an event that one of these faults sends before the answer (field
   * `within`). Undefined if no fault applies.
   */
  waitsUntil(entry: number, early: readonly Fault[]): Instant | undefined {
    const { records, now } = this.simulation;
    const own = Array.from(records.all(timers)).filter(({ armedBy }) => armedBy >= entry);
    const due = Math.min(...own.map((timer) => timer.due));
    const waiting = early.filter(
      ({ fields: { within } }) => typeof within === "string" && due <= addDuration(now, within, "UTC"),
    );
    if (waiting.length === 0) return undefined;
    const ahead = this.simulation.copy({});
    ahead.moveTo(due);
    const isHit = waiting.some(({ id, hits }) => (ahead.records.get(faults, id)?.hits ?? 0) > hits);
    return isHit ? due : undefined;
  }

  /** Another run takes its place, or its world is dropped. */
  end(): void {
    this.#hasEnded = true;
    this.deliveries.close();
  }
}

/**
 * Returns the state of a world with other credentials and another seed, and the changes that this needs. No journal
 * entry contains these changes. So a fork with the seed of its origin has the journal that its origin would have.
 */
export function forkedImage(
  image: SimulationImage,
  {
    seed,
    suffixes,
  }: { readonly seed: number; readonly suffixes: { readonly from: string; readonly to: string } },
): { readonly image: SimulationImage; readonly renewed: readonly Change[] } {
  const { dropped, entries } = image.journal;
  // Only the numbers of its journal matter here.
  const journal = { dropped: dropped + entries.length, entries: [] };
  const options = { seed, start: image.now, timerKinds };
  const copy = new Simulation(options, { ...image, journal });
  copy.execute({ by: "control", name: "fork" }, (tx) => {
    renewCredentials(tx, suffixes);
    if (seed !== image.seed) noteSeedChange(tx);
  });
  const renewed = copy.journal.since(copy.journal.nextNumber - 1).flatMap(({ changes }) => changes);
  return { image: { ...image, seed, store: copy.image().store }, renewed };
}
