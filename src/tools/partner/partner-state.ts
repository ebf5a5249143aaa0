import { CommandFailure } from "../../process/failures.ts";
import { isDeepStrictEqual } from "node:util";
import { sendRequest } from "./partner-request.ts";
import { type Wall, within } from "../wall.ts";

const TIMEOUT_MS = 10_000;

const LATE = Symbol("late");

/** The wall time for work after the last answer, if the user does not name it. */
export const SETTLE_MS = 200;

/** The maximum number of readings of a changing probe. */
const READS_MAX = 10;

/** How the state of a partner's system is read, and how long its work takes. */
export interface Reading {
  readonly read: () => Promise<unknown>;
  readonly settleMs: number;
  readonly wall: Wall;
  /** Reads the state at rest, if the caller knows more about that moment. */
  readonly settled?: () => Promise<unknown>;
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

/** A state that was read at rest. */
export interface SettledState {
  readonly state: unknown;
  /** The previous reading, if the state still moved after all readings. */
  readonly before?: unknown;
}

/**
 * Reads a state until two readings are equal, each after some wall time. `isEqual` says whether two readings are.
 */
export async function settledState(
  read: () => Promise<unknown>,
  { settleMs, wall, isEqual = isDeepStrictEqual, readsMax = READS_MAX }: SettleOptions,
): Promise<SettledState> {
  await wall.pause(settleMs);
  let before = await read();
  for (let reads = 1; reads < readsMax; reads++) {
    await wall.pause(settleMs);
    const state = await read();
    if (isEqual(before, state)) return { state };
    if (reads === readsMax - 1) return { state, before };
    before = state;
  }
  return { state: before };
}

interface SettleOptions {
  readonly wall: Wall;
  readonly settleMs: number;
  readonly isEqual?: (one: unknown, other: unknown) => boolean;
  /** The most readings. A single reading cannot show if the state is at rest. */
  readonly readsMax?: number | undefined;
}

/** The pause between two readings of a state that is expected to change. */
const POLL_MS = 20;

/** Reads a state until it has changed, or until the time is over, and then until two readings are equal. */
export async function changedState(
  read: () => Promise<unknown>,
  { before, settleMs, wall }: { readonly before: unknown; readonly settleMs: number; readonly wall: Wall },
): Promise<unknown> {
  const endMs = wall.now() + settleMs;
  let state = await read();
  while (isDeepStrictEqual(before, state) && wall.now() < endMs) {
    await wall.pause(POLL_MS);
    state = await read();
  }
  if (isDeepStrictEqual(before, state)) return state;
  return (await settledState(read, { settleMs: Math.min(POLL_MS, settleMs), wall })).state;
}
