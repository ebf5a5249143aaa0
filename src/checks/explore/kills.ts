import { faultId } from "../../simulator/platform/faults/fault.ts";
import { AnswerTimes, HIT_MIN_MS, TIMER_MS, type WorkTime } from "./answer-times.ts";
import { type Deviation, type Schedule, armedOf, at, kindOf } from "./deviations.ts";
import type { Baseline } from "./baseline.ts";
import type { Kill } from "./kill-moments.ts";
import type { RunPlan } from "./run-plan.ts";
import type { PartnerLife } from "../../partner/partner-system.ts";
import { eventsOf, identityOf, originals } from "./events.ts";
import type { PlayedDelivery } from "../../server/access/played-world.ts";

/** The exchange of webhooks that left in one moment, and the run so far. */
interface Exchange {
  readonly bodies: readonly string[];
  readonly run: string;
  /** Returns the deliveries of the run so far. */
  readonly announced: () => readonly PlayedDelivery[];
}

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
  readonly #times = new AnswerTimes();
  /** The events with a kill whose moment is a time after the webhook. */
  readonly #timed = new Set<string>();

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

  /** Takes the kill that is planned for one of these webhooks. Undefined without a plan. */
  takeAt(exchange: Exchange): Kill | undefined {
    if (this.#atEvents.size === 0) return undefined;
    for (const identity of identitiesIn(exchange)) {
      const kind = this.#atEvents.get(identity)?.kind;
      this.#atEvents.delete(identity);
      if (kind === "killed-before-answer") return this.#beforeAnswer(identity);
      if (kind !== undefined) return { moment: "answered", happened: () => undefined };
    }
    return undefined;
  }

  /** Learns the time that the system takes to answer these webhooks. */
  learn(exchange: Exchange, answerMs: number): void {
    if (!this.#life.canBeKilled) return;
    for (const identity of identitiesIn(exchange)) this.#times.answered(identity, answerMs);
  }

  /** Returns the work that the timed kills of a schedule did not reach: of its first such event. Undefined if none. */
  missedWork(
    schedule: Schedule,
    { timeline, exploration }: Pick<Baseline, "timeline" | "exploration">,
  ): WorkTime | undefined {
    const isSpread = this.#life.isKilledSlowly && exploration.killDelayMs === undefined;
    return schedule
      .filter(({ kind }) => kind === "killed-before-answer")
      .flatMap(({ event }) => (event === undefined ? [] : [identityOf(at(timeline.events, event))]))
      .filter((identity) => this.#timed.has(identity))
      .map((identity) => this.#times.missedWork(identity, { isSpread }))
      .find((work) => work !== undefined);
  }

  #beforeAnswer(identity: string): Kill {
    const planned = this.#plan?.killMoment ?? "one turn";
    const usualMs = this.#times.usualMs(identity);
    const moment = typeof planned === "object" ? Math.max(TIMER_MS, planned.share * usualMs) : planned;
    if (typeof moment === "number" && usualMs >= HIT_MIN_MS) this.#timed.add(identity);
    return {
      moment,
      happened: ({ afterMs, answerMs }) => {
        if (answerMs === undefined) this.#times.killed(identity, afterMs);
        else this.#times.answered(identity, answerMs);
      },
    };
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

/** Returns the identities of the events of an exchange. Copies of events are left out. */
function identitiesIn({ bodies, run, announced }: Exchange): string[] {
  const deliveries = announced();
  const events = eventsOf({ deliveries, stepEnds: [] }, { names: new Map(), run });
  const texts = originals({ deliveries }).map(({ body }) => body);
  return bodies.flatMap((text) => {
    const event = events[texts.indexOf(text)];
    return event === undefined ? [] : [identityOf(event)];
  });
}
