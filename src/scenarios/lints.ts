import type { Answer } from "../partner/partner-request.ts";
import type { Session } from "./session.ts";
import type { Lint, LoggedRequest } from "../simulator/api/generated/shapes.ts";
import { type RequestStep, asksPartner } from "./scenario.ts";
import { callsOfStep, newestCalls } from "./refused-calls.ts";
import { OWN_AGENT } from "../server/control/client.js";
import { isRefusal } from "../simulator/api/lints.ts";
import { isRecord, parsed } from "../simulator/engine/json.ts";
import { parseInstant } from "../simulator/engine/instant.ts";
import { segmentOf } from "../partner/states/comparison.ts";

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
  const isAlone = !session.scenario.steps.some(asksPartner);
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

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** More findings do not help anyone. */
const FOUND_MAX = 5;

/**
 * Finds times of the wall clock in the state and calls of a system that follows the clock of the sandbox. These are
 * instants within a minute of the session, while the world is more than a day away. Empty without a follower.
 */
async function wallTimeLints(session: Session): Promise<Lint[]> {
  const none = (): { data: [] } => ({ data: [] });
  const [follower] = (await session.client.ask("GET /sandbox/clock/followers").catch(none)).data;
  const endMs = session.wall.date();
  if (follower === undefined || Math.abs(Date.parse(follower.now) - endMs) <= DAY_MS) return [];
  const range = { first: session.facts.startedMs - MINUTE_MS, last: endMs + MINUTE_MS };
  const { data: calls } = await session.client.ask("GET /sandbox/requests").catch(none);
  const bodies = calls
    .filter(({ requestHeaders }) => requestHeaders["user-agent"] !== OWN_AGENT)
    .map(({ id, operationId, requestBody }) => ({
      id,
      operation: operationId,
      value: parsed(requestBody ?? ""),
    }));
  const found = [{ id: undefined, operation: null, value: session.facts.shown }, ...bodies].flatMap(
    ({ id, operation, value }) =>
      pathsOf(value, range).map((path): Lint => ({
        lint: "wall-time",
        message: `${path} is wall time. Does the database set it?`,
        fix: "Pass the time of your program, as docs/one-clock.md describes.",
        operation,
        requests: id === undefined ? [] : [id],
      })),
  );
  const first = new Map(found.map((lint) => [`${lint.operation} ${lint.message}`, lint]));
  return [...first.values()].slice(0, FOUND_MAX);
}

/** Finds the JSON paths of instants in a range: timestamps, and milliseconds since the epoch. */
function pathsOf(
  value: unknown,
  range: { readonly first: number; readonly last: number },
  path = "$",
): string[] {
  if (Array.isArray(value))
    return value.flatMap((item, index) => pathsOf(item, range, path + segmentOf(index)));
  if (isRecord(value))
    return Object.entries(value).flatMap(([key, item]) => pathsOf(item, range, path + segmentOf(key)));
  const instant = typeof value === "string" ? instantOf(value) : value;
  return typeof instant === "number" && instant >= range.first && instant <= range.last ? [path] : [];
}

/** Reads an instant. A database writes a timestamp with a space, and may leave the offset out. */
function instantOf(text: string): number | undefined {
  if (!/^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}/.test(text)) return undefined;
  return parseInstant(text) ?? parseInstant(`${text}Z`);
}
