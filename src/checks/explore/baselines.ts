import type { Exploration } from "./exploration.ts";
import { type Baseline, type BaselineFacts, baselineOf } from "./baseline.ts";
import { NotTried } from "../../base/failures.ts";
import { contradictions } from "./money.ts";
import { isDeepStrictEqual } from "node:util";
import type { Played } from "./played.ts";
import { probeWithoutRun } from "./probe.ts";
import {
  baselineCallsMax,
  baselinePlan,
  CALLS_PER_STEP,
  PATIENCE,
  type RunPlan,
  settleOf,
} from "./run-plan.ts";
import type { Runs } from "./runs.ts";
import type { Rest } from "../../partner/rest.ts";
import { TOKEN_OPERATION, EARLY_MS } from "./deviations.ts";
import { isRecord } from "../../simulator/engine/json.ts";
import type { PlayedDelivery } from "../../server/access/played-world.ts";
import type { TimelineLine } from "../../simulator/api/generated/shapes.ts";
import type { RequestStep, ScenarioStep } from "../../scenarios/scenario.ts";
import { type ControlClient, EVERY } from "../../server/control/client.js";
import { durationMs } from "../../simulator/engine/instant.ts";

/** Plays the two runs without deviations. Rejects with `NotTried` if they do not work. */
export async function playBaselines(
  runs: Runs,
): Promise<{ readonly baseline: Baseline; readonly notes: readonly string[] }> {
  const { exploration, rest, receiver } = runs.stage;
  const before = await stateBefore(exploration, rest);
  let baseline = await playPair(runs, false);
  // A value that seems unstable may come from unfinished work.
  const { unfinished, restarts } = baseline;
  if (unfinished.length > 0 && !rest.isPrompt && settleOf(exploration) > 0) {
    rest.slowDown(PATIENCE);
    baseline = await playPair(runs, restarts);
    // More time changed nothing, so these values differ by themselves.
    if (isDeepStrictEqual(baseline.unfinished, unfinished)) rest.slowDown(0);
  }
  rest.own.leaveOut(baseline.rules);
  receiver.limitDeadline();
  const isBlind = before !== undefined && isDeepStrictEqual(before, baseline.played.state);
  const notes = [
    ...contradictions(baseline.played.state, baseline.facts.objects),
    ...refusalNotes(baseline.played),
    ...(isBlind ? [BLIND] : []),
  ];
  return { baseline, notes };
}

/** Plays the baseline twice. */
async function playPair(runs: Runs, isRestarted: boolean): Promise<Baseline> {
  const { exploration, client, receiver, isCaller, life, rest } = runs.stage;
  const { steps } = exploration.scenario;
  let restarts = isRestarted;
  const played: Played[] = [];
  let facts: BaselineFacts | undefined;
  for (let count = 0; count < 2; count++) {
    // A difference of the books counts only if a run with more patience confirms it.
    const patience = played.some(({ books }) => books.length > 0) && !rest.isPrompt ? PATIENCE : 1;
    const run = await playSurely(runs, baselinePlan(steps, { patience, restarts }));
    if (run.isEndless) throw new NotTried(endless(baselineCallsMax(steps)));
    refuseFailedBaseline(run, { isGone: await receiver.isGone(), isCaller, ending: life.ending });
    facts ??= await factsOf(run, exploration, { client, isCaller });
    played.push(run);
    restarts = life.canBeKilled && run.calls.some(({ operation }) => operation === TOKEN_OPERATION);
  }
  const [one, second] = played as [Played, Played];
  const books = one.books.filter(({ path }) => second.books.some((other) => other.path === path));
  return baselineOf({ ...one, books }, second, {
    exploration,
    restarts,
    facts: facts as BaselineFacts,
    moving: rest.own.moving,
  });
}

/** A baseline is played again, at most this often, if the system's work took longer than expected. */
const AGAIN_MAX = 3;

/** Plays a baseline, again if the system needed more time for its work than it got. */
async function playSurely(runs: Runs, plan: RunPlan): Promise<Played> {
  const { rest } = runs.stage;
  for (let again = 0; ; again++) {
    // A system that has done its work when it answers was timed by the run before.
    const isTimed = !rest.isPrompt;
    const run = await runs.play(plan);
    if (isTimed) await rest.lookAgain();
    if (rest.isSure || again === AGAIN_MAX) return run;
  }
}

function endless(callsMax: number): string {
  return `It is undecided if the baseline ends: your system made more than ${callsMax} calls. Find the webhook or the timer of your system that causes them. If your system needs all of them, divide the scenario into more steps, because each step allows ${CALLS_PER_STEP} more calls.`;
}

const BLIND =
  "The probe shows the same before and after the baseline: it may not show the changes of the webhooks.";

/**
 * Reads the state before anything happened, and finds the values that move by themselves. Undefined if the probe cannot
 * be read then.
 */
async function stateBefore(exploration: Exploration, rest: Rest): Promise<unknown> {
  const { reset, wall } = exploration;
  // The rest of an earlier exploration is not the state before this exploration.
  await reset?.(wall);
  const read = probeWithoutRun(exploration);
  return read && rest.learnMoving(read).catch(() => undefined);
}

/** More notes do not help anyone. */
const NOTES_MAX = 5;

/**
 * Returns refusals although nothing goes wrong: webhooks that the partner refused at first, and calls that the platform
 * refused.
 */
function refusalNotes({ deliveries, calls }: Played): string[] {
  const webhooks = deliveries.flatMap(({ event, attempts, status }) => {
    const refused = attempts.find(({ status: answer, injected }) => {
      return injected.length === 0 && (answer === null || answer >= 300);
    });
    if (refused === undefined || status !== "delivered") return [];
    const found = refused.status ?? refused.error ?? "no answer";
    return [`Although nothing goes wrong, your system answered ${event} with ${found} at first.`];
  });
  const refusals = calls.flatMap(({ operation, status, isCarriedOut, step, answer }) => {
    if (step !== undefined || isCarriedOut || status === null || status < 400) return [];
    const message = isRecord(answer) && typeof answer["message"] === "string" ? `: ${answer["message"]}` : "";
    return [
      `Although nothing goes wrong, the platform refused ${operation} with ${status}${message}.`.replace(
        "..",
        ".",
      ),
    ];
  });
  return [...new Set([...webhooks, ...refusals])].slice(0, NOTES_MAX);
}

/**
 * Finds the call that announced each delivery: by its own command, by a timer that it made due at once, or by the next
 * timer that it armed.
 */
function callsOf(
  deliveries: readonly PlayedDelivery[],
  timeline: readonly TimelineLine[],
): BaselineFacts["calls"] {
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
async function factsOf(
  { deliveries }: Played,
  { scenario, beyondRetries = false }: Exploration,
  { client, isCaller }: { readonly client: ControlClient; readonly isCaller: boolean },
): Promise<BaselineFacts> {
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

/** The maximum number of shown characters of an answer. */
const SHOWN_MAX = 300;

function shortened(text: string): string {
  return text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…` : text;
}

/** Refuses a baseline that fails. A comparison with it would be useless. */
function refuseFailedBaseline(
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
