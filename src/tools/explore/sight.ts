import type { Exploration } from "./exploration.ts";
import type { PlayedDelivery } from "../../access/played-world.ts";
import type { TimelineLine } from "../../api/generated/shapes.ts";
import type { PartnerLife } from "./partner-system.ts";
import type { Played } from "./played.ts";
import type { RequestStep, ScenarioStep } from "../scenarios/scenario.ts";
import type { Session } from "../scenarios/session.ts";
import { type BaselineSight, NotTried } from "./baseline.ts";
import { EARLY_MS } from "./deviations.ts";
import { type ControlClient, EVERY } from "../../control/client.js";
import { durationMs } from "../../engine/instant.ts";
import { readProbe, stateOf } from "../partner/partner-state.ts";
import { settleMsOf } from "../scenarios/probe.ts";

/**
 * Finds the call that announced each delivery: by its own command, by a timer that it made due at once, or by the next
 * timer that it armed.
 */
function callsOf(
  deliveries: readonly PlayedDelivery[],
  timeline: readonly TimelineLine[],
): BaselineSight["calls"] {
  const entries = new Map(timeline.map((line) => [line.entry, line]));
  const announcements = timeline.filter(({ kind }) => kind === "event");
  const originals = deliveries.filter(({ duplicateOf }) => duplicateOf === null);
  const calls = new Map<string, { call: string; isOfTimer: boolean }>();
  if (announcements.length !== originals.length) return calls;
  /** Finds the call that caused an entry at the same instant, or the last known entry before it. */
  const originOf = (line: TimelineLine | undefined): TimelineLine | undefined => {
    let first = line;
    while (first !== undefined && first.at === line?.at && !first.cause.startsWith("call "))
      first = first.causedBy === null ? undefined : entries.get(first.causedBy);
    return first;
  };
  for (const [index, { id }] of originals.entries()) {
    const line = announcements[index];
    const before = originOf(line);
    const isOfTimer = before !== undefined && before.at !== line?.at;
    const call = isOfTimer ? originOf(before) : before;
    if (line === undefined || call?.cause.startsWith("call ") !== true) continue;
    if (isOfTimer && (call.at !== before.at || Date.parse(line.at) - Date.parse(call.at) > EARLY_MS))
      continue;
    calls.set(id, { call: call.cause.slice("call ".length), isOfTimer });
  }
  return calls;
}

/** Reads the sandbox's view of a run that has just ended, and the assumptions of its scenario about calls. */
export async function sightOf(
  { deliveries }: Played,
  { scenario, beyondRetries = false }: Exploration,
  { client, isCaller }: { readonly client: ControlClient; readonly isCaller: boolean },
): Promise<BaselineSight> {
  const { data: timeline } = await client.ask("GET /sandbox/timeline", { last: EVERY });
  const { data: assumed } = await client.ask("GET /sandbox/assumptions");
  const of = "orders,payouts,scheduled-payments";
  const books = await client.ask("GET /sandbox/books", { history: "true", of });
  const { movements = [], announcements = [], objects = [] } = books;
  const found = assumed.find(({ id }) => id === "webhook.retry-intervals")?.value;
  const intervals = (Array.isArray(found) ? (found as string[]) : []).map((one) => durationMs(one));
  return {
    calls: callsOf(deliveries, timeline),
    money: { movements, announcements },
    objects,
    retryAfterMs: intervals[0] ?? durationMs("PT1M"),
    holdMaxMs: beyondRetries ? Infinity : intervals.reduce((sum, one) => sum + one, 0),
    repeats: (step) =>
      scenario.steps.some(
        (one) => one.number === step && one.verb === "call" && (one.retry ?? "none") !== "none",
      ),
    requests: scenario.steps.flatMap((step) =>
      isCaller && isAskedTwice(step) && hasIdentity(step) ? [step.number] : [],
    ),
  };
}

/** Returns true if a step asks the partner's system for work that could be requested twice. */
function isAskedTwice(step: ScenarioStep): step is RequestStep {
  return step.verb === "request" && step.tick !== true && !/^(?:GET|HEAD) /.test(step.request);
}

/** Returns true if a request has an identity: a key, or a text that differs from run to run. */
function hasIdentity({ request, headers = {}, body }: RequestStep): boolean {
  const isKey = (name: string): boolean => /idempotency|request-id/i.test(name);
  return Object.keys(headers).some(isKey) || /\$\{/.test(JSON.stringify([request, headers, body]) ?? "");
}

/** Returns the steps whose request is not sent twice, because a repetition looks like a new request. */
export function withoutIdentity(steps: readonly ScenarioStep[], isCaller: boolean): string[] {
  const found = steps.filter((step) => isCaller && isAskedTwice(step) && !hasIdentity(step));
  if (found.length === 0) return [];
  const numbers = found.map(({ number }) => number).join(", ");
  return [
    `request-twice was not tried for step ${numbers}: its request has no identity, so your system cannot distinguish a repetition from a new request. Advice: let your API take an idempotency key, and send a key with \${run} in it.`,
  ];
}

/**
 * Returns a reader for the state of the partner's system once it runs. Undefined without a probe, if the platform's own
 * state is enough.
 */
export function probeOf(
  { probe, scenario, books, wall }: Exploration,
  { isCaller, life }: { readonly isCaller: boolean; readonly life: PartnerLife },
): ((session: Session) => Promise<unknown>) | undefined {
  const url = typeof probe === "function" ? undefined : (probe ?? scenario.probe?.url);
  const read =
    typeof probe === "function"
      ? () => stateOf(probe, wall)
      : url && (async (session: Session) => readProbe(await session.fill(url), wall));
  if (!read && (books ?? scenario.probe?.books) !== undefined)
    throw new NotTried("The books need a probe. Name a URL that returns your system's state as JSON.");
  if (!read && !isCaller)
    throw new NotTried(
      "The probe is missing. Name a URL that returns your system's state as JSON with --probe, or with `probe` in the scenario.",
    );
  return read ? (session) => life.ready.then(() => read(session)) : undefined;
}

/** Returns the wall time for work after the last answer. It is zero for a receiver of this process. */
export function settleOf({ settleMs, receiver, scenario, port, partner }: Exploration): number {
  if (settleMs !== undefined) return settleMs;
  // A system over sockets works on after its answers, also if it only calls.
  const isOverSockets = typeof receiver === "string" || port !== undefined || partner?.pids !== undefined;
  if (!isOverSockets) return 0;
  return settleMsOf(scenario.probe ?? { line: 1, column: 1 });
}

/** Returns true if work after the answers takes wall time, so that the order depends on the machine. */
export function isTimed(exploration: Exploration): boolean {
  return settleOf(exploration) > 0;
}

/** Returns true if the user names the time of work after the answers, so that it need not be measured. */
export function isSettleNamed({ settleMs, scenario }: Exploration): boolean {
  return settleMs !== undefined || scenario.probe?.settle !== undefined;
}

/** The maximum number of shown characters of an answer. */
const SHOWN_MAX = 300;

function shortened(text: string): string {
  return text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…` : text;
}

/** Refuses a baseline that fails. A comparison with it would be useless. */
export function refuseFailedBaseline(
  run: Played,
  { isGone, isCaller, ending }: { isGone: boolean; isCaller: boolean; ending: string | undefined },
): void {
  const { failure, stateProblem, deliveries } = run;
  const fail = (found: string): never => {
    throw new NotTried(`The baseline, a run without deviations, fails: ${found}`);
  };
  if (ending !== undefined) fail(`your system no longer runs, ${ending}`);
  if (isGone) fail("the receiver's process is gone. Find out why it ends.");
  if (failure) fail(`step ${failure.step} (${failure.title}): ${failure.message}`);
  if (deliveries.length === 0 && !(isCaller && run.calls.length > 0))
    fail("the scenario sends no webhook. Add a step that causes one.");
  for (const { event, attempts, status } of deliveries) {
    const last = attempts.at(-1);
    if (status === "delivered" || status === "lost" || (last !== undefined && last.injected.length > 0))
      continue;
    const found =
      last === undefined
        ? "it was never sent"
        : `the receiver answered ${[last.status ?? last.error, shortened(last.responseBody)].filter(Boolean).join(": ")}`;
    fail(`${event} stays undelivered (${found}). Run the scenario with sandbank run first.`);
  }
  if (stateProblem !== undefined) fail(stateProblem);
}
