import type { Exploration } from "./exploration.ts";
import { Baseline, type BaselineSight, NotTried } from "./baseline.ts";
import { contradictions } from "./money.ts";
import { isDeepStrictEqual } from "node:util";
import type { Played } from "./played.ts";
import { readProbe, stateOf } from "../partner/partner-state.ts";
import { refuseFailedBaseline, settleOf, sightOf } from "./sight.ts";
import { baselineCallsMax, baselinePlan, CALLS_PER_STEP, PATIENCE, type RunPlan } from "./run-plan.ts";
import type { Runs } from "./play.ts";
import { TOKEN_OPERATION } from "./deviations.ts";
import { isRecord } from "../../engine/json.ts";

/** Plays the two runs without deviations. Rejects with `NotTried` if they do not work. */
export async function playBaselines(
  runs: Runs,
): Promise<{ readonly baseline: Baseline; readonly notes: readonly string[] }> {
  const { exploration, rest, receiver } = runs.stage;
  const before = await stateBefore(exploration);
  let baseline = await playPair(runs, false);
  // A value that seems unstable may come from unfinished work.
  if (baseline.hasUnstable && !rest.isPrompt && settleOf(exploration) > 0) {
    rest.slowDown(PATIENCE);
    baseline = await playPair(runs, baseline.restarts);
  }
  receiver.limitDeadline();
  const isBlind = before !== undefined && isDeepStrictEqual(before, baseline.played.state);
  const notes = [
    ...contradictions(baseline.played.state, baseline.sight.objects),
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
  let sight: BaselineSight | undefined;
  for (let count = 0; count < 2; count++) {
    // A difference of the books counts only if a run with more patience confirms it.
    const patience = played.some(({ books }) => books.length > 0) && !rest.isPrompt ? PATIENCE : 1;
    const run = await playSurely(runs, baselinePlan(steps, { patience, restarts }));
    if (run.isEndless) throw new NotTried(endless(baselineCallsMax(steps)));
    refuseFailedBaseline(run, { isGone: await receiver.isGone(), isCaller, ending: life.ending });
    sight ??= await sightOf(run, exploration, { client, isCaller });
    played.push(run);
    restarts = life.canBeKilled && run.calls.some(({ operation }) => operation === TOKEN_OPERATION);
  }
  const [one, second] = played as [Played, Played];
  const books = one.books.filter(({ path }) => second.books.some((other) => other.path === path));
  const facts = { exploration, restarts, sight: sight as BaselineSight };
  return new Baseline({ ...one, books }, second, facts);
}

/** A baseline is played again, at most this often, if the system's work took longer than expected. */
const AGAIN_MAX = 3;

/** Plays a baseline, again if the system needed more time for its work than it got. */
async function playSurely(runs: Runs, plan: RunPlan): Promise<Played> {
  const { rest } = runs.stage;
  for (let again = 0; ; again++) {
    const run = await runs.play(plan);
    await rest.lookAgain();
    if (rest.isSure || again === AGAIN_MAX) return run;
  }
}

function endless(callsMax: number): string {
  return `It is undecided if the baseline ends: your system made more than ${callsMax} calls. Find the webhook or the timer of your system that causes them. If your system needs all of them, divide the scenario into more steps, because each step allows ${CALLS_PER_STEP} more calls.`;
}

const BLIND =
  "The probe shows the same before and after the baseline: it may not show the changes of the webhooks.";

/** Reads the state before anything happened. Undefined if the probe cannot be read then. */
async function stateBefore(exploration: Exploration): Promise<unknown> {
  const { probe, reset, wall, scenario } = exploration;
  const url = typeof probe === "string" ? probe : scenario.probe?.url;
  // The rest of an earlier exploration is not the state before this exploration.
  await reset?.(wall);
  if (typeof probe === "function") return stateOf(probe, wall).catch(() => undefined);
  if (url === undefined || url.includes("${")) return undefined;
  return readProbe(url, wall).catch(() => undefined);
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
