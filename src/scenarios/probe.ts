import { EVERY } from "../server/control/client.js";
import type { Difference } from "./expectation.ts";
import type { NamedState } from "../partner/states/naming.ts";
import type { ProbeSettings } from "./scenario.ts";
import { durationMs } from "../simulator/engine/instant.ts";
import { readProbe } from "../partner/partner-state.ts";
import { SETTLE_MS, settledState } from "../partner/settled-state.ts";
import { hasExpression } from "./expression.ts";
import { isRecord } from "../simulator/engine/json.ts";
import { readIgnoredPath, withoutIgnored, type IgnoredPath } from "../partner/states/ignored-paths.ts";
import { stateDifferences } from "../partner/states/comparison.ts";
import type { Session } from "./session.ts";
import type { StepClient } from "./step-client.ts";
import { StepFailure } from "./step-failure.ts";
import { isDeepStrictEqual } from "node:util";

/** Returns the wall time that a scenario leaves for work after the last answer. */
export function settleMsOf({ settle }: Pick<ProbeSettings, "settle"> = {}): number {
  return settle === undefined ? SETTLE_MS : durationMs(settle);
}

/** Finds the differences between the state at the end of a run and the expected state. */
export async function probeDifferences(probe: ProbeSettings, session: Session): Promise<Difference[]> {
  if (probe.state === undefined || probe.url === undefined) return [];
  if (session.world.receiver !== undefined) {
    throw new StepFailure(
      "The state of your system cannot be checked, because the webhooks went to the built-in receiver. Name your receiver with --receiver.",
    );
  }
  await rememberWorld(probe, session);
  const { url, state, ignore = [], unstable = [], unordered = [] } = probe;
  const paths = (await session.fill(ignore)).map(accepted);
  const named = new Set<string>();
  const expected = await filledState(state, session, named);
  const rules = { unstable: new Set(unstable), unordered: new Set(unordered), identities: new Set<string>() };
  const differencesTo = (found: unknown): ReturnType<typeof stateDifferences> => {
    const compared = (value: unknown): NamedState => withoutIgnored({ value, named }, paths);
    return stateDifferences(compared(expected), compared(found), rules);
  };
  const { wall, settleMs } = session;
  const address = await session.fill(url);
  const isEqual = (one: unknown, other: unknown): boolean =>
    isDeepStrictEqual(differencesTo(one), differencesTo(other));
  const settled = await settledState(() => readProbe(address, wall), {
    wall,
    distanceMs: () => settleMs,
    isEqual,
  });
  session.facts.shown = settled.state;
  return differencesTo(settled.state).map(({ path, baseline, found }) => ({
    path: path.replace(/^\$/, "probe"),
    expected: baseline,
    actual: found,
  }));
}

function accepted(path: string): IgnoredPath {
  const read = readIgnoredPath(path);
  if ("mistake" in read) throw new StepFailure(read.mistake);
  return read;
}

/** Fills the expressions of a state in, keys included, and notes the texts that come from expressions. */
async function filledState(state: unknown, session: Session, named: Set<string>): Promise<unknown> {
  const fill = async (text: string): Promise<unknown> => {
    const filled = await session.fill(text);
    if (hasExpression(text) && typeof filled === "string") named.add(filled);
    return filled;
  };
  if (typeof state === "string") return fill(state);
  if (Array.isArray(state)) return Promise.all(state.map((item) => filledState(item, session, named)));
  if (!isRecord(state)) return state;
  const entries = Object.entries(state).map(
    async ([key, item]) => [String(await fill(key)), await filledState(item, session, named)] as const,
  );
  return Object.fromEntries(await Promise.all(entries));
}

/**
 * Stores the values that `${world.…}` reads: the webhook events in the order of their announcement, and the objects of
 * collections.
 */
async function rememberWorld(probe: ProbeSettings, session: Session): Promise<void> {
  const text = JSON.stringify(probe);
  const events = text.includes("${world.events.")
    ? countedFromOne(await announcedEvents(session.client))
    : {};
  const collections = new Set(
    Array.from(text.matchAll(/\$\{world\.resources\.([\w-]+)\./g), ([, name = ""]) => name),
  );
  const resources: { [collection: string]: unknown } = {};
  for (const collection of collections) {
    const { data } = await session.client.ask("GET /sandbox/resources/{collection}", { collection });
    resources[collection] = countedFromOne(data);
  }
  session.save("world", { events, resources });
}

function countedFromOne(items: readonly unknown[]): { readonly [position: string]: unknown } {
  return Object.fromEntries(items.map((item, index) => [String(index + 1), item]));
}

/** Returns the bodies of the webhook events of a world, without copies, in the order of their announcement. */
async function announcedEvents(client: StepClient): Promise<unknown[]> {
  const { data } = await client.ask("GET /sandbox/deliveries", { last: EVERY });
  return data
    .filter(({ duplicateOf }) => duplicateOf === null)
    .map(({ body }) => JSON.parse(body) as unknown);
}
