import { UUID } from "../../simulator/engine/uuid.ts";
import { type ComparisonRules, type StateDifference, placeOf, stateDifferences } from "./comparison.ts";
import { isClockReading } from "./instants.ts";
import type { NamedState } from "./naming.ts";

/** A text that a program draws at random: hexadecimal digits, or letters with digits. */
const DRAWN_TEXT = /^(?=.*\d)(?:[0-9a-f]{16,}|[A-Za-z0-9_-]{20,})$/i;

/** The path of a value that is named as an id: `$.orders[*].id`, `$.orders[*].order_id`, `$.orders[*].orderId`. */
const ID_PATH = /(?:[._]id|[a-z]Id|ID)$/;

/**
 * Returns the places that differ between two runs without deviations, and that unfinished work may explain. Times and
 * ids that the system draws differ in each run, so they do not count. Neither do places that move by themselves.
 */
export function unfinishedPlaces(
  [first, second]: readonly [NamedState, NamedState],
  { unordered, identities }: ComparisonRules,
  moving: ReadonlySet<string>,
): string[] {
  const rules = { unstable: moving, unordered, ...(identities && { identities }) };
  const differences = stateDifferences(first, second, rules).filter((one) => !isDrawnAnew(one));
  return [...new Set([...differences.map(({ path }) => placeOf(path)), ...unordered])];
}

function isDrawnAnew({ path, baseline, found }: StateDifference): boolean {
  const both = (is: (value: unknown) => boolean): boolean => is(baseline) && is(found);
  return both(isClockReading) || both(isDrawnText) || (ID_PATH.test(path) && both(Number.isInteger));
}

function isDrawnText(value: unknown): boolean {
  return typeof value === "string" && (UUID.test(value) || DRAWN_TEXT.test(value));
}
