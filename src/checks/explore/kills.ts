import { faultId } from "../../simulator/platform/faults/fault.ts";
import { type Deviation, type KillMoment, armedOf, kindOf } from "./deviations.ts";
import type { RunPlan } from "./run-plan.ts";
import type { PartnerLife } from "./partner-system.ts";
import { eventsOf, identityOf, originals } from "./events.ts";
import type { PlayedDelivery } from "../../server/access/played-world.ts";

/**
 * Kills the process of the partner's system at the places that the schedule of a run names, once for each deviation.
 * `run-plan.ts` chooses the moments. At webhooks `receiver.ts` does the kill that `takeAt` returns.
 */
export class Kills {
  readonly #life: PartnerLife;
  /** The kills that have not happened yet: by the identity of an event, and by the id of a fault. */
  #atEvents = new Map<string, Deviation>();
  #atCalls = new Map<string, Deviation["kind"]>();
  #plan: RunPlan | undefined;
  #isDue = false;

  constructor(life: PartnerLife) {
    this.#life = life;
  }

  /** Plans the kills of a run. */
  begin(plan: RunPlan): void {
    this.#plan = plan;
    this.#isDue = false;
    this.#atEvents = new Map(plan.killsAtEvents);
    this.#atCalls = new Map(
      armedOf(plan.schedule).flatMap(({ kind }, index) =>
        kindOf(kind).group === "crashes" ? [[faultId(index + 1), kind] as const] : [],
      ),
    );
  }

  /** The numbers of the events whose planned kill has not happened. */
  get leftAtEvents(): ReadonlySet<number> {
    return new Set(Array.from(this.#atEvents.values(), ({ event = 0 }) => event));
  }

  /**
   * Takes the kill that is planned for one of these webhooks, by their bodies. `announced` returns the deliveries of the
   * run so far. Undefined without a plan.
   */
  takeAt(
    bodies: readonly string[],
    run: string,
    announced: () => readonly PlayedDelivery[],
  ): KillMoment | undefined {
    if (this.#atEvents.size === 0) return undefined;
    const deliveries = announced();
    const events = eventsOf({ run, deliveries, stepEnds: [] });
    for (const text of bodies) {
      const position = originals({ deliveries }).findIndex(({ body }) => body === text);
      const event = events[position];
      const identity = event && identityOf(event);
      const kind = this.#atEvents.get(identity ?? "")?.kind;
      if (identity !== undefined) this.#atEvents.delete(identity);
      if (kind !== undefined) return kind === "killed-before-answer" ? this.#plan?.killMoment : "answered";
    }
    return undefined;
  }

  /** Faults touch a call: it is carried out, or its answer was sent. */
  readonly onCallFault = async (
    faultIds: readonly string[],
    moment: "carried-out" | "answered",
  ): Promise<void> => {
    const kind = moment === "carried-out" ? "killed-in-call" : "killed-after-call";
    const id = faultIds.find((one) => this.#atCalls.get(one) === kind);
    if (id === undefined) return;
    this.#atCalls.delete(id);
    if (this.#plan?.isKilledLater === true && moment === "answered") this.#isDue = true;
    else await this.#life.kill();
  };

  /** Its caller has an answer. */
  readonly onAnswer = async (): Promise<void> => {
    if (!this.#isDue) return;
    this.#isDue = false;
    await this.#life.kill();
  };
}
