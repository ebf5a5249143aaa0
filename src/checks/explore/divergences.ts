import type { Baseline } from "./baseline.ts";
import type { Divergence, CellResult } from "./exploration.ts";
import { type CauseCode, causeTexts } from "../cause-texts.ts";
import { type DivergenceFacts, isOnly } from "./observations.ts";
import { causeOf } from "./causes.ts";
import { disturbedIn } from "./observed-calls.ts";
import type { Found } from "./differences.ts";
import { movedNumbers } from "./value-changes.ts";
import { commandLine } from "../../server/control/shell.js";
import { valueText } from "./deviation-words.ts";
import { moneyWords } from "./platform-state.ts";
import { nameOf } from "./deviations.ts";
import { notReached } from "./schedules.ts";
import { sentenceOf } from "./sentence.ts";

/** Divergences with one name have the same kinds of deviation, and the same path of their first difference. */
export function causeGroupOf({ schedule, differences: [first] }: Found): string {
  const kinds = schedule.map(({ kind }) => kind).toSorted();
  return JSON.stringify([kinds, first?.path.replaceAll(/\[\d+\]/g, "[*]")]);
}

/**
 * Groups the divergences, and finds their causes. Each group has its first schedule, which is the smallest. `results`
 * has the result of each schedule with one deviation.
 */
export function divergencesOf(
  all: readonly Found[],
  baseline: Baseline,
  {
    results,
    usualReactions,
  }: Pick<DivergenceFacts, "usualReactions"> & { readonly results: ReadonlyMap<string, CellResult> },
): Divergence[] {
  const divergences: Divergence[] = [];
  const late = new Map<number, CauseCode>();
  const { timeline } = baseline;
  const facts: Omit<DivergenceFacts, keyof Found | "arrivals"> = {
    all,
    timeline,
    usualReactions,
    diverges: (event, kind) => {
      const result = results.get(nameOf([{ event, kind }]));
      return result === "diverged" ? true : result === "ok" ? false : undefined;
    },
    causeOfLate: (event) => late.get(event),
  };
  for (const [first, ...others] of Map.groupBy(all, causeGroupOf).values()) {
    if (first === undefined) continue;
    const isOfEvents = first.schedule.every(({ event }) => event !== undefined);
    const arrivals = baseline.arrivals(first.played);
    const reactions = isOfEvents ? first.reactions : undefined;
    const all = { ...first, ...facts, arrivals, reactions };
    const code = causeOf(all);
    for (const { schedule } of [first, ...others]) {
      const [{ event } = {}] = schedule;
      if (event !== undefined && isOnly({ schedule }, "late") && !late.has(event)) late.set(event, code);
    }
    divergences.push(divergenceOf(all, { others, baseline, code }));
  }
  return divergences;
}

function divergenceOf(
  facts: DivergenceFacts,
  {
    others,
    baseline,
    code,
  }: {
    readonly others: readonly Found[];
    readonly baseline: Baseline;
    readonly code: CauseCode;
  },
): Divergence {
  const { schedule, played, differences, seen, arrivals, timeline } = facts;
  const { calls, run, failure } = played;
  const disturbed = disturbedIn(schedule, timeline);
  const words = moneyWords({
    baseline: baseline.platform.value,
    found: baseline.name(played, played.platform).value,
    raw: played.platform,
    calls,
    run,
    ...(failure && { isMissed: (name) => disturbed.some(({ object }) => object === name) }),
  });
  return {
    deviations: schedule,
    differences,
    ...(words !== undefined && { words }),
    ...(seen && { seen: `seen in 1 of ${seen.samples} samples` }),
    arrivals,
    cause: writtenCause(code, facts),
    replay: baseline.exploration.replayOf?.(schedule) ?? nameOf(schedule),
    title: sentenceOf(schedule, timeline, {
      happened: new Set(arrivals.flatMap(({ event }) => (event === null ? [] : [event]))),
      missed: notReached(schedule, played),
    }),
    alike: others.map((other) => other.schedule),
    ...(played.books.length > 0 && { books: played.books }),
    ...("state" in played && { state: baseline.name(played, played.state).value }),
  };
}

/** Returns a cause with its code, its sentences and the observed facts. */
function writtenCause(code: CauseCode, { differences, seen }: DivergenceFacts): Divergence["cause"] {
  const evidence = [
    ...differences
      .slice(0, EVIDENCE_MAX)
      .map(
        ({ path, baseline, found }) =>
          `${path} is ${valueText(baseline)} in the baseline and ${valueText(found)} here.`,
      ),
    ...(seen ? [`It was seen in 1 of ${seen.samples} samples.`] : []),
  ];
  if (code !== "numbered-by-arrival") return { code, text: causeTexts[code], evidence };
  const flags = commandLine(movedNumbers(differences).flatMap((path) => ["--ignore", path]));
  const text = `Rows are numbered in the order of their events, and only these numbers differ. If nothing depends on them, leave them out: ${flags}.`;
  return { code, text, evidence };
}

/** The number of differences that are evidence. The divergence has all of them. */
const EVIDENCE_MAX = 5;
