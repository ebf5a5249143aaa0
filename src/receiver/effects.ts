import type { ObservedCalls } from "./observed-calls.ts";
import type { WebhookEvent } from "./webhook-event.ts";
import { jsonOf } from "./webhook-event.ts";
import { setTimeout as pause } from "node:timers/promises";

/** The header by which a receiver may tell what it did with an event. */
export const OUTCOME_HEADER = "x-sandbox-outcome";

export interface EffectsOptions {
  /** The partner's calls to the sandbox, where they come through the check. */
  readonly calls?: ObservedCalls;
  /** Where the receiver tells its state as JSON. */
  readonly probeUrl?: string;
  /** How long work after the answer may go on. */
  readonly settleMs: number;
}

/** How often something was done, and who says so. */
export interface EffectCount {
  readonly count: number;
  readonly by:
    "its calls to the sandbox" | "its probe" | "its answers" | `its header ${typeof OUTCOME_HEADER}`;
}

/** What was seen before events are sent, to hold against what is seen afterwards. */
export interface Before {
  readonly writes: number;
}

/**
 * What a receiver did with events, seen from outside: by its own calls to the sandbox, by its probe, or by what
 * its answers tell. Where there is none of them nobody can say.
 */
export class Effects {
  readonly #options: EffectsOptions;

  constructor(options: EffectsOptions) {
    this.#options = options;
  }

  before(): Before {
    return { writes: this.#options.calls?.writes ?? 0 };
  }

  /** How often an event took effect since; undefined where nothing tells. */
  async since(
    before: Before,
    event: WebhookEvent,
    outcomes: readonly (string | undefined)[],
  ): Promise<EffectCount | undefined> {
    const { calls, probeUrl, settleMs } = this.#options;
    if (calls !== undefined || probeUrl !== undefined) await pause(settleMs);
    const probed = probeUrl === undefined ? undefined : countIn(await this.probe(), event.ids);
    if (probed !== undefined) return { count: probed, by: "its probe" };
    const told = outcomes.filter((outcome) => outcome !== undefined);
    if (told.length > 0) {
      return {
        count: told.filter((outcome) => outcome === "processed").length,
        by: `its header ${OUTCOME_HEADER}`,
      };
    }
    if (calls === undefined || calls.writes === 0) return undefined;
    return { count: calls.writes - before.writes, by: "its calls to the sandbox" };
  }

  /**
   * What the receiver knows of the object of these events, without what is the object's own: ids, codes and
   * times. Undefined where there is no probe.
   */
  async stateOf(events: readonly WebhookEvent[]): Promise<string | undefined> {
    const ids = events.flatMap((event) => event.ids);
    const { probeUrl, settleMs } = this.#options;
    if (probeUrl === undefined) return undefined;
    await pause(settleMs);
    const state = stateIn(await this.probe(), ids);
    if (state === undefined) return undefined;
    const own = [...new Set(events.flatMap((event) => ownValues(jsonOf(event))))].sort(
      (left, right) => right.length - left.length,
    );
    return own.reduce((text, value) => text.replaceAll(value, "…"), JSON.stringify(state));
  }

  async probe(): Promise<unknown> {
    const { probeUrl } = this.#options;
    if (probeUrl === undefined) return undefined;
    try {
      const response = await fetch(probeUrl, { signal: AbortSignal.timeout(10_000) });
      return await response.json();
    } catch {
      // A probe that does not answer tells nothing, which is what the checks then say.
      return undefined;
    }
  }
}

/** The texts that belong to one object alone: ids, codes and times have digits and are long. */
function ownValues(value: unknown): string[] {
  if (typeof value === "string") return value.length >= 8 && /\d/.test(value) ? [value] : [];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(ownValues) : [];
}

/** The number that stands under one of the ids below `processed`, wherever that is; 0 where it has no entry. */
function countIn(state: unknown, ids: readonly string[]): number | undefined {
  const processed = isObject(state) ? state["processed"] : undefined;
  if (!isObject(processed)) return undefined;
  const counts = ids.map((id) => processed[id]).filter((count) => typeof count === "number");
  return Math.max(0, ...counts);
}

/** What stands under one of the ids, outside `processed`. */
function stateIn(state: unknown, ids: readonly string[]): unknown {
  if (Array.isArray(state)) {
    const found: unknown = state.find((item) => isObject(item) && ids.includes(String(item["id"])));
    return found ?? state.map((item) => stateIn(item, ids)).find((one) => one !== undefined);
  }
  if (!isObject(state)) return undefined;
  const key = ids.find((id) => Object.hasOwn(state, id));
  if (key !== undefined) return state[key];
  return Object.entries(state)
    .filter(([name]) => name !== "processed")
    .map(([, inner]) => stateIn(inner, ids))
    .find((one) => one !== undefined);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
