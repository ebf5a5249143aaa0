/** How deep lists and objects of a request may be nested: to write some thousand levels as JSON exceeds the stack. */
export const NESTING_MAX = 100;

/** How many fields and items a request may have: far more than any needs. Each may take some work to check. */
export const VALUES_MAX = 10_000;

/** What a value has too much of: levels, or fields and items in all; undefined if it is within the limits. */
export function excessOf(whole: unknown): "levels" | "values" | undefined {
  const unread = isStructure(whole) ? [{ inner: whole, level: 0 }] : [];
  let count = 0;
  for (let next = unread.pop(); next !== undefined; next = unread.pop()) {
    const { inner, level } = next;
    if (level >= NESTING_MAX) return "levels";
    const values = Object.values(inner);
    count += values.length;
    if (count > VALUES_MAX) return "values";
    for (const value of values) if (isStructure(value)) unread.push({ inner: value, level: level + 1 });
  }
  return undefined;
}

/** Whether it is a list or an object. */
function isStructure(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
