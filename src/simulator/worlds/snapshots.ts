import type { SimulationImage } from "../engine/simulation.ts";
import type { WorldEvent } from "./saved-world.ts";

/** The snapshot that a reset restores, in a world that starts from more than its fixtures. */
export const START = "start";

/** The snapshots of a world. Their images share their records with the world. */
export class Snapshots {
  readonly #images: Map<string, SimulationImage>;
  readonly #report: (event: WorldEvent) => void;

  constructor(report: (event: WorldEvent) => void, images?: ReadonlyMap<string, SimulationImage>) {
    this.#images = new Map(images);
    this.#report = report;
  }

  /** By id, oldest first. */
  get images(): ReadonlyMap<string, SimulationImage> {
    return this.#images;
  }

  /** Saves a state. Returns the id of the snapshot. */
  take(image: SimulationImage): string {
    const numbers = Array.from(this.#images.keys(), (id) => Number(/^s(\d+)$/.exec(id)?.[1] ?? 0));
    const id = `s${Math.max(0, ...numbers) + 1}`;
    this.keep(id, image);
    return id;
  }

  keep(id: string, image: SimulationImage): void {
    this.#images.set(id, image);
    this.#report({ kind: "snapshot", snapshot: id, now: image.now });
  }

  /** Removes a snapshot. Returns false if it does not exist, or if a reset restores it. */
  remove(id: string): boolean {
    if (id === START || !this.#images.has(id)) return false;
    this.#report({ kind: "snapshot-removed", snapshot: id });
    return this.#images.delete(id);
  }
}
