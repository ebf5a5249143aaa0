import { isRecord } from "./fixture.ts";

/** The values of one run of a scenario with a matrix, by name. */
export interface Combination {
  readonly [name: string]: unknown;
}

/** More combinations than this are a slip of the pen, not a test. */
export const combinationsMax = 1000;

/**
 * Every combination of a matrix, the last name varying fastest; a list of combinations is taken as it stands.
 * Without a matrix there is one, the empty one. Gives undefined past `combinationsMax`.
 */
export function combinationsOf(matrix: unknown): Combination[] | undefined {
  if (Array.isArray(matrix)) return matrix.length > combinationsMax ? undefined : matrix.filter(isRecord);
  if (!isRecord(matrix)) return [{}];
  let combinations: Combination[] = [{}];
  for (const [name, values] of Object.entries(matrix)) {
    if (!Array.isArray(values)) continue;
    if (combinations.length * values.length > combinationsMax) return undefined;
    combinations = combinations.flatMap((one) => values.map((value: unknown) => ({ ...one, [name]: value })));
  }
  return combinations;
}

/** `outcome=REJECTED, times=2`: how a combination is told apart in reports. */
export function describeCombination(combination: Combination): string {
  return Object.entries(combination)
    .map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(", ");
}
