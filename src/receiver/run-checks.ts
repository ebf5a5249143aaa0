import type { Bench } from "./bench.ts";
import type { Check, CheckLevel, Finding } from "./check.ts";
import { BudgetUsedUp } from "./bench.ts";
import { catalogue } from "./catalogue.ts";
import { NOT_ALIVE } from "./checks/signature.ts";
import { skipped } from "./check.ts";

/** A check with what it found out. */
export interface CheckResult extends Finding {
  readonly id: string;
  readonly title: string;
  readonly level: CheckLevel;
}

const BASELINE = "B1";

/** What a receiver that never answers fails too. */
const SPEED = "B2";

/** Whether the receiver has outlived the checks before it, and those are. */
const ALIVE = "S5";
const BAD_SIGNATURES: ReadonlySet<string> = new Set(["S1", "S2", "S3", "S4"]);

/**
 * Makes the checks one after another. The good event comes first, whatever is asked for: where it is not
 * accepted nothing else is tried, since a receiver that rejects everything also rejects every forgery. The same
 * holds once the receiver is gone, and once the budget of requests is used up.
 */
export async function runChecks(
  bench: Bench,
  only: readonly string[],
  onResult: (result: CheckResult) => void = () => {},
): Promise<CheckResult[]> {
  const chosen = catalogue.filter(({ id }) => only.length === 0 || only.includes(id));
  const baseline = catalogue.find(({ id }) => id === BASELINE)!;
  const rest = chosen.filter(({ id }) => id !== BASELINE);
  const results: CheckResult[] = [];
  const tell = ({ id, title, level }: Check, finding: Finding): void => {
    const result = { id, title, level, ...finding };
    results.push(result);
    onResult(result);
  };
  const first = await run(baseline, bench);
  let obstacle =
    first.verdict === "pass" ? undefined : "A good event is not accepted (B1): nothing else says much.";
  if (obstacle !== undefined || chosen.includes(baseline)) tell(baseline, first);
  let broughtDownBy = "";
  for (const check of rest) {
    if (obstacle !== undefined) {
      const isBroughtDown = check.id === ALIVE && BAD_SIGNATURES.has(broughtDownBy);
      const known = isBroughtDown ? NOT_ALIVE : first.isLate && check.id === SPEED ? first : undefined;
      tell(check, known ?? skipped(obstacle));
      continue;
    }
    const finding = await run(check, bench);
    tell(check, finding);
    if (finding.verdict === "fail") obstacle = await lastingObstacle(bench, check);
    if (obstacle !== undefined) broughtDownBy = check.id;
  }
  return results;
}

async function run(check: Check, bench: Bench): Promise<Finding> {
  try {
    return await check.run(bench);
  } catch (error) {
    if (error instanceof BudgetUsedUp) return { ...skipped(error.message), isUnmade: true };
    throw error;
  }
}

/** A receiver that a check brought down cannot be checked any further. */
async function lastingObstacle(bench: Bench, { id }: Check): Promise<string | undefined> {
  try {
    if (await bench.isAlive()) return undefined;
  } catch (error) {
    if (error instanceof BudgetUsedUp) return undefined;
    throw error;
  }
  return `The receiver has accepted no good event since ${id}. Start it again, then try the rest with --only.`;
}
