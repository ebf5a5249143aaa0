import { accessTokens } from "../platform/companies/access-token.ts";
import type { LoggedRequest } from "../api/generated/shapes.ts";
import { DURATION_MS, type JournalEntry, type JournalNote } from "../engine/journal.ts";
import type { Simulation } from "../engine/simulation.ts";
import { type RequestInput, UNKNOWN_PATH, type WorldInput } from "./inbound-request.ts";
import { loggedHeaders, loggedPath, loggedText } from "./masking.ts";
import { faults } from "../platform/faults/fault.ts";
import { formatInstant, type Instant } from "../engine/instant.ts";
import { atOnce } from "../../base/long-work.ts";

/** Requests that the log shows, the newest. */
const REQUESTS_MAX = 1_000;

/**
 * Returns the last API calls of a world, newest last, including refused calls. They are read from the journal: a
 * reset empties the log, a restore brings back the log of its snapshot, and a fork begins with the log of its origin.
 * Calls that changed nothing do not survive a restart. Tokens, secrets and card numbers are masked.
 */
export function loggedRequests(world: Pick<Simulation, "journal">): LoggedRequest[] {
  return lastCalls(world).map(requestShape);
}

/** Returns a call as the log shows it, with masked secrets. */
export function requestShape({
  id,
  at,
  operation,
  input,
  entry,
  after,
  isCarriedOut,
}: JournaledCall): LoggedRequest {
  const { method, path, company, status, text, answer } = input;
  return {
    id,
    at: formatInstant(at),
    method,
    path: loggedPath(path),
    operationId: operation,
    company,
    status: status ?? null,
    durationMs: input[DURATION_MS] ?? null,
    requestHeaders: loggedHeaders(input.headers),
    requestBody: text === undefined ? null : loggedText(text),
    responseHeaders: input.answerHeaders === undefined ? {} : { ...input.answerHeaders, "x-request-id": id },
    responseBody: answer === undefined ? null : loggedText(answer),
    injected: input.injected ?? [],
    entry,
    ...(after !== null && { after }),
    ...(isCarriedOut && (status ?? 500) >= 400 && { carriedOut: true as const }),
  };
}

/** A call of the platform API, as the journal keeps it. */
export interface JournaledCall {
  /** The x-request-id of the call. */
  readonly id: string;
  readonly at: Instant;
  /** Null if the API has no such path. */
  readonly operation: string | null;
  readonly input: RequestInput;
  /** The journal entry of its first change. */
  readonly entry: number | null;
  /** The entry before a call without an entry; null for any other. */
  readonly after: number | null;
  /** True if its operation changed something, even if a fault dropped the answer. */
  readonly isCarriedOut: boolean;
}

/** The last calls of a world, newest last. */
export function lastCalls(world: Pick<Simulation, "journal">): JournaledCall[] {
  return [...newestCalls(world)].reverse();
}

/** Yields the last calls of a world, newest first. */
export function* newestCalls({ journal }: Pick<Simulation, "journal">): Generator<JournaledCall> {
  let count = 0;
  // A fault that touches a call is the first change of its request, and the operation is a further command.
  const continued = new Map<string, number>();
  for (const one of journal.newestFirst(atOnce(journal.numbersWith("call", callWords)))) {
    const { name, by, input: given } = one.cause;
    if (by !== "call") continue;
    const hasWorked = "number" in one && one.changes.some(isWork);
    if (given?.kind === "continued" && hasWorked) continued.set(name, (continued.get(name) ?? 0) + 1);
    const input = requestOf(one);
    if (input === undefined) continue;
    const open = continued.get(name) ?? 0;
    const isContinued = !hasWorked && "number" in one && open > 0;
    if (isContinued) continued.set(name, open - 1);
    yield {
      id: input.requestId,
      at: one.at,
      operation: name === UNKNOWN_PATH ? null : name,
      input,
      entry: "number" in one ? one.number : null,
      after: "number" in one ? null : one.after,
      isCarriedOut: hasWorked || isContinued,
    };
    if (++count === REQUESTS_MAX) return;
  }
}

/** Returns the word `call` if an entry comes from a call. */
function callWords({ cause }: JournalEntry): string | readonly string[] {
  return cause.by === "call" ? "call" : [];
}

/**
 * Returns true if a change is work that the call asked for. A used fault is not such work, nor is the end of the
 * token of its call.
 */
function isWork({ collection, before }: JournalEntry["changes"][number]): boolean {
  const isOfFault = collection === faults.name || (collection === accessTokens.name && before !== undefined);
  return !isOfFault;
}

/** The call of the platform API that a command of the journal came from; undefined if it came from elsewhere. */
export function requestOf({ cause }: JournalEntry | JournalNote): RequestInput | undefined {
  const input = cause.input as WorldInput | undefined;
  return cause.by === "call" && input?.kind === "request" ? input : undefined;
}
