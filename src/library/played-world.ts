import type { EffectName } from "../platform/faults/effects.ts";
import type { World } from "../worlds/world.ts";
import { armFault, faults } from "../platform/faults/fault.ts";
import { type Delivery, deliveries } from "../platform/webhook-events/delivery.ts";
import { readFault } from "../platform/faults/reading.ts";
import { removeFaults } from "../platform/webhook-events/attempts.ts";
import { shownWorld } from "../worlds/shown-world.ts";
import { withQrImages } from "../webhooks/qr-images.ts";

/** A webhook with the body that its receiver gets. */
export type PlayedDelivery = Omit<Delivery, "body"> & { readonly body: string };

/**
 * A world of this process, in which a tool plays a scenario again and again: what it does before and after the steps.
 * The steps themselves are requests. As requests these would make an explored schedule a third slower.
 */
export class PlayedWorld {
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  get now(): number {
    return this.#world.now;
  }

  /** As `POST /sandbox/reset`. */
  reset(seed: number): void {
    this.#world.reset(undefined, seed);
  }

  /** As `POST /sandbox/faults`, of a fault that is right. */
  fault(fault: { readonly on: "webhook"; readonly event: string; readonly effect: EffectName }): void {
    const plan = readFault({ ...fault }, { events: [fault.event], operations: [] });
    this.#world.execute({ by: "control", name: "fault" }, (tx) => armFault(tx, plan));
  }

  /** As `DELETE /sandbox/faults`. */
  removeFaults(): void {
    this.#world.execute({ by: "control", name: "faults dropped" }, (tx) =>
      removeFaults(tx, Array.from(tx.all(faults))),
    );
  }

  /** Runs everything that is due, at its own time, until nothing is. */
  async finish(): Promise<void> {
    await this.#world.advance({ until: "idle" });
  }

  /** As `GET /sandbox/deliveries`, as the records have it. */
  async deliveries(): Promise<PlayedDelivery[]> {
    await this.#world.answeredForRead();
    return Array.from(shownWorld(this.#world).records.all(deliveries), (delivery) => ({
      ...delivery,
      body: withQrImages(delivery.body),
    }));
  }
}
