import type { LoggedRequest } from "../api/generated/shapes.ts";
import type { JournalEntry, JournalNote } from "../engine/journal.ts";
import type { ShownWorld } from "./shown-world.ts";
import { DURATION_MS, type RequestInput, UNKNOWN_PATH } from "./inbound-request.ts";
import { loggedHeaders, loggedPath, loggedText } from "./masking.ts";
import { formatInstant } from "../engine/instant.ts";

/** Requests that the log shows, the newest. */
const REQUESTS_MAX = 1_000;

/**
 * The last calls of the interface in a world, newest last, refused ones included. They are read from the journal, so a
 * reset empties the log, a restore brings back that of its snapshot, and a fork begins with that of its origin. What
 * changed nothing does not survive a restart. Tokens, secrets and card numbers are masked.
 */
export function loggedRequests({ journal }: ShownWorld): LoggedRequest[] {
  const found: LoggedRequest[] = [];
  for (const one of journal.newestFirst()) {
    const input = requestOf(one);
    if (input === undefined) continue;
    found.push(loggedRequest(one, input));
    if (found.length === REQUESTS_MAX) break;
  }
  return found.reverse();
}

/** The call of the interface that a command of the journal came from; undefined if it came from elsewhere. */
export function requestOf({ cause }: JournalEntry | JournalNote): RequestInput | undefined {
  return cause.by === "call" && cause.input?.kind === "request" ? (cause.input as RequestInput) : undefined;
}

function loggedRequest(one: JournalEntry | JournalNote, input: RequestInput): LoggedRequest {
  const { at, cause } = one;
  const { requestId, method, path, company, status, text, answer } = input;
  return {
    id: requestId,
    at: formatInstant(at),
    method,
    path: loggedPath(path),
    operationId: cause.name === UNKNOWN_PATH ? null : cause.name,
    company,
    status: status ?? null,
    durationMs: input[DURATION_MS] ?? null,
    requestHeaders: loggedHeaders(input.headers),
    requestBody: text === undefined ? null : loggedText(text),
    responseHeaders:
      input.answerHeaders === undefined ? {} : { ...input.answerHeaders, "x-request-id": requestId },
    responseBody: answer === undefined ? null : loggedText(answer),
    injected: input.injected ?? [],
    entry: "number" in one ? one.number : null,
  };
}
