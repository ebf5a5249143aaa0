import {
  type Deviation,
  type DeviationKind,
  type Timeline,
  deviationKinds,
  impossible,
  kindOf,
} from "./deviations.ts";

interface Tried {
  readonly timeline: Timeline;
  readonly deviations: readonly Deviation[];
  readonly kinds: ReadonlySet<DeviationKind>;
  readonly canBeKilled: boolean;
  readonly isCaller: boolean;
  readonly repeat: number;
  /** True if the partner's books are compared with the ledger. */
  readonly hasBooks: boolean;
  /** True if the state of the partner's system is compared. */
  readonly isProbed: boolean;
}

/** Lists the parts that an exploration did not try, with a short reason for each. */
export function notTriedOf(tried: Tried): string[] {
  const { timeline, deviations, kinds, canBeKilled, repeat, hasBooks } = tried;
  const { events } = timeline;
  const has = (test: (deviation: Deviation) => boolean): boolean => deviations.some(test);
  const isRace = has(({ kind }) => kindOf(kind).isRace === true);
  const reasons = Map.groupBy(
    deviationKinds.filter(
      (kind) => kinds.has(kind) && kindOf(kind).of === "event" && !has((one) => one.kind === kind),
    ),
    (kind) => (events.length === 0 ? "no event" : reasonOf(kind, timeline)),
  );
  return [
    ...callsNotTried(tried),
    ...(tried.isProbed ? [] : ["your system's state: not compared (no --probe)"]),
    ...(hasBooks ? [] : ["books: none declared"]),
    ...(canBeKilled ? [] : ["crashes: none (no --partner)"]),
    ...Array.from(reasons, ([reason, of]) => `${of.join(", ")}: for no event (${reason})`),
    ...(isRace
      ? [`races: sampled ${repeat === 1 ? "once" : `${repeat} times`}, so a race is still possible`]
      : []),
  ];
}

function callsNotTried({ timeline, deviations, kinds, isCaller }: Tried): string[] {
  const { calls } = timeline;
  const disturbed = new Set(deviations.flatMap(({ call }) => (call === undefined ? [] : [call]))).size;
  if (disturbed === calls.length && calls.length > 0) return [];
  const isChosen = Array.from(kinds).some((kind) => kindOf(kind).of === "call");
  const why = !isChosen
    ? "not chosen"
    : isCaller
      ? "the others are made by steps without `retry`"
      : "no --port, and no step says `retry`";
  return [
    `calls: ${calls.length === 0 ? "none" : `${calls.length}, ${disturbed === 0 ? "none" : disturbed} disturbed (${why})`}`,
  ];
}

/** Returns the most frequent reason why a kind was impossible for all events. */
function reasonOf(kind: DeviationKind, timeline: Timeline): string {
  const counts = new Map<string, number>();
  for (const event of timeline.events) {
    const reason = impossible(kind, event, timeline) ?? "";
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  const [first] = [...counts].toSorted(([, one], [, other]) => other - one);
  return first?.[0] ?? "";
}
