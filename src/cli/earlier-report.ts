import { isRecord } from "../simulator/engine/json.ts";

/** Marks of the reports that are not JSON: each is in every report of its form, and in few other files. */
const FORMS: readonly RegExp[] = [
  /^<\?xml [^>]*\?>\s*<testsuites\b/,
  /^<!doctype html>[^]*<body class="report">/,
  /^TAP version 14\n/,
  /^## [^\n]*: (?:\d+ (?:failed|not decided|passed|skipped)|no )/,
  // The reports for a person.
  /^[✓✗] .*\n/,
  /^\? .* UNDECIDED: /,
  /^\S.* → .* \(.*\)\n/,
  /^\d+ assumptions: \d+ confirmed, /,
  /^Receiver \S+ \(seed \d+\)\n/,
  /^sandbank doubt · /,
  /^::(?:error|warning|notice) /,
];

/** Returns true if a file has an earlier report of the same form. The new report may replace it. */
export function isEarlierReport(found: string, written: string): boolean {
  if (/^(?:\s*|\s*\{\s*\}\s*|\s*\[\s*\]\s*)$/.test(found)) return true;
  const [before, after] = [jsonOf(found), jsonOf(written)];
  if (before !== undefined || after !== undefined)
    return before !== undefined && after !== undefined && isAlike(before, after);
  return FORMS.some((form) => form.test(found) && form.test(written));
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** The places of the name in a JSON document. */
const NAMES = [["$id"], ["title"], ["info", "title"], ["log", "creator", "name"]];

/**
 * Returns true if two documents, or the first items of two lists, have the same fields at the top, as far as both have
 * them, and the same names.
 */
function isAlike(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other)) return isAlike(one[0], other[0]);
  if (!isRecord(one) || !isRecord(other)) return false;
  const [fewer = [], more = []] = [Object.keys(one), Object.keys(other)].toSorted(
    (a, b) => a.length - b.length,
  );
  const nameOf = (document: unknown, path: readonly string[]): unknown =>
    path.reduce<unknown>((part, key) => (isRecord(part) ? part[key] : undefined), document);
  return (
    fewer.length > 0 &&
    fewer.every((key) => more.includes(key)) &&
    NAMES.every((path) => nameOf(one, path) === nameOf(other, path))
  );
}
