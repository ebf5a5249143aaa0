import type { WebhookEvent } from "./event-source.ts";
import { Agent, fetch } from "undici";
import { forward, openProxy } from "./proxy.ts";
import { isRecord } from "../engine/json.ts";
import { jsonOf } from "./event-source.ts";
import { setTimeout as pause } from "node:timers/promises";

/** The header in which a receiver may report what it did with an event. */
export const OUTCOME_HEADER = "x-sandbox-outcome";

export interface EffectsOptions {
  /** The partner's calls to the sandbox, where they pass through the check. */
  readonly calls?: ObservedCalls;
  /** Where the receiver returns its state as JSON. */
  readonly probeUrl?: string;
  /** Wall time that work after the answer may take. */
  readonly settleMs: number;
}

/** How often something was done, and how that was observed. */
export interface EffectCount {
  readonly count: number;
  readonly by:
    "its calls to the sandbox" | "its probe" | "its answers" | `its header ${typeof OUTCOME_HEADER}`;
}

/** The state before events are sent, for comparison with the state afterwards. */
export interface Before {
  readonly writes: number;
}

/**
 * What a receiver did with events, observed from outside: by its own calls to the sandbox, by its probe, or by
 * the outcomes that its answers name. Without any of them the effects are unknown.
 */
export class Effects {
  readonly calls: ObservedCalls | undefined;
  readonly #probeUrl: string | undefined;
  readonly #settleMs: number;

  constructor({ calls, probeUrl, settleMs }: EffectsOptions) {
    this.calls = calls;
    this.#probeUrl = probeUrl;
    this.#settleMs = settleMs;
  }

  before(): Before {
    return { writes: this.calls?.writes ?? 0 };
  }

  /** How often an event took effect since; undefined where that cannot be observed. */
  async since(
    before: Before,
    event: WebhookEvent,
    outcomes: readonly (string | undefined)[],
  ): Promise<EffectCount | undefined> {
    const { calls } = this;
    if (calls !== undefined || this.#probeUrl !== undefined) await pause(this.#settleMs);
    const probed = countIn(await this.#probe(), event.ids);
    if (probed !== undefined) return { count: probed, by: "its probe" };
    const named = outcomes.filter((outcome) => outcome !== undefined);
    if (named.length > 0) {
      const processed = named.filter((outcome) => outcome === "processed");
      return { count: processed.length, by: `its header ${OUTCOME_HEADER}` };
    }
    if (calls === undefined || calls.writes === 0) return undefined;
    return { count: calls.writes - before.writes, by: "its calls to the sandbox" };
  }

  /**
   * What the receiver stores about the object of these events, without the values that belong to this object
   * alone: ids, codes and times. Undefined where there is no probe.
   */
  async stateOf(events: readonly WebhookEvent[]): Promise<string | undefined> {
    if (this.#probeUrl === undefined) return undefined;
    await pause(this.#settleMs);
    const ids = events.flatMap((event) => event.ids);
    const state = stateIn(await this.#probe(), ids);
    if (state === undefined) return undefined;
    const own = [...new Set(events.flatMap((event) => ownValues(jsonOf(event))))].sort(
      (left, right) => right.length - left.length,
    );
    return own.reduce((text, value) => text.replaceAll(value, "…"), JSON.stringify(state));
  }

  /** The JSON of the probe; undefined where there is no probe, or it does not answer. */
  async #probe(): Promise<unknown> {
    if (this.#probeUrl === undefined) return undefined;
    try {
      return await (await fetchOnce(this.#probeUrl, { timeoutMs: 10_000 })).json();
    } catch {
      return undefined;
    }
  }
}

const singleUse = new Agent({ pipelining: 0 });

/**
 * One request over a separate connection. A connection from a pool may be closed by the receiver at the very
 * moment of its reuse, and the request would fail for a reason that is not the receiver's.
 */
export function fetchOnce(
  url: string,
  {
    timeoutMs,
    ...init
  }: { readonly timeoutMs: number; readonly method?: string; readonly redirect?: "manual" },
): ReturnType<typeof fetch> {
  return fetch(url, { ...init, dispatcher: singleUse, signal: AbortSignal.timeout(timeoutMs) });
}

/** The strings that belong to one object alone: ids, codes and times have digits and are long. */
function ownValues(value: unknown): string[] {
  if (typeof value === "string") return value.length >= 8 && /\d/.test(value) ? [value] : [];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(ownValues) : [];
}

/** The number under one of the ids in the object `processed`; 0 where it has no entry. */
function countIn(state: unknown, ids: readonly string[]): number | undefined {
  const processed = isRecord(state) ? state["processed"] : undefined;
  if (!isRecord(processed)) return undefined;
  const counts = ids.map((id) => processed[id]).filter((count) => typeof count === "number");
  return Math.max(0, ...counts);
}

/** The value under one of the ids, outside `processed`. */
function stateIn(state: unknown, ids: readonly string[]): unknown {
  if (Array.isArray(state)) {
    const found: unknown = state.find((item) => isRecord(item) && ids.includes(String(item["id"])));
    return found ?? state.map((item) => stateIn(item, ids)).find((one) => one !== undefined);
  }
  if (!isRecord(state)) return undefined;
  const key = ids.find((id) => Object.hasOwn(state, id));
  if (key !== undefined) return state[key];
  return Object.entries(state)
    .filter(([name]) => name !== "processed")
    .map(([, inner]) => stateIn(inner, ids))
    .find((one) => one !== undefined);
}

/** The calls of a partner to the sandbox, which can be made to fail. */
export interface ObservedCalls extends AsyncDisposable {
  readonly url: string;
  /** How many calls changed something: a replay of an idempotent call does not count. */
  readonly writes: number;
  /** How many calls came in, of any kind. */
  readonly count: number;
  /** While it is true every call is answered with 503. */
  isFailing: boolean;
}

/** Listens where the partner's receiver calls the sandbox, forwards its calls and counts them. */
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
