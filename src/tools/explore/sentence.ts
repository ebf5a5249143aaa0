import { type BaselineEvent, type Deviation, type Schedule, type Timeline, nextAbout } from "./deviations.ts";

/** What happens in a schedule, as a person would say it. */
export function sentenceOf(schedule: Schedule, timeline: Timeline): string {
  const lates = Map.groupBy(
    schedule.filter(({ kind }) => kind === "late"),
    ({ event }) => event,
  );
  const covered = new Set<number>();
  const parts = schedule.flatMap((deviation) => {
    if (deviation.kind !== "late") return [clauseOf(deviation, timeline)];
    if (covered.has(deviation.event)) return [];
    covered.add(deviation.event);
    return [clauseOf(deviation, timeline, lates.get(deviation.event)?.length)];
  });
  return parts.join("; ");
}

function clauseOf({ event: index, kind }: Deviation, { events }: Timeline, count = 1): string {
  const event = events[index - 1] as BaselineEvent;
  const { event: name } = event;
  const last = events.at(-1);
  switch (kind) {
    case "late":
      return `${name} came after ${shortName(events[index - 1 + count])}`;
    case "twice":
      return `${name} came twice`;
    case "twice-late":
      return last === event
        ? `${name} came twice, the second time at the end`
        : `${name} came twice, the second time after ${shortName(last)}`;
    case "twice-at-once":
      return `${name} came twice at the same moment`;
    case "answer-lost":
      return `The answer to ${name} was lost, and it came again`;
    case "first-try-lost":
      return `The first attempt of ${name} was lost, and it came later`;
    case "early":
      return `${name} came before the answer to ${event.call ?? "the call"}`;
    case "together":
      return `${name} and ${shortName(nextAbout(event, events))} came at the same moment`;
  }
}

/** The end of the name of an event, which is enough next to a whole name. */
export function shortName(event: BaselineEvent | undefined): string {
  return event?.event.split(".").slice(-2).join(".") ?? "the next event";
}
