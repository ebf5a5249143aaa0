import {
  type BaselineEvent,
  type Deviation,
  type DeviationKind,
  type Schedule,
  type Timeline,
  at,
  companionOf,
  keyOf,
} from "./deviations.ts";

/**
 * Describes a schedule as a person would say it. `happened` has the numbers of the events that arrived in its run, and
 * `missed` the deviations whose event, call or step did not occur. By default everything happened.
 */
export function sentenceOf(
  schedule: Schedule,
  timeline: Timeline,
  {
    happened = new Set(timeline.events.map(({ index }) => index)),
    missed = [],
  }: { readonly happened?: ReadonlySet<number>; readonly missed?: Schedule } = {},
): string {
  const byKey = Map.groupBy(schedule, keyOf);
  const missedKeys = new Set(missed.map(keyOf));
  const parts = Array.from(byKey.values(), ([first, ...again]) =>
    first === undefined
      ? ""
      : missedKeys.has(keyOf(first))
        ? `${subjectOf(first, timeline)} did not happen`
        : clauseOf(first, { timeline, happened, count: again.length + 1 }),
  );
  return parts.join("; ");
}

interface Event {
  readonly event: BaselineEvent;
  readonly name: string;
  /** The end of the name of another event, which is enough next to a whole name. */
  readonly short: (other: BaselineEvent | undefined) => string;
  readonly timeline: Timeline;
  readonly happened: ReadonlySet<number>;
  readonly count: number;
  readonly deviation: Deviation;
}

/** Returns true for an event that arrived in the run of the schedule. */
function isIn({ happened }: Event, other: BaselineEvent | undefined): boolean {
  return other === undefined || happened.has(other.index);
}

/** The sentence for each deviation of an event. */
const OF_EVENTS: Partial<Readonly<Record<DeviationKind, (event: Event) => string>>> = {
  late: (one) => {
    const { event, name, short, timeline, count } = one;
    const awaited = timeline.events[event.index - 1 + count];
    return isIn(one, awaited)
      ? `${name} came after ${short(awaited)}`
      : `${name} was held back, and ${short(awaited)} did not happen`;
  },
  twice: ({ name }) => `${name} came twice`,
  "twice-late": (one) => {
    const { event, name, short, timeline } = one;
    const last = timeline.events.at(-1);
    const when = last === event || !isIn(one, last) ? "at the end" : `after ${short(last)}`;
    return `${name} came twice, the second time ${when}`;
  },
  "twice-at-once": ({ name }) => `${name} came twice at the same moment`,
  "answer-lost": ({ name }) => `The answer to ${name} was lost, and it came again`,
  "first-try-lost": ({ name }) => `The first attempt of ${name} was lost, and it came later`,
  early: ({ event, name }) => `${name} came before the answer to ${event.call ?? "the call"}`,
  together: (one) => {
    const { deviation, name, short, timeline } = one;
    const companion = companionOf(deviation, timeline);
    return isIn(one, companion)
      ? `${name} and ${short(companion)} came at the same moment`
      : `${name} was held back, and ${short(companion)} did not happen`;
  },
  "killed-before-answer": ({ name }) => `Your process was killed while it handled ${name}`,
  "killed-after-answer": ({ name }) => `Your process was killed right after it had answered ${name}`,
};

/** The effect on a call. */
const OF_CALLS: Partial<Readonly<Record<DeviationKind, (name: string) => string>>> = {
  "call-refused": (name) => `${name} was answered with 503, and nothing was done`,
  "call-lost": (name) => `The connection of ${name} was reset before anything was done`,
  "call-answer-lost": (name) => `${name} was carried out, and its answer was lost`,
  "call-fails-after": (name) => `${name} was carried out, and answered with 500`,
  "call-slow": (name) => `${name} was carried out, and answered late`,
  "call-limited": (name) => `${name} was answered with 429, and nothing was done`,
  "token-expired": (name) => `The token expired before ${name}`,
  "killed-in-call": (name) =>
    `Your process was killed before it had the answer to ${name}, which was carried out`,
  "killed-after-call": (name) => `Your process was killed right after it had the answer to ${name}`,
};

/** Returns the name of the event, call or step that a deviation is about. */
function subjectOf({ event, call, step }: Deviation, { events, calls }: Timeline): string {
  if (step !== undefined) return `Step ${step}`;
  if (call !== undefined) return `${calls[call - 1]?.operation ?? "a call"} (call ${call})`;
  const found = at(events, event ?? 0);
  return numbered(found.event, found, events);
}

function clauseOf(deviation: Deviation, run: Pick<Event, "timeline" | "happened" | "count">): string {
  const { timeline } = run;
  const { event, call, step, kind } = deviation;
  if (step !== undefined) return `The request of step ${step} was sent twice at the same moment`;
  const name = subjectOf(deviation, timeline);
  if (call !== undefined) return OF_CALLS[kind]?.(name) ?? kind;
  const { events } = timeline;
  const found = at(events, event ?? 0);
  const short: Event["short"] = (other) => numbered(shortName(other), other, events);
  return OF_EVENTS[kind]?.({ ...run, event: found, name, short, deviation }) ?? kind;
}

/** Returns the end of an event's name, which is enough next to a whole name. */
export function shortName(event: BaselineEvent | undefined): string {
  return event?.event.split(".").slice(-2).join(".") ?? "the next event";
}

/** Returns a name, with the number of its event if several events have that name. */
function numbered(name: string, event: BaselineEvent | undefined, events: Timeline["events"]): string {
  const isAlone = events.filter((other) => other.event === event?.event).length < 2;
  return event === undefined || isAlone ? name : `${name} (event ${event.index})`;
}
