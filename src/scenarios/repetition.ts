import type { Answer } from "../partner/partner-request.ts";
import { operationNamed } from "./vocabulary.ts";
import type { Session } from "./session.ts";
import type { CallStep, Repetition, RequestStep, ScenarioStep } from "./scenario.ts";
import { seededChance } from "../simulator/engine/random.ts";
import { perform } from "./perform.ts";

/** The default repetition of failed steps by the world around a system. */
export const REPETITION: Repetition = { times: 5, every: "PT1M" };

/**
 * Performs a step, and repeats it as its `repeat` or `retry` says. A request without an answer or with 5xx is repeated
 * unchanged. A call is also repeated after 429, and after 401 with a new token. An expected failure is not repeated.
 */
export async function performRepeatedly(
  step: ScenarioStep,
  session: Session,
  expectedStatus: unknown,
): Promise<Answer | undefined> {
  const { client } = session;
  let answer = await perform(step, session);
  if (step.verb !== "request" && step.verb !== "call") return answer;
  const isExpected = (status: number | null | undefined): boolean =>
    expectedStatus === null ? status === null : status === Number(expectedStatus);
  const { times, every } = repetitionOf(step, session);
  for (let tried = 1; tried <= times; tried++) {
    if (isExpected(answer?.status) || !isToBeRepeated(step, answer?.status)) break;
    await client.control("POST /sandbox/clock/advance", { by: every });
    await client.settle();
    if (step.verb === "call" && answer?.status === 401) await client.renewToken(step.as);
    answer = await perform(step.verb === "call" ? againWithKey(step, session, tried) : step, session);
  }
  return answer;
}

function repetitionOf(step: CallStep | RequestStep, { repetition }: Session): Repetition {
  if (step.verb === "call") return { ...REPETITION, ...((step.retry ?? "none") === "none" && { times: 0 }) };
  if (step.repeat === 0) return { ...REPETITION, times: 0 };
  if (step.repeat !== undefined) return { ...REPETITION, ...step.repeat };
  return repetition ?? { ...REPETITION, times: 0 };
}

function isToBeRepeated({ verb }: CallStep | RequestStep, status: number | null | undefined): boolean {
  if (status === null || status === undefined || status >= 500) return true;
  return verb === "call" && (status === 429 || status === 401);
}

function againWithKey(step: CallStep, session: Session, tried: number): CallStep {
  if (step.retry !== "new-key" || operationNamed(step.call)?.idempotencyKey === undefined) return step;
  const source = `idempotency key of ${session.nameOf(step)}, repetition ${tried}`;
  return { ...step, key: seededChance(session.seed, source).uuid() };
}
