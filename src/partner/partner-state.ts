import { CommandFailure } from "../base/failures.ts";
import { sendRequest } from "./partner-request.ts";
import { type Wall, within } from "../base/wall.ts";

const TIMEOUT_MS = 10_000;

const LATE = Symbol("late");

/** The readings of a partner's state. Each rejects with a `CommandFailure` if the state is unreadable. */
export interface Reading {
  readonly read: () => Promise<unknown>;
  /** Reads the state at rest. */
  readonly settled: () => Promise<unknown>;
}

/** Reads the state that a function of this process shows, as JSON. */
export async function stateOf(probe: () => unknown, wall: Wall): Promise<unknown> {
  try {
    const state = await within(async () => probe(), { ms: TIMEOUT_MS, late: LATE, wall });
    if (state === LATE) throw new Error(`no answer within ${TIMEOUT_MS} ms`);
    const text = JSON.stringify(state) as string | undefined;
    if (text !== undefined) return JSON.parse(text) as unknown;
  } catch (error) {
    throw new CommandFailure(`Failed to read the probe: it threw ${String(error)}. Correct the function.`);
  }
  throw new CommandFailure(
    "Failed to read the probe: it returned a value that JSON cannot hold. Return JSON data.",
  );
}

/** Reads the state at a URL: a GET that has to answer 2xx with JSON. Rejects with a `CommandFailure`. */
export async function readProbe(url: string, wall: Wall): Promise<unknown> {
  const { status, headers, body } = await sendRequest({ method: "GET", url, timeoutMs: TIMEOUT_MS, wall });
  const fail = (found: string): never => {
    throw new CommandFailure(
      `Failed to read the probe ${url}: ${found}. Name a URL that answers GET with 200 and JSON.`,
    );
  };
  if (status === null) return fail(`no answer came (${String(body)})`);
  if (status < 200 || status > 299) return fail(`it was answered with ${status}`);
  const isJson = body !== undefined && (typeof body !== "string" || isJsonText(headers));
  return isJson ? body : fail("the answer is not JSON");
}

/** Returns true if the answer says that its text is JSON. */
function isJsonText(headers: Readonly<Record<string, string>>): boolean {
  return /\bjson\b/.test(headers["content-type"] ?? "");
}
