import type { Answer } from "../partner/partner-request.ts";
import type { Session } from "./session.ts";
import type { Lint, LoggedRequest } from "../../api/generated/shapes.ts";
import type { RequestStep } from "./scenario.ts";
import { wallTimeLints } from "./wall-time.ts";
import { callsOfStep, newestCalls } from "./refused-calls.ts";
import { isRefusal } from "../../control/client.js";

/** Sends a request to the partner's system, and notes if it is accepted although the platform refused its call. */
export async function answerWithLints(
  step: RequestStep,
  session: Session,
  send: () => Promise<Answer>,
): Promise<Answer> {
  const { client, facts, isLinted } = session;
  if (!isLinted) return send();
  facts.lastCallId = (await newestCalls(client, 1)).at(-1)?.id;
  const answer = await send();
  if (answer.status === null || answer.status >= 300) return answer;
  const own = await callsOfStep(session);
  const isDone = ({ status, carriedOut }: LoggedRequest): boolean =>
    carriedOut === true || (status ?? 500) < 400;
  const refused = own.filter((call) => isRefusal(call.status) && !isDone(call));
  for (const { id, operationId, status } of refused) {
    if (own.some((other) => other.operationId === operationId && isDone(other))) continue;
    facts.lints.push({
      lint: "refused-but-accepted",
      message: `${step.request} was answered with ${answer.status} although its ${operationId ?? "call"} was refused with ${status}.`,
      fix: "Pass the refusal on to your caller, or answer 202 before you call and report the outcome later.",
      operation: operationId,
      requests: [id],
    });
  }
  return answer;
}

/** Finds suspicious calls that the partner's system made in this session. */
export async function lintsIn(session: Session): Promise<readonly Lint[]> {
  const isAlone = session.scenario.steps.every(({ verb }) => verb !== "request");
  if (!session.isLinted || (isAlone && session.world.receiver !== undefined)) return [];
  // A sandbox that is gone has failed the scenario already.
  const { data } = await session.client.ask("GET /sandbox/lints").catch(() => ({ data: [] }));
  return [...data, ...session.facts.lints, ...(await wallTimeLints(session))];
}

/** Writes a finding in lines for a person. */
export function lintLines({ lint, message, fix, requests }: Lint): string[] {
  const named = requests.length === 0 ? "" : ` (requests ${requests.slice(0, 4).join(", ")})`;
  return [`${lint}: ${message}${named}`, `  ${fix}`];
}

/**
 * Collects the findings of several runs: the first of each lint and operation. A finding without an operation is always
 * kept.
 */
export class FirstLints {
  readonly #found = new Map<string, Lint>();

  /** Adds those of a run, with a sentence about the run. */
  add(lints: readonly Lint[], about = ""): void {
    for (const one of lints) {
      const key = `${one.lint} ${one.operation ?? one.message}`;
      if (!this.#found.has(key)) this.#found.set(key, { ...one, message: one.message + about });
    }
  }

  /** A field of a report. Absent without findings. */
  get found(): { readonly lints?: readonly Lint[] } {
    return this.#found.size === 0 ? {} : { lints: [...this.#found.values()] };
  }
}
