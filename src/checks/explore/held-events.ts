import { faultId } from "../../simulator/platform/faults/fault.ts";
import type { AdvanceTarget } from "../../server/access/played-world.ts";
import { type EffectName, effectOf } from "../../simulator/platform/faults/effects.ts";
import type { ScenarioStep } from "../../scenarios/scenario.ts";
import type { Stage } from "./stage.ts";
import type { StepFault } from "./deviations.ts";

/** The events that the faults of a run hold back, or send again at its end. */
export class HeldEvents {
  readonly #stage: Pick<Stage, "world" | "rest">;
  readonly #faults: readonly StepFault[];

  /** `faults` has the faults of the run in the order of arming. */
  constructor(stage: Pick<Stage, "world" | "rest">, faults: readonly StepFault[]) {
    this.#stage = stage;
    this.#faults = faults;
  }

  /** Lets each held event arrive. */
  async arrive(target: AdvanceTarget = { until: "idle" }): Promise<void> {
    await this.#release((effect) => effect === "late" || effect === "together", target);
  }

  /** Ends the other faults that hold something back. Their copies arrive. */
  async end(): Promise<void> {
    await this.#release((effect) => effectOf(effect).endsWithFault === true, { until: "idle" });
  }

  /**
   * Returns true if the partner's system may rightly have refused a request, because a webhook had not arrived yet. Then
   * that webhook has arrived, and the request can be sent again.
   */
  async mayPass(
    { verb, number }: ScenarioStep,
    statuses: ReadonlyMap<number, number | null | undefined>,
  ): Promise<boolean> {
    const status = statuses.get(number) ?? 0;
    return verb === "request" && status >= 400 && status <= 499 && (await this.arriveNow());
  }

  /** Lets the webhooks arrive that are held back, or sent again later. Returns true if there were some. */
  async arriveNow(): Promise<boolean> {
    const { world, rest } = this.#stage;
    const awaited = world
      .announced()
      .filter(({ waitsFor, nextAttemptAt }) => waitsFor !== null || nextAttemptAt !== null);
    if (awaited.length === 0) return false;
    await this.arrive({ by: (from) => from });
    const dueAt = awaited.map(
      ({ waitsFor, nextAttemptAt }) => (waitsFor === null ? nextAttemptAt : null) ?? 0,
    );
    if (Math.max(...dueAt) > world.now) await world.advance({ to: Math.max(...dueAt) });
    await rest.settle();
    return true;
  }

  /** Removes the faults with these effects, and sends the events and copies that wait for it. */
  async #release(isOf: (effect: EffectName) => boolean, target: AdvanceTarget): Promise<void> {
    const { world, rest } = this.#stage;
    const ids = this.#faults.flatMap(({ effect }, index) => (isOf(effect) ? [faultId(index + 1)] : []));
    if (ids.length === 0) return;
    for (const id of ids) world.removeFaults(id);
    await world.advance(target);
    await rest.settle();
  }
}
