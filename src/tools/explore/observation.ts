import type { Baseline } from "./baseline.ts";
import type { Reaction } from "./reactions.ts";
import { bodyOf, KILLED, type Watcher } from "./receiver.ts";
import type { Played } from "./played.ts";
import { readProbe, stateOf } from "../partner/partner-state.ts";
import type { Rest } from "./rest.ts";
import type { StateDifference } from "../oracle/comparison.ts";

/**
 * Plays a schedule and reads the state after every exchange. Observes nothing if the probe's URL contains a value that
 * a step saves, because the probe cannot be read on the way.
 */
export async function observe(
  play: (watcher?: Watcher) => Promise<Played>,
  baseline: Baseline,
  rest: Rest,
): Promise<{ readonly played: Played; readonly observed?: Reaction[] }> {
  const { probe, scenario, wall } = baseline.exploration;
  const url = typeof probe === "string" ? probe : (scenario.probe?.url ?? "");
  if (typeof probe !== "function" && (url === "" || url.includes("${"))) return { played: await play() };
  const glance = (): Promise<unknown> =>
    (typeof probe === "function" ? stateOf(probe, wall) : readProbe(url, wall)).catch(() => undefined);
  const glances: { bodies: string[]; isAcknowledged: boolean; before: unknown; after: unknown }[] = [];
  const played = await play(async () => {
    // The steps since the last exchange change the state too.
    const before = await glance();
    return async (exchange) => {
      await rest.settle();
      glances.push({
        bodies: exchange.map(({ request }) => bodyOf(request)),
        isAcknowledged: exchange.every(
          ({ result }) => result !== KILLED && (result.error === null || result.error === "reset"),
        ),
        before,
        after: await glance(),
      });
    };
  });
  const byBody = new Map(Array.from(baseline.identified(played), ([{ body }, { index }]) => [body, index]));
  // A state that cannot be read, as during a restart, shows nothing.
  const changesOf = (from: unknown, to: unknown): StateDifference[] =>
    from === undefined || to === undefined
      ? []
      : baseline.changes(baseline.name(played, from), baseline.name(played, to));
  let last: unknown;
  const observed = glances.map(({ bodies, isAcknowledged, before, after }) => {
    const meanwhile = changesOf(last, before);
    const changes = changesOf(before, after);
    last = after ?? before ?? last;
    return {
      events: bodies.map((body) => byBody.get(body) ?? null),
      isAcknowledged,
      hasEffect: changes.length > 0 || before === undefined || after === undefined,
      changes,
      lost: [...meanwhile, ...changes].filter(
        ({ baseline: had, found }) => had !== undefined && found === undefined,
      ),
    };
  });
  return { played, observed };
}
