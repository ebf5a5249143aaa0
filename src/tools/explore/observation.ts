import type { Baseline } from "./baseline.ts";
import type { Exploration } from "./exploration.ts";
import type { ExploredReceiver } from "./receiver.ts";
import type { Observation } from "./causes.ts";
import type { Played } from "./play.ts";
import { readProbe, stateOf } from "../oracle/probe.ts";
import { settleOf } from "./sight.ts";

interface ObserveOptions {
  readonly exploration: Exploration;
  readonly receiver: ExploredReceiver;
  readonly baseline: Baseline;
}

/**
 * Plays a schedule once more and looks at the state after every exchange. Undefined where the probe cannot be read on
 * the way, because its URL names what a step saves.
 */
export async function observe(
  play: () => Promise<Played>,
  { exploration, receiver, baseline }: ObserveOptions,
): Promise<Observation[] | undefined> {
  const { probe, scenario, reset, wall } = exploration;
  const url = typeof probe === "string" ? probe : (scenario.probe?.url ?? "");
  if (typeof probe !== "function" && (url === "" || url.includes("${"))) return undefined;
  const settleMs = settleOf(exploration);
  const glance = (): Promise<unknown> =>
    (typeof probe === "function" ? stateOf(probe, wall) : readProbe(url, wall)).catch(() => undefined);
  const glances: { bodies: string[]; isAcknowledged: boolean; before: unknown; after: unknown }[] = [];
  receiver.watch = async () => {
    // The steps since the last exchange change the state too.
    const before = await glance();
    return async (exchange) => {
      await wall.pause(settleMs);
      glances.push({
        bodies: exchange.map(({ request }) => Buffer.from(request.body).toString("utf8")),
        isAcknowledged: exchange.every(({ result }) => result.error === null || result.error === "reset"),
        before,
        after: await glance(),
      });
    };
  };
  try {
    await reset?.();
    const played = await play();
    const byBody = new Map(Array.from(baseline.identified(played), ([{ body }, { index }]) => [body, index]));
    return glances.map(({ bodies, isAcknowledged, before, after }) => {
      const changes = baseline.changes(baseline.name(played, before), baseline.name(played, after));
      return {
        events: bodies.map((body) => byBody.get(body) ?? null),
        isAcknowledged,
        hasEffect: changes.length > 0,
        changes,
      };
    });
  } finally {
    receiver.watch = undefined;
  }
}
