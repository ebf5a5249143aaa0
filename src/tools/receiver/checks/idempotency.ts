import type { Before, EffectCount } from "../effects.ts";
import type { StateDifference } from "../../oracle/comparison.ts";
import { EFFECT_UNKNOWN, HOW_TO_OBSERVE } from "./signature.ts";
import { IGNORE, NOTHING_SHOWN, otherChange, shownState } from "../state-findings.ts";
import { type Finding, PASS, type Sent, evidenceOf, failed, inconclusive, skipped } from "../finding.ts";
import { type Bench, type Check, check, isAccepted, outcomeOf } from "../bench.ts";
import { type WebhookEvent, jsonOf, withFields } from "../event-source.ts";

const ONCE =
  "Store which event of which object you handled, under a unique key and in the transaction that does the work; then answer 200 to duplicates.";

/** Whether the same event twice is the same as once. */
export const idempotencyChecks: readonly Check[] = [
  check("I1", "must", "Handles a duplicate once", async (bench) => {
    const event = await bench.event();
    const what = "The same event, sent three times";
    return handlesCopiesOnce(bench, [event, event, event], what, "A second copy of an event");
  }),
  check("I2", "must", "Handles concurrent duplicates once", (bench) =>
    handlesOnce(bench, "The same event, sent five times at the same moment,", async (event) => {
      const sent = await bench.sendTogether(event, 5);
      if (!sent.every(isAccepted)) sent.push(await bench.send(event));
      return { sent };
    }),
  ),
  check("I3", "must", "Handles a retry after a lost answer once", (bench) =>
    handlesOnce(bench, "An event whose answer was lost, sent again,", async (event) => {
      await bench.send(event, { manner: { kind: "reset-after-request" } });
      // The first answer was lost; that the event was processed has to show in the answer to the retry.
      return { sent: [await bench.send(event)], lost: 1 };
    }),
  ),
  check("I4", "should", "Handles a late duplicate once", async () =>
    skipped("A receiver forgets by its own clock: only a duplicate days later, in real time, would show it."),
  ),
  check("I5", "must", "Handles an event whose first attempt failed", async (bench) => {
    const { calls } = bench.effects;
    if (calls === undefined)
      return skipped(
        "Only a receiver that calls the sandbox can be made to fail once from outside.",
        "Let it call the sandbox that --sandbox-port opens.",
      );
    const event = await bench.event();
    const before = bench.effects.before();
    const callsBefore = calls.count;
    calls.isFailing = true;
    const attempt = await bench.send(event);
    calls.isFailing = false;
    if (calls.count === callsBefore)
      return skipped("The receiver did not call the sandbox for this event, so that nothing could fail.");
    const retry = await bench.send(event);
    const effect = await bench.effects.since(before, event, []);
    const evidence = [
      evidenceOf(attempt, "an event while the sandbox answers 503", "5xx, so that it comes again"),
      evidenceOf(retry, "the same event again", "2xx"),
    ];
    if (effect?.count === 1 && isAccepted(retry)) return PASS;
    if (effect?.count === 0)
      return failed(
        isAccepted(attempt)
          ? "The event was acknowledged although its work failed, and is lost."
          : "The retry was treated as a duplicate of the failed attempt, and the event is lost.",
        "Mark an event as handled in the transaction that does its work, so that a failure leaves no mark.",
        evidence,
      );
    const what = "An event that failed first, sent again,";
    return onceFinding(bench, event, { before, sent: [retry], what });
  }),
  check("I6", "info", "Handles a repeated report of the same status once", async (bench) => {
    const event = await bench.event();
    const later = withFields(event, (body) => ({
      ...body,
      ...("updatedAt" in body && { updatedAt: "2026-12-01T00:00:00.000Z" }),
      ...("occurredAt" in body && { occurredAt: "2026-12-01T00:00:00.000Z" }),
    }));
    const what = "The same status, reported again later";
    const finding = await handlesCopiesOnce(bench, [event, later], what, what);
    if (finding.verdict !== "fail") return finding;
    // What happens at another time of an event is no requirement.
    const note = "This is advice: the sandbox repeats an event with the same bytes, as the interface says.";
    return { ...finding, verdict: "warn", cause: `${finding.cause ?? ""} ${note}` };
  }),
];

/** Delivers an event, then copies of it, and compares what they changed with what the first changed. */
async function handlesCopiesOnce(
  bench: Bench,
  [event, ...copies]: readonly [WebhookEvent, ...WebhookEvent[]],
  what: string,
  copy: string,
): Promise<Finding> {
  const { effects } = bench;
  const { probe } = effects;
  const before = effects.before();
  const untouched = await probe?.before();
  const sent = [await bench.send(event)];
  const once = await probe?.afterWork(untouched);
  for (const again of copies) sent.push(await bench.send(again));
  const refused = sent.slice(1).find((one) => !isAccepted(one));
  if (refused !== undefined) return duplicateRefused(refused);
  // Before anything is counted, since that may send further events.
  const again = await probe?.settled();
  const counted = await onceFinding(bench, event, { before, sent, what: `${what},` });
  if (probe === undefined) return counted;
  const differences = await probe.differences(once, again, timesOf([event, ...copies]));
  if (differences.length > 0) return decided(counted, changedAgain(copy, differences));
  return decided(counted, probe.isChanged(untouched, once) ? PASS : NOTHING_SHOWN);
}

/** What is counted is the sharper evidence; a failure of either is a failure, and either can decide. */
function decided(counted: Finding, byState: Finding): Finding {
  const isFailed = byState.verdict === "fail";
  if (counted.verdict === "fail")
    return isFailed ? { ...counted, cause: `${counted.cause} ${byState.cause}` } : counted;
  return isFailed || counted.verdict === "inconclusive" ? byState : counted;
}

function changedAgain(what: string, differences: readonly StateDifference[]): Finding {
  const [{ path, baseline, found }] = differences as [StateDifference];
  const others = differences.length === 1 ? "" : ` (and ${differences.length - 1} more places)`;
  return failed(
    `${what} changed the state that the probe shows: ${path} was ${shownState(baseline)} after the first, ${shownState(found)} after it${others}.`,
    `${ONCE} ${IGNORE}`,
  );
}

function duplicateRefused(sent: Sent): Finding {
  return failed(
    `A duplicate is answered with ${sent.status ?? sent.error}: the platform treats this as a failure and delivers it again.`,
    "Answer 200 to an event that you have handled already.",
    [evidenceOf(sent, "the same event again", "2xx")],
  );
}

interface Copies {
  /** The last one has to be accepted. */
  readonly sent: readonly Sent[];
  /** How many answers that would have named `processed` were lost. */
  readonly lost?: number;
}

/** Delivers copies of one event, and compares what they changed with what one delivery changes. */
async function handlesOnce(
  bench: Bench,
  what: string,
  deliver: (event: WebhookEvent) => Promise<Copies>,
): Promise<Finding> {
  const usual = await bench.usualOfOne();
  const { probe } = bench.effects;
  const event = await bench.event();
  const before = bench.effects.before();
  const first = await probe?.before();
  const copies = await deliver(event);
  const last = copies.sent.at(-1)!;
  if (!isAccepted(last)) return duplicateRefused(last);
  const after = await probe?.afterWork(first);
  const counted = await onceFinding(bench, event, { ...copies, before, what });
  if (probe === undefined || usual === undefined) return counted;
  const differences = await probe.unusual(usual, { events: [event], before: first, after });
  return decided(counted, differences.length === 0 ? PASS : otherChange(what, differences, ONCE));
}

/** The times that a receiver may store: a newer one is no other state. */
function timesOf(events: readonly WebhookEvent[]): Map<string, string> {
  const all = events.flatMap((event) =>
    Object.entries(jsonOf(event)).filter(([name]) => name === "updatedAt" || name === "occurredAt"),
  );
  return new Map(all.map(([, time]) => [String(time), "its time"]));
}

async function onceFinding(
  bench: Bench,
  event: WebhookEvent,
  { before, sent, what, lost = 0 }: Copies & { readonly before: Before; readonly what: string },
): Promise<Finding> {
  const seen = await bench.effects.since(before, event, sent.map(outcomeOf));
  const effect = seen ?? (await countByAnswers(bench, sent));
  if (effect === undefined) return EFFECT_UNKNOWN;
  const isByAnswers = effect.by.startsWith("its header") || effect.by === "its answers";
  const count = effect.count + (isByAnswers ? lost : 0);
  if (count === 1) return PASS;
  if (count === 0) return inconclusive(`${what} had no visible effect by ${effect.by}.`, HOW_TO_OBSERVE);
  return failed(
    `${what} took effect ${count} times, by ${effect.by}: duplicates are not recognised, or not when two arrive at once.`,
    ONCE,
  );
}

/** Where new events and duplicates are answered differently, the answers show the count. */
async function countByAnswers(bench: Bench, sent: readonly Sent[]): Promise<EffectCount | undefined> {
  const toNew = await bench.answerToNew();
  if (toNew === undefined) return undefined;
  return { count: sent.filter(({ responseBody }) => responseBody === toNew).length, by: "its answers" };
}
