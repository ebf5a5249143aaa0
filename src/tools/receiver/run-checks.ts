import { CommandFailure } from "../../process/failures.ts";
import { baselineChecks } from "./checks/baseline.ts";
import { type Bench, BudgetUsedUp, type Check } from "./bench.ts";
import { idempotencyChecks } from "./checks/idempotency.ts";
import { NOT_ALIVE, rotationChecks, signatureChecks } from "./checks/signature.ts";
import { Refused, notAccepted } from "./families.ts";
import { orderChecks } from "./checks/order.ts";
import { retryChecks, robustnessChecks } from "./checks/robustness.ts";
import { type CheckLevel, type Finding, inconclusive, skipped } from "./finding.ts";
import { NOTHING_SHOWN } from "./state-findings.ts";
import { NothingShown } from "./probe.ts";

/** Every check, in the order in which they run: the baseline first. */
export const catalogue: readonly Check[] = [
  ...baselineChecks,
  ...signatureChecks,
  ...rotationChecks,
  ...idempotencyChecks,
  ...orderChecks,
  ...retryChecks,
  ...robustnessChecks,
];

/** A check with its result. */
export interface CheckResult extends Finding {
  readonly id: string;
  readonly title: string;
  readonly level: CheckLevel;
}

const BASELINE = "B1";

/** A receiver that never answers fails it too. */
const SPEED = "B2";

/** Whether the receiver still runs after the checks that send bad signatures, and those checks. */
const ALIVE = "S5";
const BAD_SIGNATURES: ReadonlySet<string> = new Set(["S1", "S2", "S3", "S4"]);

/**
 * Runs the checks one after another. The good event always comes first: where it is not accepted no other check is
 * tried, since a receiver that rejects everything also rejects every forgery. The same applies once a check has
 * stopped the receiver, and once the budget of requests is used up.
 */
export async function runChecks(bench: Bench, only: readonly string[]): Promise<CheckResult[]> {
  const chosen = catalogue.filter(({ id }) => only.length === 0 || only.includes(id));
  const baseline = catalogue.find(({ id }) => id === BASELINE)!;
  const results: CheckResult[] = [];
  const report = ({ id, title, level }: Check, finding: Finding): void => {
    results.push({ id, title, level, ...finding });
  };
  const first = await run(baseline, bench);
  let obstacle =
    first.verdict === "pass"
      ? undefined
      : "A good event is not accepted (B1): other results would mean nothing.";
  if (obstacle !== undefined || chosen.includes(baseline)) report(baseline, first);
  let stoppedBy = "";
  for (const check of chosen) {
    if (check === baseline) continue;
    if (obstacle !== undefined) {
      const isStopped = check.id === ALIVE && BAD_SIGNATURES.has(stoppedBy);
      const known = isStopped ? NOT_ALIVE : first.isLate && check.id === SPEED ? first : undefined;
      report(check, known ?? skipped(obstacle));
      continue;
    }
    const finding = await run(check, bench);
    report(check, finding);
    if (finding.verdict !== "fail" || (await isStillAlive(bench))) continue;
    obstacle = `The receiver has accepted no good event since ${check.id}. Start it again, then run the rest with --only.`;
    stoppedBy = check.id;
  }
  return results;
}

async function run(check: Check, bench: Bench): Promise<Finding> {
  try {
    return await check.run(bench);
  } catch (error) {
    if (error instanceof BudgetUsedUp) return { ...skipped(error.message), isUnmade: true };
    if (error instanceof NothingShown) return NOTHING_SHOWN;
    if (error instanceof Refused) return notAccepted(error.sent);
    if (error instanceof CommandFailure) return inconclusive(error.message);
    throw error;
  }
}

/** A receiver that a check stopped cannot be checked any further; without budget that stays unknown. */
async function isStillAlive(bench: Bench): Promise<boolean> {
  try {
    return await bench.isAlive();
  } catch (error) {
    if (error instanceof BudgetUsedUp) return true;
    throw error;
  }
}
