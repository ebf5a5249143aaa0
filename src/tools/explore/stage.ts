import { FirstLints } from "../scenarios/lints.ts";
import type { Played } from "./played.ts";
import { type PlayOptions, play } from "./play.ts";
import type { RunPlan } from "./run-plan.ts";
import { seededChance } from "../../engine/random.ts";

/** The largest distance between two simultaneous requests in the later samples of a race. */
const OFFSET_MAX_MS = 12;

/** If a call of the previous run arrives late, the plan is played again: at most this often, after this pause. */
const STRAGGLERS_MAX = 3;
const STRAGGLER_MS = 1_000;

interface StageOptions extends PlayOptions {
  /** The seed of all runs. */
  readonly seed: number;
}

/** Plays plans one after another in one sandbox, each from the start and with another seed. */
export class Stage {
  readonly #options: StageOptions;
  /** The suspicious calls of all runs. */
  readonly lints = new FirstLints();
  #runs = 0;

  constructor(options: StageOptions) {
    this.#options = options;
  }

  /** Plays a plan, again if a call of the run before came late. */
  async play(plan: RunPlan): Promise<Played> {
    let played = await this.#playOnce(plan);
    for (let again = 0; again < STRAGGLERS_MAX && this.#hasStraggler(played); again++) {
      await this.#options.wall.pause(STRAGGLER_MS);
      played = await this.#playOnce(plan);
    }
    return played;
  }

  async #playOnce(plan: RunPlan): Promise<Played> {
    const { seed } = this.#options;
    this.#runs += 1;
    const chance = plan.offsets === undefined ? undefined : seededChance(seed, plan.offsets);
    const played = await play(this.#options, plan, {
      run: `r${this.#runs}`,
      seed: seededChance(seed, `run ${this.#runs}`).below(2 ** 32),
      offsetMs: chance && (() => chance.below(OFFSET_MAX_MS)),
    });
    this.lints.add(played.lints, plan.name === "" ? "" : ` It happened with ${plan.name}.`);
    return played;
  }

  /** Returns true if a call about the run before came: a worker was still waiting to send it again. */
  #hasStraggler({ calls }: Played): boolean {
    const before = new RegExp(`(?<![A-Za-z0-9])r${this.#runs - 1}(?![A-Za-z0-9])`);
    return calls.some(({ object }) => before.test(object));
  }
}
