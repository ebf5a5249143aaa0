import { type Deviation, type Schedule, type Timeline, at, kindOf } from "./deviations.ts";
import type { PartnerLife } from "./partner-system.ts";
import { eventsOf, identityOf, originals } from "./events.ts";
import type { PlayedDelivery } from "../../access/played-world.ts";

/** The delays in milliseconds between the last byte of a webhook and the kill. The repetitions use them by turns. */
export const KILL_DELAYS_MS: readonly number[] = [5, 20, 100];

/**
 * The moment of a kill before the answer: milliseconds after the request, one turn of the event loop after it, or the
 * end of the work, if only the answer is missing then.
 */
export type KillMoment = number | "one turn" | "work done";

/** The kills of a run. */
export interface CrashPlan {
  readonly schedule: Schedule;
  readonly timeline: Timeline;
  /** The deviation of each fault of the run, in the order of arming. */
  readonly armed: Schedule;
  /** The moment of a kill before the answer to a webhook. */
  readonly moment: KillMoment;
  /** True if a kill after a call waits until the system has answered its own caller as well. */
  readonly isLater: boolean;
}

/** The moment of a kill of a process that has the whole request. */
export type Crash = KillMoment | "answered";

/**
 * Kills the process of the partner's system at the places that the schedule of a run names, once for each deviation.
 * `run-plan.ts` chooses the moments. At webhooks `receiver.ts` does the kill that `takeAt` returns.
 */
export class Crashes {
  readonly #life: PartnerLife;
  /** The kills that have not happened yet: by the identity of an event, and by the id of a fault. */
  #atEvents = new Map<string, Deviation>();
  #atCalls = new Map<string, Deviation["kind"]>();
  #plan: CrashPlan | undefined;
  #isDue = false;

  constructor(life: PartnerLife) {
    this.#life = life;
  }

  /** Plans the kills of a run. */
  begin(plan: CrashPlan | undefined): void {
    const { schedule = [], timeline, armed = [] } = plan ?? {};
    this.#plan = plan;
    this.#isDue = false;
    this.#atEvents = new Map(
      schedule.flatMap((deviation) =>
        deviation.event === undefined || timeline === undefined || kindOf(deviation.kind).group !== "crashes"
          ? []
          : [[identityOf(at(timeline.events, deviation.event)), deviation] as const],
      ),
    );
    this.#atCalls = new Map(
      armed.flatMap(({ kind }, index) =>
        kindOf(kind).group === "crashes" ? [[`f${index + 1}`, kind] as const] : [],
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
  ): Crash | undefined {
    if (this.#atEvents.size === 0) return undefined;
    const deliveries = announced();
    const events = eventsOf({ run, deliveries, stepEnds: [] });
    for (const text of bodies) {
      const position = originals({ deliveries }).findIndex(({ body }) => body === text);
      const event = events[position];
      const identity = event && identityOf(event);
      const kind = this.#atEvents.get(identity ?? "")?.kind;
      if (identity !== undefined) this.#atEvents.delete(identity);
      if (kind !== undefined) return kind === "killed-before-answer" ? this.#plan?.moment : "answered";
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
    if (this.#plan?.isLater === true && moment === "answered") this.#isDue = true;
    else await this.#life.kill();
  };

  /** Its caller has an answer. */
  readonly onAnswer = async (): Promise<void> => {
    if (!this.#isDue) return;
    this.#isDue = false;
    await this.#life.kill();
  };
}
