import { busySentence } from "../../partner/settled-state.ts";
import { CommandFailure } from "../../base/failures.ts";
import { basicChecks } from "./checks/basics.ts";
import { type Bench, BudgetUsedUp, type ReceiverCheck } from "./bench.ts";
import { idempotencyChecks } from "./checks/idempotency.ts";
import { NOT_ALIVE, rotationChecks, signatureChecks } from "./checks/signature.ts";
import { Refused, notAccepted } from "./families.ts";
import { orderChecks } from "./checks/order.ts";
import { retryChecks, robustnessChecks } from "./checks/robustness.ts";
import { type CheckLevel, failed, type Finding, inconclusive, skipped } from "./finding.ts";
import { CHANGED_LATER, NOTHING_SHOWN } from "./state-findings.ts";
import { NothingShown } from "./probe.ts";
import { Stop, Stopped } from "../../base/stop.ts";

/** Every check, in the order of running: the good event first. */
export const catalogue: readonly ReceiverCheck[] = [
  ...basicChecks,
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

const GOOD_EVENT = "B1";

/** A receiver that never answers fails it too. */
const SPEED = "B2";

/** The check that the receiver still runs after the checks with bad signatures. */
const ALIVE = "S5";
const BAD_SIGNATURES: ReadonlySet<string> = new Set(["S1", "S2", "S3", "S4"]);

/** The factor for the time that the receiver gets in the run that confirms a failure. */
const PATIENCE = 10;

/** The progress of the checks. */
export interface CheckProgress {
  readonly done: number;
  readonly of: number;
  readonly id: string;
}

/**
 * Runs the checks one after another. The good event always comes first: if it is not accepted, no other check is tried,
 * since a receiver that rejects everything also rejects every forgery. The same applies once a check has stopped the
 * receiver, and once the budget of requests is used up. `onProgress` is called before each check. `stop` ends the
 * checks, whose bench is on its wall. The remaining checks are listed as skipped.
 */
export async function runChecks(
  bench: Bench,
  only: readonly string[],
  {
    onProgress,
    stop = new Stop(bench.options.wall),
  }: {
    readonly onProgress?: ((progress: CheckProgress) => void) | undefined;
    readonly stop?: Stop;
  } = {},
): Promise<CheckResult[]> {
  const chosen = catalogue.filter(({ id }) => only.length === 0 || only.includes(id));
  const goodEvent = catalogue.find(({ id }) => id === GOOD_EVENT)!;
  const results: CheckResult[] = [];
  const report = ({ id, title, level }: ReceiverCheck, finding: Finding): void => {
    results.push({ id, title, level, ...finding });
  };
  const made = async (check: ReceiverCheck): Promise<Finding> => {
    onProgress?.({ done: results.length, of: chosen.length, id: check.id });
    const finding = await unlessStopped(confirmed(check, bench), stop);
    bench.lateChanges.note(check.id, finding.verdict === "pass");
    return finding;
  };
  const first = await made(goodEvent);
  let obstacle =
    first.verdict === "pass"
      ? undefined
      : "A good event is not accepted (B1), so other results have no meaning.";
  if (obstacle !== undefined || chosen.includes(goodEvent)) report(goodEvent, first);
  let stoppedBy = "";
  for (const check of chosen) {
    if (check === goodEvent) continue;
    if (stop.reason !== undefined) {
      report(check, INTERRUPTED);
      continue;
    }
    if (obstacle !== undefined) {
      const isStopped = check.id === ALIVE && BAD_SIGNATURES.has(stoppedBy);
      const known = isStopped ? NOT_ALIVE : first.isLate && check.id === SPEED ? first : undefined;
      report(check, known ?? skipped(obstacle));
      continue;
    }
    const finding = await made(check);
    report(check, finding);
    if (finding.verdict !== "fail" || (await isStillAlive(bench))) continue;
    obstacle = `The receiver has accepted no good event since ${check.id}. Start it again, then run the rest with --only.`;
    stoppedBy = check.id;
  }
  return stop.reason === undefined ? withLateChanges(results, bench, stop) : results;
}

/** Opens the passed checks whose objects changed after the check. */
async function withLateChanges(
  results: readonly CheckResult[],
  { lateChanges }: Bench,
  stop: Stop,
): Promise<CheckResult[]> {
  const late = await stop.until(lateChanges.found()).catch((error: unknown) => {
    if (error instanceof Stopped || error instanceof CommandFailure) return new Set<string>();
    throw error;
  });
  return results.map((one) => (late.has(one.id) ? { ...one, ...CHANGED_LATER } : one));
}

const INTERRUPTED: Finding = { ...skipped("The check was interrupted before."), isUnmade: true };

/** Returns a finding, unless a person interrupts its check. */
async function unlessStopped(finding: Promise<Finding>, stop: Stop): Promise<Finding> {
  try {
    return await stop.until(finding);
  } catch (error) {
    if (error instanceof Stopped) return INTERRUPTED;
    throw error;
  }
}

/**
 * Makes a check. Before a failure is reported, the check is made once more with more patience: as a whole, or for one
 * kind of object that failed. A failure that only a busy machine shows does not count.
 */
async function confirmed(check: ReceiverCheck, bench: Bench): Promise<Finding> {
  const finding = await run(check, bench);
  if (finding.verdict !== "fail" || check.id === GOOD_EVENT) return finding;
  let { families } = finding;
  const failing = families?.flatMap(({ family, verdict }) => (verdict === "fail" ? [family] : [])) ?? [];
  let again = finding;
  for (const family of failing.length === 0 ? [undefined] : failing) {
    again = await bench.patiently(PATIENCE, family, () => run(check, bench));
    if (again.verdict === "fail") return repeated(finding, again, families);
    // Without budget for a second look, the first one counts as open.
    if (again.verdict !== "pass" && again.verdict !== "warn") return again;
    families = families?.map((one) => (one.family === family ? { family, verdict: "pass" } : one));
  }
  const why =
    busySentence(bench.probe?.mostLagMs ?? 0) ?? "The receiver needed more time than it got at first.";
  const note = `It failed once, but not again with ${PATIENCE} times the waiting time. ${why} (${finding.cause ?? ""})`;
  return { ...again, note, ...(families && { families }) };
}

/** Returns the failure of the second run. The other kinds of objects keep their first result. */
function repeated(first: Finding, again: Finding, families: Finding["families"]): Finding {
  if (families === undefined) return again;
  const own = again.families?.[0];
  const all = families.map((one) => (own?.family === one.family ? own : one));
  const { cause = "", fix = "" } = again;
  const others = all.flatMap((one) =>
    one.verdict === "fail" && one.cause !== undefined && !cause.includes(one.cause) ? [one.cause] : [],
  );
  return {
    ...again,
    cause: [...new Set([cause, ...others])].join(" "),
    fix: first.fix?.includes(fix) === true ? first.fix : fix,
    families: all,
  };
}

async function run(check: ReceiverCheck, bench: Bench): Promise<Finding> {
  try {
    return await check.run(bench);
  } catch (error) {
    if (error instanceof BudgetUsedUp) return { ...skipped(error.message), isUnmade: true };
    if (error instanceof NothingShown) return NOTHING_SHOWN;
    if (error instanceof Refused) return notAccepted(error.sent);
    if (error instanceof CommandFailure)
      return (await isStillAlive(bench)) ? inconclusive(error.message) : failed(STOPPED, check.fix);
    throw error;
  }
}

/** The state cannot be read, because the receiver has gone. */
const STOPPED =
  "In this check the receiver stopped: it accepts no good event and shows no state. An error probably ended its process.";

/**
 * Returns true if the receiver still answers. Otherwise it cannot be checked further. Without budget this stays
 * unknown, as after a stop.
 */
async function isStillAlive(bench: Bench): Promise<boolean> {
  try {
    return await bench.isAlive();
  } catch (error) {
    if (error instanceof BudgetUsedUp || error instanceof Stopped) return true;
    throw error;
  }
}
