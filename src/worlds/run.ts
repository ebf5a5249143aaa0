import type { Effect } from "../engine/transaction.ts";
import type { JournalEntry } from "../engine/journal.ts";
import type { Founding } from "../platform/founding.ts";
import type { SimulationImage, SimulationOptions } from "../engine/simulation.ts";
import type { DeliveryWatcher, Timekeeper } from "../webhooks/deliveries.ts";
import type { Transport } from "../webhooks/transport.ts";
import { deliveries } from "../platform/webhook-events/delivery.ts";
import { Deliveries } from "../webhooks/deliveries.ts";
import { foundWorld } from "../platform/founding.ts";
import { Simulation } from "../engine/simulation.ts";
import { timerKinds } from "../platform/timer-kinds.ts";

/** What a life of a world is started from. */
export interface RunOptions {
  readonly seed: number;
  readonly start: number;
  readonly founding: Founding;
  readonly transport: Transport;
  /** Hears of every committed entry until the life ends. */
  readonly committed?: (entry: JournalEntry) => void;
  /** Keeps the simulation in step with a clock that runs. */
  readonly timekeeper: Timekeeper;
  readonly audit?: SimulationOptions["audit"];
}

/** Who looks on while a life goes by. */
export interface Onlookers {
  readonly watcher: DeliveryWatcher;
  readonly consult: (what: string) => void;
  readonly entered: (entry: JournalEntry) => void;
}

/**
 * One life of a world: its simulation and the deliveries on their way. A reset or a restore begins another
 * life and drops this one whole, so nothing of it can leak: what a dropped life still has in flight reports
 * to a simulation that nobody reads any more.
 */
export class Run {
  readonly simulation: Simulation;
  readonly deliveries: Deliveries;
  #hasEnded = false;

  private constructor(options: RunOptions, onlookers: Onlookers, image?: SimulationImage) {
    const { seed, start, timekeeper } = options;
    const { consult, watcher } = onlookers;
    const audit: SimulationOptions["audit"] = (simulation, entry) => {
      if (!this.#hasEnded) options.committed?.(entry);
      onlookers.entered(entry);
      options.audit?.(simulation, entry);
    };
    const perform = (effects: readonly Effect[]): void => {
      for (const effect of effects) this.deliveries.makeDue(effect.id);
    };
    this.simulation = new Simulation({ seed, start, timerKinds, perform, consult, audit }, image);
    this.deliveries = new Deliveries(this.simulation, { transport: options.transport, timekeeper, watcher });
  }

  /** A life that starts from the fixtures. */
  static found(options: RunOptions, onlookers: Onlookers): Run {
    const run = new Run(options, onlookers);
    run.simulation.execute({ by: "control", name: "start" }, (tx) => foundWorld(tx, options.founding));
    return run;
  }

  /** A life that goes on from an image; attempts that were on their way are made again. */
  static resume(options: RunOptions, onlookers: Onlookers, image: SimulationImage): Run {
    const run = new Run(options, onlookers, image);
    for (const delivery of run.simulation.records.all(deliveries)) {
      for (const _attempt of delivery.pending) run.deliveries.makeDue(delivery.id);
    }
    run.deliveries.open();
    return run;
  }

  /** From now on nobody hears of it: another life took its place, or its world was dropped. */
  end(): void {
    this.#hasEnded = true;
    this.deliveries.close();
  }
}
