import { FirstLints } from "../../scenarios/lints.ts";
import { nameOf } from "./deviations.ts";
import { Run } from "./play.ts";
import type { Played } from "./played.ts";
import type { RunPlan } from "./run-plan.ts";
import type { Stage } from "./stage.ts";

/** If a call of the previous run arrives late, the plan is played again: at most this often, after this pause. */
const STRAGGLERS_MAX = 3;
const STRAGGLER_MS = 1_000;

/** Plays plans one after another on one stage, each from the start and with another seed. */
export class Runs {
  readonly stage: Stage;
  /** The suspicious calls of all runs. */
  readonly lints = new FirstLints();
  #count = 0;

  /** The number of runs so far. */
  get count(): number {
    return this.#count;
  }

  constructor(stage: Stage) {
    this.stage = stage;
  }

  /** Plays a plan, again if a call of the run before came late. */
  async play(plan: RunPlan): Promise<Played> {
    let played = await this.#playOnce(plan);
    for (let again = 0; again < STRAGGLERS_MAX && this.#hasStraggler(played); again++) {
      await this.stage.exploration.wall.pause(STRAGGLER_MS);
      played = await this.#playOnce(plan);
    }
    return played;
  }

  async #playOnce(plan: RunPlan): Promise<Played> {
    const { exploration, life, world, client, spent } = this.stage;
    this.#count += 1;
    const run = `r${this.#count}`;
    await life.ready;
    if (plan.restarts) {
      await life.kill();
      await life.ready;
    }
    await spent.during("reset", async () => exploration.reset?.(exploration.wall));
    life.begin(run, { callsMax: plan.callsMax, died: () => world.awaitFollower() });
    const played = await new Run(this.stage, plan, this.#count).toTheEnd();
    await exploration.onRun?.(plan.schedule, client);
    this.lints.add(
      played.lints,
      plan.schedule.length === 0 ? "" : ` It happened with ${nameOf(plan.schedule)}.`,
    );
    return played;
  }

  /** Returns true if a call about the run before came: a worker was still waiting to send it again. */
  #hasStraggler({ calls }: Played): boolean {
    const before = new RegExp(`(?<![A-Za-z0-9])r${this.#count - 1}(?![A-Za-z0-9])`);
    return calls.some(({ object }) => before.test(object));
  }
}
