import type { Exploration } from "./exploration.ts";
import type { PlayedDelivery } from "../../library/played-world.ts";
import type { TimelineLine } from "../../api/generated/shapes.ts";
import type { Played } from "./play.ts";
import type { Session } from "../scenarios/session.ts";
import type { StateDifference } from "../oracle/comparison.ts";
import type { ControlClient } from "../../control/client.js";
import { addDuration } from "../../engine/instant.ts";
import { type Baseline, type BaselineSight, NotTried } from "./baseline.ts";
import { readProbe, stateOf } from "../oracle/probe.ts";
import { settleMsOf } from "../scenarios/probe.ts";

export const GONE: StateDifference = {
  path: "receiver",
  baseline: "it answers",
  found: "its process is gone",
};

/** By delivery, the call that announced it: by its own command, or by a timer that it made due at once. */
function callsOf(
  deliveries: readonly PlayedDelivery[],
  timeline: readonly TimelineLine[],
): Map<string, string> {
  const entries = new Map(timeline.map((line) => [line.entry, line]));
  const announcements = timeline.filter(({ kind }) => kind === "event");
  const originals = deliveries.filter(({ duplicateOf }) => duplicateOf === null);
  const calls = new Map<string, string>();
  if (announcements.length !== originals.length) return calls;
  for (const [index, { id }] of originals.entries()) {
    let line: TimelineLine | undefined = announcements[index];
    const at = line?.at;
    while (line !== undefined && line.at === at && !line.cause.startsWith("call "))
      line = line.causedBy === null ? undefined : entries.get(line.causedBy);
    if (line !== undefined && line.at === at) calls.set(id, line.cause.slice("call ".length));
  }
  return calls;
}

/** What the sandbox shows of the world of a run that has just ended. */
export async function sightOf({ deliveries }: Played, client: ControlClient): Promise<BaselineSight> {
  const { data: timeline } = await client.ask("GET /sandbox/timeline");
  const { data: assumed } = await client.ask("GET /sandbox/assumptions");
  const of = "orders,payouts,scheduled-payments";
  const books = await client.ask("GET /sandbox/books", { history: "true", of });
  const { movements = [], announcements = [], objects = [] } = books;
  const intervals = assumed.find(({ id }) => id === "webhook.retry-intervals")?.value;
  const [first] = Array.isArray(intervals) ? (intervals as string[]) : [];
  const retryAfterMs = addDuration(0, first ?? "PT1M", "UTC");
  return { calls: callsOf(deliveries, timeline), retryAfterMs, money: { movements, announcements }, objects };
}

export function probeOf({ probe, scenario }: Exploration): (session: Session) => Promise<unknown> {
  if (typeof probe === "function") return () => stateOf(probe);
  const url = probe ?? scenario.probe?.url;
  if (url === undefined)
    throw new NotTried(
      "There is no probe: name where your system shows its state as JSON with --probe, or with `probe` in the scenario.",
    );
  return async (session) => readProbe(await session.fill(url));
}

/** The wall time for work after the last answer; none for a receiver of this process. */
export function settleOf({ settleMs, receiver, scenario }: Exploration): number {
  if (settleMs !== undefined) return settleMs;
  if (typeof receiver !== "string") return 0;
  return settleMsOf(scenario.probe ?? { line: 1, column: 1 });
}

/** Nothing can be compared with a baseline that does not work by itself. */
export function refuseFailedBaseline(run: Played, isGone: boolean): void {
  const { failure, stateProblem, deliveries } = run;
  const fail = (found: string): never => {
    throw new NotTried(`The baseline fails, in which nothing goes wrong: ${found}`);
  };
  if (isGone) fail("the receiver's process is gone. See why it ends.");
  if (failure) fail(`step ${failure.step} (${failure.title}): ${failure.message}`);
  if (deliveries.length === 0) fail("the scenario sends no webhook. Let something happen that sends one.");
  for (const { event, attempts, status } of deliveries) {
    const last = attempts.at(-1);
    if (status === "delivered" || status === "lost" || (last !== undefined && last.injected.length > 0))
      continue;
    const found =
      last === undefined ? "it was never sent" : `the receiver answered ${last.status ?? last.error}`;
    fail(`${event} stays undelivered (${found}). Run the scenario with sandbank run first.`);
  }
  if (stateProblem !== undefined) fail(stateProblem);
}

export function differencesOf(played: Played, baseline: Baseline): StateDifference[] {
  const { failure, stateProblem } = played;
  const state =
    stateProblem === undefined
      ? baseline.differences(played)
      : [{ path: "probe", baseline: "a state", found: stateProblem }];
  return [
    ...(failure
      ? [{ path: `step ${failure.step}`, baseline: "passed", found: `${failure.title}: ${failure.message}` }]
      : []),
    ...played.books
      .filter(({ path }) => baseline.played.books.every((known) => known.path !== path))
      .map(({ path, yours, ledger }) => ({ path, baseline: ledger, found: yours })),
    ...baseline.undelivered(played),
    ...state,
  ];
}
