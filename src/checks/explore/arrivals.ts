import {
  type BaselineEvent,
  type Deviation,
  type Schedule,
  type Timeline,
  isAcross,
  keyOf,
  kindOf,
} from "./deviations.ts";

/**
 * Describes all arrivals of a schedule, in order, as one text. Two schedules with the same text are the same for a
 * receiver. The text has the events, the steps between them, the instant of each arrival after `@`, and how an arrival
 * differs: `!` its answer is lost, `<` it comes before the answer to the call, `+` it comes at the same moment, `?` its
 * order is not known. The text follows the rules of the faults over the baseline.
 */
export function arrivalsOf(schedule: Schedule, timeline: Timeline): string {
  const effects = schedule.filter(({ kind }) => kindOf(kind).group === "webhooks");
  // The arrivals after a fault of a call or a kill are not known in advance.
  const others = schedule.filter((deviation) => !effects.includes(deviation)).map(keyOf);
  return [new Arrivals(effects, timeline).text(), ...others].join(" ");
}

class Arrivals {
  readonly #timeline: Timeline;
  readonly #by = new Map<number, readonly Deviation[]>();
  readonly #tokens: string[] = [];
  readonly #arrived: number[] = [];
  #held: BaselineEvent[] = [];
  /** Acknowledged events whose copy follows. */
  readonly #copied: BaselineEvent[] = [];
  #retries: { readonly event: BaselineEvent; readonly due: number }[] = [];
  #step = 0;
  /** The instant of the next arrival. After the last event and retry there is only the end. */
  #now = 0;

  constructor(schedule: Schedule, timeline: Timeline) {
    this.#timeline = timeline;
    for (const [event, own] of Map.groupBy(schedule, (deviation) => deviation.event))
      if (event !== undefined) this.#by.set(event, own);
  }

  text(): string {
    const { events } = this.#timeline;
    // Events of one moment are sent together. An event that waits for one of them comes after all of them.
    const moments = Map.groupBy(events, ({ at, step }) => `${at} ${step}`);
    for (const [first, ...others] of moments.values()) {
      if (first === undefined) continue;
      this.#retryUntil(first.at);
      this.#now = first.at;
      this.#enter(first.step);
      for (const event of [first, ...others]) {
        if (this.#has(event, "late") || this.#has(event, "together")) this.#held.push(event);
        else this.#attempt(event);
      }
      this.#release();
    }
    this.#retryUntil(Infinity);
    this.#now = Infinity;
    for (const event of this.#held.splice(0)) this.#attempt(event);
    this.#release();
    this.#retryUntil(Infinity);
    const again = events.filter((event) => this.#has(event, "twice-late"));
    return [...this.#tokens, ...again.map(({ index }) => `${index}@end`)].join(" ");
  }

  #has({ index }: BaselineEvent, kind: Deviation["kind"]): boolean {
    return this.#by.get(index)?.some((deviation) => deviation.kind === kind) ?? false;
  }

  /** Adds the steps that end before. After the last step there is only time. */
  #enter(step: number): void {
    for (; this.#step < Math.min(step, this.#timeline.stepEnds.length); this.#step++) this.#tokens.push("|");
  }

  #retryUntil(at: number): void {
    for (let next = this.#retries[0]; next !== undefined && next.due <= at; next = this.#retries[0]) {
      this.#retries.shift();
      const { due, event } = next;
      this.#now = due;
      this.#enter(this.#timeline.stepEnds.findIndex((end) => end >= due) + 1 || Infinity);
      // At the same time the order depends on more than this class follows.
      this.#arrive(event, due === at && at !== Infinity ? ["?"] : []);
      this.#release();
    }
  }

  #attempt(event: BaselineEvent): void {
    const due = this.#now + this.#timeline.retryAfterMs;
    if (this.#has(event, "first-try-lost")) {
      this.#retry(event, due);
      return;
    }
    const isLost = this.#has(event, "answer-lost");
    if (isLost) this.#retry(event, due);
    const marks = [isLost ? "!" : "", this.#has(event, "early") ? "<" : ""];
    this.#arrive(
      event,
      marks.filter((mark) => mark !== ""),
      !isLost,
    );
  }

  #retry(event: BaselineEvent, due: number): void {
    this.#retries = [...this.#retries, { event, due }].toSorted((one, other) => one.due - other.due);
  }

  #arrive(event: BaselineEvent, marks: readonly string[], isAnswered = true): void {
    const isFirst = !this.#arrived.includes(event.index);
    const companions = this.#held.filter((held) => {
      if (!this.#has(held, "together")) return false;
      const own = this.#by.get(held.index) ?? [];
      return held.objectId === event.objectId || own.some((one) => isAcross(one, this.#timeline));
    });
    this.#held = this.#held.filter((held) => !companions.includes(held));
    const copies = isFirst && this.#has(event, "twice-at-once") ? [event] : [];
    const group = [event, ...copies, ...companions].map(({ index }) => index);
    this.#write(group, marks);
    this.#arrived.push(event.index, ...companions.map(({ index }) => index));
    if (isAnswered) this.#copied.push(...[event, ...companions].filter((one) => this.#has(one, "twice")));
  }

  #write(group: readonly number[], marks: readonly string[]): void {
    const instant = this.#now === Infinity ? "end" : this.#now;
    this.#tokens.push(`${group.join("+")}${marks.join("")}@${instant}`);
  }

  #release(): void {
    for (const { index } of this.#copied.splice(0)) this.#write([index], []);
    const isFree = (held: BaselineEvent): boolean => {
      const wanted = this.#by.get(held.index)?.filter(({ kind }) => kind === "late").length ?? 0;
      const later = new Set(this.#arrived.filter((index) => index > held.index));
      return wanted > 0 && later.size >= wanted;
    };
    const free = this.#held.filter(isFree);
    this.#held = this.#held.filter((held) => !free.includes(held));
    for (const event of free) this.#attempt(event);
    if (free.length > 0) this.#release();
  }
}
