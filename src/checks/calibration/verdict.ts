import type { Assumption } from "../../simulator/platform/assumptions/assumption.ts";
import { assumptions } from "../../simulator/platform/catalog.ts";
import type { EntryPlace, Traffic } from "./observers/traffic.ts";
import type { Check, Found, Observation, Range } from "./observers/observer.ts";
import { BY_PARTS, observerOf } from "./observers/observers.ts";
import { isoDuration, roundedDown, roundValue, scaleOf, shownDuration } from "./values.ts";

/** The result of recorded traffic for one assumption. */
export interface AssumptionVerdict {
  readonly id: string;
  readonly verdict: "confirmed" | "contradicted" | "inconsistent" | "not-seen";
  /** The default. For a fixed assumption, its claim about the observed parts. */
  readonly assumed: unknown;
  readonly observed: {
    readonly value?: unknown;
    /** The observed part of a list. `≥PT25M` means an interval that was not over at the end of the traffic. */
    readonly seen?: readonly string[];
    readonly atLeast?: unknown;
    readonly atMost?: unknown;
  } | null;
  /** The number of observations. */
  readonly observations: number;
  readonly entries: readonly EntryPlace[];
  /** The certainty. One or two observations give a low certainty. */
  readonly certainty: "low" | "medium" | "high" | null;
  readonly note?: string;
}

/** The result for an assumption before its evidence is added. */
type AssumptionFinding = Pick<AssumptionVerdict, "verdict" | "observed"> & {
  readonly assumed?: unknown;
  readonly note?: string;
  /** The observations that support the verdict; default: all. */
  readonly by?: readonly Observation[];
};

const ENTRIES_MAX = 100;

/** Returns the verdict on every assumption, in the order of the catalog. */
export function verdicts(traffic: readonly Traffic[]): AssumptionVerdict[] {
  const own = Object.entries(assumptions).map(([id, assumption]) => {
    const observer = observerOf(id, assumption);
    const observations =
      typeof observer === "string" ? [] : traffic.flatMap((one) => Array.from(observer.observe(one)));
    const finding = findingOf(assumption, observations);
    const { by = observations, assumed = assumption.default, ...rest } = finding;
    const count = by.length;
    const certainty = count === 0 ? null : count < 3 ? "low" : count < 10 ? "medium" : "high";
    return {
      id,
      assumed,
      ...rest,
      observations: count,
      entries: entriesOf(by),
      certainty,
    } satisfies AssumptionVerdict;
  });
  const byId = new Map(own.map((verdict) => [verdict.id, verdict]));
  return own.map((verdict) => summaryOf(verdict, byId));
}

/** Returns true if an assumption only summarises others that can be set. */
export function isSummary(id: string): boolean {
  const assumption = assumptions[id];
  return assumption !== undefined && observerOf(id, assumption) === BY_PARTS;
}

/** Returns the verdict on a statement. If the statement only summarises settable assumptions, it follows them. */
function summaryOf(
  verdict: AssumptionVerdict,
  byId: ReadonlyMap<string, AssumptionVerdict>,
): AssumptionVerdict {
  if (!isSummary(verdict.id)) return verdict;
  const parts = (assumptions[verdict.id]?.parts ?? []).flatMap((id) => byId.get(id) ?? []);
  const worst = (["contradicted", "inconsistent", "confirmed"] as const).find((name) =>
    parts.some((part) => part.verdict === name),
  );
  if (worst === undefined) return verdict;
  const deciding = parts.filter((part) => part.verdict === worst);
  const [first] = deciding;
  return {
    ...verdict,
    verdict: worst,
    observations: deciding.reduce((sum, { observations }) => sum + observations, 0),
    entries: deciding.flatMap(({ entries }) => entries).slice(0, ENTRIES_MAX),
    certainty: first?.certainty ?? null,
    note: `by ${deciding.map(({ id }) => id).join(", ")}`,
  };
}

function entriesOf(observations: readonly Observation[]): EntryPlace[] {
  const found = new Map<string, EntryPlace>();
  for (const { seen } of observations)
    for (const { entry } of seen) found.set(`${entry.index} ${entry.file}`, entry);
  return [...found.values()]
    .toSorted((one, other) => one.file.localeCompare(other.file) || one.index - other.index)
    .slice(0, ENTRIES_MAX);
}

const NOT_SEEN: AssumptionFinding = { verdict: "not-seen", observed: null };

function findingOf(assumption: Assumption<unknown>, observations: readonly Observation[]): AssumptionFinding {
  if (observations.length === 0) return NOT_SEEN;
  if (assumption.type.kind === "statement") return compareStatement(observations.filter(isCheck));
  if (assumption.type.kind === "durations") return compareList(assumption, observations.filter(isRange));
  const ranges = observations.filter(isRange);
  if (ranges.length > 0) return compareRanges(assumption, ranges);
  return compareValues(assumption, observations.filter(isValue));
}

const isValue = (seen: Observation): seen is Found => "is" in seen;
const isRange = (seen: Observation): seen is Range => "from" in seen;
const isCheck = (seen: Observation): seen is Check => "expected" in seen;

/**
 * Compares the values of each operation. If an operation has several values, they contradict each other. Operations may
 * differ.
 */
function compareValues(
  { default: standard }: Assumption<unknown>,
  seen: readonly Found[],
): AssumptionFinding {
  const [first] = seen;
  if (first === undefined) return NOT_SEEN;
  const byOperation = Array.from(
    Map.groupBy(seen, ({ of }) => of ?? ""),
    ([operation, own]) => ({ operation, own, counts: countsOf(own.map(({ is }) => String(is))) }),
  );
  const torn = byOperation.filter(({ counts }) => counts.size > 1);
  if (torn.length > 0) {
    const note = torn.map(
      ({ operation, counts }) => `${operation && `${operation}: `}${shownCounts(counts)}`,
    );
    return {
      verdict: "inconsistent",
      observed: null,
      note: note.join("; "),
      by: torn.flatMap(({ own }) => own),
    };
  }
  const values = Map.groupBy(byOperation, ({ own: [one] }) => String(one?.is));
  if (values.size > 1) {
    const value = Array.from(
      values,
      ([is, same]) => `${is} (${same.map(({ operation }) => operation).join(", ")})`,
    );
    return { verdict: "contradicted", observed: { value: value.join(", ") } };
  }
  const verdict = String(first.is) === String(standard) ? "confirmed" : "contradicted";
  return { verdict, observed: { value: first.is } };
}

/** Compares each part of a statement with its findings. */
function compareStatement(seen: readonly Check[]): AssumptionFinding {
  const parts = Array.from(Map.groupBy(seen, ({ aspect }) => aspect).values(), (part) => ({
    part,
    wrong: part.filter(({ expected, found }) => expected !== found),
  }));
  const contradicted = parts.filter(({ part, wrong }) => wrong.length === part.length);
  const mixed = parts.filter(({ part, wrong }) => wrong.length > 0 && wrong.length < part.length);
  const shown = contradicted.length > 0 ? contradicted : mixed;
  if (shown.length === 0) return { verdict: "confirmed", observed: { value: true } };
  const by = shown.flatMap(({ wrong }) => wrong);
  const found = [...countsOf(by.map((check) => check.found)).keys()].slice(0, 5).join("; ");
  const assumed = [...new Set(by.map(({ expected }) => expected))].slice(0, 5).join("; ");
  const share = shown
    .map(({ part, wrong }) => `${wrong.length} of ${part.length}`)
    .slice(0, 5)
    .join(", ");
  if (contradicted.length > 0)
    return { verdict: "contradicted", assumed, observed: { value: found }, note: share, by };
  return { verdict: "inconsistent", assumed, observed: null, note: `${found} (${share})`, by };
}

/** From this number of observations on, one in ten may be wrong, for example after a network failure. */
const MANY = 10;

function combine(
  seen: readonly Range[],
  spreadMax: (middle: number) => number,
): {
  readonly from: number;
  readonly to: number;
  readonly isConsistent: boolean;
  /** The smallest and the largest measured value. */
  readonly spread: readonly [number, number] | undefined;
} {
  const measured = seen.filter(({ isMeasured }) => isMeasured === true);
  const bounds = seen.filter(({ isMeasured }) => isMeasured !== true);
  const bound = intersect(bounds);
  if (measured.length === 0) return { ...bound, isConsistent: bound.from <= bound.to, spread: undefined };
  const middles = measured.map(({ from, to }) => (from + to) / 2).toSorted((one, other) => one - other);
  const all = intersect([bound, ...measured]);
  const spread = [middles[0] ?? 0, middles.at(-1) ?? 0] as const;
  if (all.from <= all.to) return { ...all, isConsistent: true, spread };
  const off = measured.length >= MANY ? Math.floor(measured.length / MANY / 2) : 0;
  const [from = 0, to = 0] = [middles[off], middles.at(-1 - off)];
  const median = middles[middles.length >> 1] ?? 0;
  return { from, to, isConsistent: to - from <= spreadMax(median), spread: [from, to] };
}

function intersect(ranges: readonly { readonly from: number; readonly to: number }[]): {
  readonly from: number;
  readonly to: number;
} {
  return {
    from: ranges.reduce((most, { from }) => Math.max(most, from), -Infinity),
    to: ranges.reduce((least, { to }) => Math.min(least, to), Infinity),
  };
}

function compareRanges(
  { type, default: standard }: Assumption<unknown>,
  seen: readonly Range[],
): AssumptionFinding {
  const scale = scaleOf(type);
  if (scale === undefined) return NOT_SEEN;
  const combined = combine(seen, scale.spreadMax);
  const { from, to, isConsistent, spread } = combined;
  const isTime = type.kind === "duration";
  const shown = (value: number): string => (isTime ? shownDuration(value) : String(scale.to(value)));
  if (!isConsistent) return { verdict: "inconsistent", observed: null, note: disagreement(seen, shown) };
  const assumed = scale.of(standard);
  const isWithin = assumed >= from && assumed <= to;
  const bounds = {
    ...(from > -Infinity && { atLeast: scale.to(Math.max(0, from)) }),
    ...(to < Infinity && { atMost: scale.to(to) }),
  };
  if (from === -Infinity || to === Infinity) {
    const note = from === -Infinity ? `at most ${shown(to)}` : `at least ${shown(Math.max(0, from))}`;
    // A bound that fits does not confirm the value, because every value beyond it would fit too.
    return { verdict: isWithin ? "not-seen" : "contradicted", observed: bounds, note };
  }
  const value = isWithin ? standard : roundValue(scale, Math.max(0, from), to);
  const note = from === to ? undefined : between(spread ?? [from, to], shown);
  return {
    verdict: isWithin ? "confirmed" : "contradicted",
    observed: { value, ...bounds },
    ...(note !== undefined && { note }),
  };
}

function between([from, to]: readonly [number, number], shown: (value: number) => string): string {
  const [least, most] = [shown(from), shown(to)];
  return least === most ? least : `between ${least} and ${most}`;
}

/** Names the contradicting values, by file if the files differ. */
function disagreement(seen: readonly Range[], shown: (value: number) => string): string {
  const byFile = Map.groupBy(seen, ({ seen: [first] }) => first?.entry.file ?? "");
  const measured = (part: readonly Range[]): string => {
    const numbers = part.flatMap(({ from, to, isMeasured }) =>
      isMeasured === true ? [(from + to) / 2] : [from, to].filter(Number.isFinite),
    );
    return between([Math.min(...numbers), Math.max(...numbers)], shown);
  };
  if (byFile.size === 1) return measured(seen);
  return Array.from(byFile, ([file, part]) => `${measured(part)} in ${file}`).join(", ");
}

function compareList(
  { default: standard, type }: Assumption<unknown>,
  all: readonly Range[],
): AssumptionFinding {
  const scale = scaleOf(type);
  const assumed = standard as readonly string[];
  if (scale === undefined) return NOT_SEEN;
  const seen = all.filter(({ isMeasured }) => isMeasured === true);
  const places = assumed.map((value, place) => {
    const part = seen.filter((one) => one.place === place);
    const combined = part.length === 0 ? undefined : combine(part, scale.spreadMax);
    const number = scale.of(value);
    const isWithin = combined !== undefined && number >= combined.from && number <= combined.to;
    return { part, combined, value, isWithin };
  });
  const torn = places.filter(({ combined }) => combined?.isConsistent === false);
  if (torn.length > 0) {
    const note = torn.map(({ part }) => disagreement(part, shownDuration)).join("; ");
    return { verdict: "inconsistent", observed: null, note };
  }
  const value: string[] = [];
  for (const { combined, value: usual, isWithin } of places) {
    const before = value.at(-1);
    const own = combined === undefined || isWithin ? usual : roundValue(scale, combined.from, combined.to);
    // Without an observation, the assumed interval stays as long as intervals still grow.
    const isShort = combined === undefined && before !== undefined && scale.of(own) < scale.of(before);
    value.push(isShort ? before : String(own));
  }
  const seenCount = places.filter(({ combined }) => combined !== undefined).length;
  // The first unmeasured interval, if all before it were measured. Its bound contradicts nothing, because the file may
  // lack the next attempt.
  const open = places.findIndex(({ combined }) => combined === undefined);
  const unfinished =
    seenCount === open ? all.filter((one) => one.place === open && one.isMeasured !== true) : [];
  const bound = Math.max(0, ...unfinished.map(({ from }) => from));
  const isBoundShown = bound > (open > 0 ? scale.of(value[open - 1]) : MINUTE_MS);
  if (seenCount === 0) return NOT_SEEN;
  const atLeast = isoDuration(roundedDown(bound));
  const isContradicted = places.some(({ combined, isWithin }) => combined !== undefined && !isWithin);
  const measured = places.flatMap(({ combined }) =>
    combined?.spread === undefined ? [] : [between(combined.spread, shownDuration)],
  );
  const parts = [
    ...(measured.length > 0 ? [measured.join(", ")] : []),
    ...(isBoundShown ? [`then at least ${shownDuration(roundedDown(bound))}`] : []),
    ...(seenCount < assumed.length ? [`${seenCount} of ${assumed.length} seen`] : []),
  ];
  return {
    verdict: isContradicted ? "contradicted" : "confirmed",
    observed: {
      value: isContradicted ? value : assumed,
      ...(seenCount < assumed.length && {
        seen: [...value.slice(0, Math.max(0, open)), ...(isBoundShown ? [`≥${atLeast}`] : [])],
      }),
    },
    note: parts.join("; "),
    by: seen,
  };
}

const MINUTE_MS = 60_000;

function countsOf(texts: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}

function shownCounts(counts: ReadonlyMap<string, number>): string {
  return Array.from(counts, ([text, count]) => `${text} (${count})`).join(", ");
}
