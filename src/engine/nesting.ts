/** How many lists and objects of a request may stand in one another: far more than any has use for. */
export const NESTING_MAX = 100;

/**
 * Whether lists and objects stand in one another more than `NESTING_MAX` deep. What works on a value by calling
 * itself, such as writing it as JSON, would run out of stack some thousand levels on.
 */
export function isNestedTooDeeply(value: unknown, levelsLeft = NESTING_MAX): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levelsLeft === 0) return true;
  return Object.values(value).some((inner) => isNestedTooDeeply(inner, levelsLeft - 1));
}
