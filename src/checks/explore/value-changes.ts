import type { StateDifference } from "../../partner/states/comparison.ts";

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

/** Returns true if a number differs that is not part of a row. */
export function isSum(difference: StateDifference): boolean {
  return numbersOf(difference) !== undefined && !difference.path.includes("[");
}

/** A smaller share of a value counts as a rounding difference. */
const ROUNDING = 1e-9;

export function isRounding(difference: StateDifference): boolean {
  const [baseline, found] = numbersOf(difference) ?? [0, 1];
  return Math.abs(baseline - found) <= ROUNDING * Math.abs(baseline);
}
