// @ts-check

/** @typedef {{ path: string, before: unknown, after: unknown }} Change */

/**
 * Where two JSON texts differ, field by field; undefined stands for a field that is not there. Empty where one of
 * them is no JSON.
 *
 * @param {string} before
 * @param {string} after
 * @returns {Change[]}
 */
export function changesBetween(before, after) {
  const [old, young] = [leavesOf(before), leavesOf(after)];
  if (old === undefined || young === undefined) return [];
  return [...new Set([...old.keys(), ...young.keys()])]
    .filter((path) => old.get(path) !== young.get(path))
    .map((path) => ({ path, before: old.get(path), after: young.get(path) }));
}

/** @param {string} text */
function leavesOf(text) {
  try {
    return new Map(leaves(JSON.parse(text), ""));
  } catch {
    return undefined;
  }
}

/**
 * @param {unknown} value
 * @param {string} path
 * @returns {[string, unknown][]}
 */
function leaves(value, path) {
  if (typeof value !== "object" || value === null) return [[path, value]];
  const entries = Object.entries(value);
  if (entries.length === 0) return [[path, Array.isArray(value) ? "[]" : "{}"]];
  return entries.flatMap(([name, inner]) => leaves(inner, path === "" ? name : `${path}.${name}`));
}
