import type { Session } from "./session.ts";
import { defined } from "../simulator/engine/json.ts";
import { differencesLine } from "./result.ts";
import { performRepeatedly } from "./repetition.ts";
import { refusalOf } from "./perform.ts";
import { type RepeatStep, type ScenarioStep, titleOf } from "./scenario.ts";
import { CommandFailure } from "../base/failures.ts";
import { StepFailure, failedTitle, refused } from "./step-failure.ts";
import { awaitState } from "./awaited-state.ts";
import { subjectOf } from "./history.ts";
import { turns } from "../base/wall.ts";
import { unmetExpectations } from "./unmet-expectations.ts";

/**
 * Takes one step of a session: waits for the state that it needs, performs it, saves and checks. Throws a `CommandFailure` if that is not possible, such
 * as a `StepFailure`.
 */
export async function take(step: ScenarioStep, session: Session): Promise<void> {
  const { facts } = session;
  if (step.waitFor !== undefined) {
    const { waitFor, ...begun } = step;
    await awaitState(await session.fill(waitFor), session);
    return take(begun, session);
  }
  if (step.verb === "repeat") {
    const { repeat, expect = {}, ...rest } = step;
    await takeRounds(repeat, step.number, session);
    return take({ ...rest, verb: "expect", expect }, session);
  }
  const { save, expect, ...rest } = step;
  const filled = (await session.fill(rest)) as ScenarioStep;
  facts.taken.push([session.nameOf(step), filled]);
  const answer = await performRepeatedly(filled, session, expect?.status);
  if (!session.isInRound) facts.statuses.set(step.number, answer?.status);
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

/** Takes the steps of a `repeat`, round by round. A failure names its round. */
async function takeRounds(
  { times, as, steps }: RepeatStep["repeat"],
  number: number,
  session: Session,
): Promise<void> {
  for (let round = 1; round <= times; round++) {
    using _ = session.beginRound(number, round, as);
    for (const one of steps) {
      // A world in this process answers without a pause: other work gets its turn between two steps.
      await turns();
      await takeInRound(one, round, session);
    }
  }
}

async function takeInRound(step: ScenarioStep, round: number, session: Session): Promise<void> {
  try {
    await take(step, session);
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error;
    const { differences, answer, at } = error instanceof StepFailure ? error : {};
    const { line, column } = at ?? step;
    const title = `round ${round}: ${failedTitle(titleOf(step), error)}`;
    throw new StepFailure(error.message, {
      ...defined({ differences, answer }),
      at: { line, column, title },
    });
  }
}
