// @ts-check

/** @import { Deviation, ExploreResult } from "./page-data.ts" */

/** What can be different about an event, and what it means. @type {Readonly<Record<string, string>>} */
export const KINDS = {
  late: "held until after the next event",
  twice: "again right after it was acknowledged",
  "twice-late": "again after everything else",
  "twice-at-once": "both copies at the same moment",
  "answer-lost": "its answer was lost, and it came again",
  "first-try-lost": "the first attempt was lost, the retry came later",
  early: "before the answer of the call that announced it",
  together: "at the same moment as the next event about the object",
};

/**
 * The results of a report; undefined where the value is no such report.
 *
 * @param {any} value
 * @returns {readonly ExploreResult[] | undefined}
 */
export function resultsOf(value) {
  const results = Array.isArray(value?.results) ? value.results : [value];
  const isReport = results.every(
    (/** @type {any} */ one) =>
      Array.isArray(one?.events) && Array.isArray(one.divergences) && typeof one.verdict === "string",
  );
  return isReport && results.length > 0 ? results : undefined;
}

/**
 * What came of one deviation alone, and the divergences that it is a part of, the smallest first. A report without
 * cells does not say which deviations were tried.
 *
 * @param {ExploreResult} result
 * @param {Deviation} deviation
 */
export function cellOf({ cells, divergences, verdict }, { event, kind }) {
  const isIn = (/** @type {readonly Deviation[]} */ schedule) =>
    schedule.some((one) => one.event === event && one.kind === kind);
  const found = divergences
    .flatMap((one, index) =>
      [one.deviations, ...(one.alike ?? [])].filter(isIn).map(({ length }) => ({ index, length })),
    )
    .sort((one, other) => one.length - other.length);
  const alone = found[0]?.length === 1;
  const listed = cells?.find((one) => one.event === event && one.kind === kind)?.result;
  const unlisted = cells !== undefined ? "impossible" : verdict === "not-tried" ? "not-tried" : "unknown";
  return { result: alone ? "diverged" : (listed ?? unlisted), index: found[0]?.index };
}

/**
 * The kinds of the deviations of a report, those that are known first.
 *
 * @param {ExploreResult} result
 */
export function kindsOf({ cells = [], divergences }) {
  const used = [...cells, ...divergences.flatMap(({ deviations }) => deviations)].map(({ kind }) => kind);
  return [...new Set([...Object.keys(KINDS), ...used])];
}

/** Lines that are compared; longer states are shown without marks. */
const LINES_MAX = 1500;

/**
 * Two JSON values line by line; a line is marked where the other value does not have it at that place.
 *
 * @param {unknown} before
 * @param {unknown} after
 * @returns {[{ text: string, isMarked: boolean }[], { text: string, isMarked: boolean }[]]}
 */
export function compareLines(before, after) {
  const [left, right] = [before, after].map((value) => (JSON.stringify(value, null, 2) ?? "").split("\n"));
  if (left === undefined || right === undefined) return [[], []];
  if (left.length * right.length > LINES_MAX ** 2)
    return [
      left.map((text) => ({ text, isMarked: false })),
      right.map((text) => ({ text, isMarked: false })),
    ];
  // The length of the longest common sequence of lines from each pair of places on.
  const width = right.length + 1;
  const common = new Uint16Array((left.length + 1) * width);
  for (let row = left.length - 1; row >= 0; row--) {
    for (let column = right.length - 1; column >= 0; column--) {
      const place = row * width + column;
      common[place] =
        left[row] === right[column]
          ? (common[place + width + 1] ?? 0) + 1
          : Math.max(common[place + width] ?? 0, common[place + 1] ?? 0);
    }
  }
  const marked = [left, right].map((lines) => lines.map((text) => ({ text, isMarked: true })));
  const [first = [], second = []] = marked;
  for (let row = 0, column = 0; row < left.length && column < right.length;) {
    if (left[row] === right[column]) {
      Object.assign(first[row++] ?? {}, { isMarked: false });
      Object.assign(second[column++] ?? {}, { isMarked: false });
    } else if ((common[(row + 1) * width + column] ?? 0) >= (common[row * width + column + 1] ?? 0)) row++;
    else column++;
  }
  return [first, second];
}
