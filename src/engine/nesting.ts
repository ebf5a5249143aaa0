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
