import type { SimulationImage } from "../engine/simulation.ts";

/** The snapshot that a reset gives back, in a world whose start is more than its fixtures. */
export const START = "start";

/** The points that a world can go back to, oldest first. Its images share their records with it. */
export class Snapshots {
  readonly #images: Map<string, SimulationImage>;

  constructor(saved: ReadonlyMap<string, SimulationImage> = new Map()) {
    this.#images = new Map(saved);
  }

  get all(): ReadonlyMap<string, SimulationImage> {
    return this.#images;
  }

  /** Keeps an image under an id of its own, which it gives. */
  take(image: SimulationImage): string {
    const id = `s${this.#images.size + 1}`;
    this.#images.set(id, image);
    return id;
  }

  /** Makes an image what a reset gives back. */
  takeAsStart(image: SimulationImage): void {
    this.#images.set(START, image);
  }
}
