import type { Probe } from "./probe.ts";
import type { WebhookEvent } from "./event-source.ts";
import { forward, openProxy } from "../proxy.ts";
import { at, isRecord } from "../../engine/json.ts";
import type { Wall } from "../wall.ts";

/** The header of an answer with the outcome of an event. */
export const OUTCOME_HEADER = "x-sandbox-outcome";

/**
 * Counts the effects of events on a receiver, observed from outside. The count comes from its own calls to the sandbox,
 * from the counts of its probe, or from the outcomes in its answers. Without any of them the count is unknown. The
 * checks themselves compare the state that the probe shows.
 */
export class SideEffects {
  /** The partner's calls to the sandbox, if they pass through the check. */
  readonly calls: ObservedCalls | undefined;
  readonly probe: Probe | undefined;
  readonly #settleMs: number;
  readonly #wall: Wall;

  /** `settleMs` is the wall time that work after the answer may take. */
  constructor({
    wall,
    calls,
    probe,
    settleMs,
  }: {
    readonly wall: Wall;
    readonly calls?: ObservedCalls;
    readonly probe?: Probe;
    readonly settleMs: number;
  }) {
    this.calls = calls;
    this.probe = probe;
    this.#settleMs = settleMs;
    this.#wall = wall;
  }

  /** The number of calls with a change so far. */
  get writes(): number {
    return this.calls?.writes ?? 0;
  }

  /**
   * Returns the number of times that an event took effect since, and how it was observed. `writesBefore` is the number
   * of calls with a change before the event. Undefined if it cannot be counted.
   */
  async since(
    writesBefore: number,
    event: WebhookEvent,
    outcomes: readonly (string | undefined)[],
  ): Promise<{ readonly count: number; readonly by: string } | undefined> {
    const { calls, probe } = this;
    if (probe === undefined && calls !== undefined) await this.#wall.pause(this.#settleMs);
    const probed = probe && countIn(await probe.settled(), event.ids);
    if (probed !== undefined) return { count: probed, by: "its probe" };
    const named = outcomes.filter((outcome) => outcome !== undefined);
    if (named.length > 0) {
      const processed = named.filter((outcome) => outcome === "processed");
      return { count: processed.length, by: `its header ${OUTCOME_HEADER}` };
    }
    if (calls === undefined || calls.writes === 0) return undefined;
    return { count: calls.writes - writesBefore, by: "its calls to the sandbox" };
  }
}

/** Returns the number under one of the ids in the object `processed`. 0 without an entry. */
function countIn(state: unknown, ids: readonly string[]): number | undefined {
  const processed = at(state, "processed");
  if (!isRecord(processed)) return undefined;
  const counts = ids.map((id) => processed[id]).filter((count) => typeof count === "number");
  return Math.max(0, ...counts);
}

/** The calls of a partner to the sandbox, which can be made to fail. */
export interface ObservedCalls extends AsyncDisposable {
  readonly url: string;
  /** The number of calls with a change. A replay of an idempotent call does not count. */
  readonly writes: number;
  /** The number of all calls. */
  readonly count: number;
  /** While it is true every call is answered with 503. */
  isFailing: boolean;
}

/** Listens at the port that the partner's receiver calls, forwards its calls to the sandbox and counts them. */
export async function observeCalls(target: string, port: number): Promise<ObservedCalls> {
  const calls = { writes: 0, count: 0, isFailing: false };
  const proxy = await openProxy({
    port,
    answer: async (request, body, response) => {
      calls.count += 1;
      if (calls.isFailing) {
        response.writeHead(503, { "content-type": "application/json", "retry-after": "1" });
        response.end('{"error":"INTERNAL_ERROR","message":"Unavailable for a moment","details":[]}');
        return;
      }
      const { status, headers, bytes } = await forward(target, request, body);
      const isRead = request.method === "GET" || request.method === "HEAD";
      const isWrite = !isRead && !request.url?.includes("oauth2");
      if (isWrite && status < 300 && headers["idempotency-replayed"] === undefined) calls.writes += 1;
      response.writeHead(status, headers).end(bytes);
    },
    onError: (_error, response) => response.destroy(),
  });
  return Object.assign(calls, { url: proxy.url, [Symbol.asyncDispose]: () => proxy[Symbol.asyncDispose]() });
}
