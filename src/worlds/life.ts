import type { Effect } from "../engine/transaction.ts";
import type { JournalEntry } from "../engine/journal.ts";
import type { Seeding } from "../platform/seed.ts";
import type { SimulationImage, SimulationOptions } from "../engine/simulation.ts";
import type { DispatchWatcher, Timekeeper } from "../webhooks/dispatcher.ts";
import type { Transport } from "../webhooks/transport.ts";
import { deliveries } from "../platform/webhook-events/delivery.ts";
import { Dispatcher } from "../webhooks/dispatcher.ts";
import { gatedTransport } from "../webhooks/gated-transport.ts";
import { seedWorld } from "../platform/seed.ts";
import { Simulation } from "../engine/simulation.ts";
import { timerKinds } from "../platform/catalog.ts";

/** What a life of a world is started from. */
export interface LifeOptions {
  readonly seed: number;
  readonly start: number;
  readonly founding: Seeding;
  readonly transport: Transport;
  /** Hears of every committed entry until the life ends. */
  readonly committed?: (entry: JournalEntry) => void;
  /** Keeps the simulation in step with a clock that runs. */
  readonly timekeeper: Timekeeper;
  readonly audit?: SimulationOptions["audit"];
}

/** Who looks on while a life goes by. */
export interface Onlookers {
  readonly watcher: DispatchWatcher;
  readonly consult: (what: string) => void;
  readonly entered: (entry: JournalEntry) => void;
}

/**
 * One life of a world: its simulation and the deliveries on their way. A reset or a restore begins another
 * life and drops this one whole, so nothing of it can leak: what a dropped life still has in flight reports
 * to a simulation that nobody reads any more.
 */
export class Life {
  readonly simulation: Simulation;
  readonly dispatcher: Dispatcher;
  #hasEnded = false;

  private constructor(options: LifeOptions, onlookers: Onlookers, image?: SimulationImage) {
    const { seed, start, timekeeper } = options;
    const { consult, watcher } = onlookers;
    const audit: SimulationOptions["audit"] = (simulation, entry) => {
      if (!this.#hasEnded) options.committed?.(entry);
      onlookers.entered(entry);
      options.audit?.(simulation, entry);
    };
    const perform = (effects: readonly Effect[]): void => {
      for (const effect of effects) this.dispatcher.dispatch(effect.id);
    };
    const transport = gatedTransport(options.transport, () => !this.#hasEnded);
    this.simulation = new Simulation({ seed, start, timerKinds, perform, consult, audit }, image);
    this.dispatcher = new Dispatcher(this.simulation, { transport, timekeeper, watcher });
  }

  /** A life that starts from the fixtures. */
  static found(options: LifeOptions, onlookers: Onlookers): Life {
    const life = new Life(options, onlookers);
    life.simulation.execute({ by: "control", name: "start" }, (tx) => seedWorld(tx, options.founding));
    return life;
  }

  /** A life that goes on from an image; attempts that were on their way are made again. */
  static resume(options: LifeOptions, onlookers: Onlookers, image: SimulationImage): Life {
    const life = new Life(options, onlookers, image);
    for (const delivery of life.simulation.records.all(deliveries)) {
      for (const _attempt of delivery.pending) life.dispatcher.dispatch(delivery.id);
    }
    life.dispatcher.open();
    return life;
  }

  /** From now on nobody hears of it: another life took its place, or its world was dropped. */
  end(): void {
    this.#hasEnded = true;
  }
}
