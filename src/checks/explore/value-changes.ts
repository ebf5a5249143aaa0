import { type StateDifference, placeOf } from "../../partner/states/comparison.ts";

/** Returns the two values of a difference if both are numbers, or decimals as texts. */
function numbersOf({ baseline, found }: StateDifference): [number, number] | undefined {
  const isNumber = (value: unknown): boolean =>
    typeof value === "number" || (typeof value === "string" && /^-?\d+(?:\.\d+)?$/.test(value));
  return isNumber(baseline) && isNumber(found) ? [Number(baseline), Number(found)] : undefined;
}

/** Returns true if a number grew. */
export function isLarger(difference: StateDifference): boolean {
  const [baseline, found] = numbersOf(difference) ?? [0, 0];
  return found > baseline;
}

/** Returns true if a value was replaced by another value. Numbers do not count. */
export function isReplaced(difference: StateDifference): boolean {
  const { baseline, found } = difference;
  return baseline !== undefined && found !== undefined && numbersOf(difference) === undefined;
}

export function isMissing({ baseline, found }: StateDifference): boolean {
  return baseline !== undefined && found === undefined;
}

/** Returns true if a row exists without the id of its object. Such an id is named by its origin. */
export function isIdMissing({ path, baseline, found }: StateDifference): boolean {
  const isGone = found === null || (found === undefined && !path.endsWith("]"));
  return isGone && typeof baseline === "string" && /(?:[ .]id|Id)$/.test(baseline);
}

/** Finds the paths of numbers that only changed places with each other. Empty if any other value differs. */
export function movedNumbers(differences: readonly StateDifference[]): string[] {
  const byPath = Map.groupBy(differences, ({ path }) => placeOf(path));
  const isReordered = Array.from(byPath.values()).every((group) => {
    const numbers = new Set(group.map(({ baseline }) => baseline));
    return (
      group.length > 1 &&
      numbers.size === group.length &&
      Array.from(numbers).every(
        (number) => Number.isInteger(number) && group.some(({ found }) => found === number),
      )
    );
  });
  return isReordered ? [...byPath.keys()] : [];
}

/** A smaller share of a value counts as a rounding difference. */
const ROUNDING = 1e-9;

export function isRounding(difference: StateDifference): boolean {
  const [baseline, found] = numbersOf(difference) ?? [0, 1];
  return Math.abs(baseline - found) <= ROUNDING * Math.abs(baseline);
}
