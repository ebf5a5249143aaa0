import type { LoggedRequest } from "../simulator/api/generated/shapes.ts";
import { isRecord, listAt, parsed, textAt } from "../simulator/engine/json.ts";
import { OWN_AGENT } from "../server/control/client.js";
import { isRefusal } from "../simulator/api/lints.ts";
import type { Session } from "./session.ts";
import type { StepClient } from "./step-client.ts";

/** A call of the partner's system that the platform refused during a step. */
export interface RefusedCall {
  readonly call: string;
  readonly status: number | null;
  /** The whole answer of the platform. */
  readonly answer: unknown;
}

/** The maximum number of read calls of one `request` step, the newest first. */
const CALLS_MAX = 100;

/** Returns the newest calls of the partner's system, the newest last. */
export async function newestCalls(client: StepClient, limit = CALLS_MAX): Promise<LoggedRequest[]> {
  const { data } = await client.ask("GET /sandbox/requests", { limit });
  return data.filter(({ requestHeaders }) => requestHeaders["user-agent"] !== OWN_AGENT);
}

/** Returns the calls of the partner's system since the `request` step began. */
export async function callsOfStep({
  client,
  facts,
}: Pick<Session, "client" | "facts">): Promise<LoggedRequest[]> {
  const newest = await newestCalls(client);
  return newest.slice(newest.findIndex(({ id }) => id === facts.lastCallId) + 1);
}

/** Returns the calls of the last step that the platform refused. Empty if the log cannot be read. */
export async function refusedCalls(session: Session): Promise<RefusedCall[]> {
  const own = await callsOfStep(session).catch(() => []);
  return own
    .filter(({ status, carriedOut }) => isRefusal(status) && carriedOut !== true)
    .map(({ method, path, status, responseBody }) => ({
      call: `${method} ${path}`,
      status,
      answer: parsed(responseBody ?? ""),
    }));
}

const DAY_MS = 86_400_000;

/** Says which dates differ, if the platform refused dates and the system lives on another day than the sandbox. */
export async function datesRemark(
  session: Session,
  refused: readonly RefusedCall[],
): Promise<string | undefined> {
  const isAboutDates = refused.some(({ answer }) =>
    listAt(answer, "details").some((detail) => /date|expir|[a-z]At$/i.test(textAt(detail, "field") ?? "")),
  );
  if (!isAboutDates) return undefined;
  const now = await session.client.now().catch(() => undefined);
  const wallMs = session.wall.date();
  if (now === undefined || Math.abs(Date.parse(now) - wallMs) <= DAY_MS) return undefined;
  const wall = new Date(wallMs).toISOString().slice(0, 10);
  return `The sandbox's date is ${now.slice(0, 10)}, and the date of this machine is ${wall}. Write \`start: now\` if your system uses the wall clock, or let it follow the sandbox's clock (docs/one-clock.md).`;
}

/** Describes refused calls in lines for a person. */
export function refusedLines(refused: readonly RefusedCall[]): string[] {
  return refused.flatMap(({ call, status, answer }) => [
    `  ${call} was answered with ${status}:`,
    ...(isRecord(answer) || Array.isArray(answer) ? JSON.stringify(answer, null, 2) : String(answer))
      .split("\n")
      .map((line) => `    ${line}`),
  ]);
}
