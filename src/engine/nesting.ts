/** How deep lists and objects of a request may be nested: far deeper than any needs. */
export const NESTING_MAX = 100;

/**
 * Whether lists and objects are nested more than `NESTING_MAX` levels deep. A recursive function over a value, such as
 * writing it as JSON, would exceed the stack after some thousand levels.
 */
export function isNestedTooDeeply(value: unknown, levelsLeft = NESTING_MAX): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levelsLeft === 0) return true;
  return Object.values(value).some((inner) => isNestedTooDeeply(inner, levelsLeft - 1));
}

/** How many fields and items a request may have: far more than any needs. Each may take some work to check. */
export const VALUES_MAX = 10_000;

/** What a value has too much of: levels, or fields and items in all; undefined where it has not. */
export function excessOf(value: unknown): "levels" | "values" | undefined {
  const unread = [{ inner: value, level: 0 }];
  let count = 0;
  for (let next = unread.pop(); next !== undefined; next = unread.pop()) {
    const { inner, level } = next;
    if (typeof inner !== "object" || inner === null) continue;
    if (level >= NESTING_MAX) return "levels";
    for (const name in inner) {
      if (++count > VALUES_MAX) return "values";
      unread.push({ inner: (inner as Record<string, unknown>)[name], level: level + 1 });
    }
  }
  return undefined;
}
