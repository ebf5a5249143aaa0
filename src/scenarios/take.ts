import type { Session } from "./session.ts";
import { differencesLine } from "./result.ts";
import { performRepeatedly } from "./repetition.ts";
import { refusalOf } from "./perform.ts";
import { type ScenarioStep, titleOf } from "./scenario.ts";
import { StepFailure, refused } from "./step-failure.ts";
import { subjectOf } from "./history.ts";
import { unmetExpectations } from "./unmet-expectations.ts";

/**
 * Takes one step of a session: performs it, saves and checks. Throws a `CommandFailure` if that is not possible, such
 * as a `StepFailure`.
 */
export async function take(step: ScenarioStep, session: Session): Promise<void> {
  const { facts } = session;
  const { save, expect, ...rest } = step;
  const filled = (await session.fill(rest)) as ScenarioStep;
  facts.taken.push(filled);
  const answer = await performRepeatedly(filled, session, expect?.status);
  facts.statuses.set(step.number, answer?.status);
  facts.subject = subjectOf(filled, answer) ?? facts.subject;
  if (save !== undefined && answer !== undefined) session.save(save, answer.body);
  const expected = expect === undefined ? {} : await session.fill(expect);
  if (step.verb === "request" && answer?.status === null && expected.status !== null)
    throw new StepFailure(refused(titleOf(filled), answer), { answer });
  // Only an expected status lets a system of the partner fail, whatever its body is expected to be.
  const checksAnswer =
    "status" in expected || (step.verb !== "request" && ("headers" in expected || "body" in expected));
  const message = answer === undefined || checksAnswer ? undefined : refusalOf(titleOf(step), answer);
  if (message !== undefined) throw new StepFailure(message, { answer });
  const differences = await unmetExpectations(expected, answer, session);
  if (differences.length === 0) return;
  const line = differencesLine(differences);
  const refusal =
    answer !== undefined && differences[0]?.path === "status" && refusalOf(titleOf(step), answer);
  throw new StepFailure(refusal ? `${line}. ${refusal}` : line, { differences, answer });
}
