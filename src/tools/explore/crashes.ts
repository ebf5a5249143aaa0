import { type Deviation, type Schedule, type Timeline, at, kindOf } from "./deviations.ts";
import type { PartnerLife } from "./partner-system.ts";
import { type FoundEvent, identityOf } from "./events.ts";

/** The delays in milliseconds between the last byte of a webhook and the kill. The repetitions use them by turns. */
export const KILL_DELAYS_MS: readonly number[] = [5, 20, 100];

interface CrashPlan {
  readonly timeline: Timeline;
  readonly armed: Schedule;
  readonly delayMs: number | undefined;
  readonly isLater: boolean;
}

/**
 * Kills the process of the partner's system at the places that the schedule of a run names, once for each deviation.
 */
export class Crashes {
  readonly #life: PartnerLife;
  #atEvents = new Map<string, Deviation["kind"]>();
  #atCalls = new Map<string, Deviation["kind"]>();
  #timeline: Timeline | undefined;
  #delayMs: number | undefined;
  #isLater = false;
  #isDue = false;

  constructor(life: PartnerLife) {
    this.#life = life;
  }

  /**
   * Plans the kills of a run. `armed` has the deviation of each fault of the run, in the order of arming. With
   * `isLater`, a kill after a call waits until the system has answered its own caller as well.
   */
  plan(schedule: Schedule, { timeline, armed, delayMs, isLater }: CrashPlan): void {
    const crashes = schedule.filter(({ kind }) => kindOf(kind).group === "crashes");
    this.#timeline = timeline;
    this.#delayMs = delayMs;
    this.#isLater = isLater;
    this.#isDue = false;
    this.#atEvents = new Map(
      crashes.flatMap(({ event, kind }) =>
        event === undefined ? [] : [[identityOf(at(timeline.events, event)), kind] as const],
      ),
    );
    this.#atCalls = new Map(
      armed.flatMap(({ kind }, index) =>
        kindOf(kind).group === "crashes" ? [[`f${index + 1}`, kind] as const] : [],
      ),
    );
  }

  /** Returns true if the process was killed at this event, or if no kill was planned for it. */
  hasHappenedAt(event: number): boolean {
    return this.#timeline === undefined || !this.#atEvents.has(identityOf(at(this.#timeline.events, event)));
  }

  get areAtEvents(): boolean {
    return this.#atEvents.size > 0;
  }

  /** Takes the kill that is planned for this event. Undefined without a plan. */
  takeAt(event: FoundEvent | undefined): Deviation["kind"] | undefined {
    const identity = event && identityOf(event);
    const kind = identity === undefined ? undefined : this.#atEvents.get(identity);
    if (identity !== undefined) this.#atEvents.delete(identity);
    return kind;
  }

  /**
   * The wall time between the start of a webhook's processing and the kill. Undefined for one turn of the event loop.
   */
  get delayMs(): number | undefined {
    return this.#delayMs;
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
    if (this.#isLater && moment === "answered") this.#isDue = true;
    else await this.#life.kill();
  };

  /** Its caller has an answer. */
  readonly onAnswer = async (): Promise<void> => {
    if (!this.#isDue) return;
    this.#isDue = false;
    await this.#life.kill();
  };
}
