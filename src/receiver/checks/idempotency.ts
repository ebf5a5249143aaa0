import type { Before, EffectCount } from "../effects.ts";
import type { Bench, Sent } from "../bench.ts";
import type { Check, Finding } from "../check.ts";
import type { WebhookEvent } from "../event-source.ts";
import { EFFECT_UNKNOWN, HOW_TO_OBSERVE } from "./signature.ts";
import { evidenceOf, failed, inconclusive, PASS, skipped } from "../check.ts";
import { isAccepted, outcomeOf } from "../bench.ts";
import { withFields } from "../event-source.ts";

const ONCE =
  "Store which event of which object you handled, under a unique key and in the transaction that does the work; then answer 200 to duplicates.";

/** Whether the same event twice is the same as once. */
export const idempotencyChecks: readonly Check[] = [
  { id: "I1", title: "Handles a duplicate once", level: "must", run: handlesDuplicateOnce },
  { id: "I2", title: "Handles concurrent duplicates once", level: "must", run: handlesConcurrentOnce },
  { id: "I3", title: "Handles a retry after a lost answer once", level: "must", run: handlesLostAnswerOnce },
  {
    id: "I4",
    title: "Handles a late duplicate once",
    level: "should",
    run: async () =>
      skipped(
        "A receiver forgets by its own clock: only a duplicate days later, in real time, would show it.",
      ),
  },
  { id: "I5", title: "Handles an event whose first attempt failed", level: "must", run: handlesFailedFirst },
  {
    id: "I6",
    title: "Handles a repeated report of the same status once",
    level: "should",
    run: handlesSameFactOnce,
  },
];

async function handlesDuplicateOnce(bench: Bench): Promise<Finding> {
  const event = await bench.event();
  const before = bench.effects.before();
  const sent = [await bench.send(event), await bench.send(event), await bench.send(event)];
  const refused = sent.find((one) => !isAccepted(one));
  if (refused !== undefined) return duplicateRefused(refused);
  return validateOnce(bench, event, { before, sent, what: "The same event, sent three times," });
}

function duplicateRefused(sent: Sent): Finding {
  return failed(
    `A duplicate is answered with ${sent.status ?? sent.error}: the platform treats this as a failure and delivers it again.`,
    "Answer 200 to an event that you have handled already.",
    [evidenceOf(sent, "the same event again", "2xx")],
  );
}

async function handlesConcurrentOnce(bench: Bench): Promise<Finding> {
  const event = await bench.event();
  const before = bench.effects.before();
  const sent = await bench.sendTogether(event, 5);
  if (!sent.every(isAccepted)) {
    const retry = await bench.send(event);
    if (!isAccepted(retry)) return duplicateRefused(retry);
    sent.push(retry);
  }
  return validateOnce(bench, event, {
    before,
    sent,
    what: "The same event, sent five times at the same moment,",
  });
}

async function handlesLostAnswerOnce(bench: Bench): Promise<Finding> {
  const event = await bench.event();
  const before = bench.effects.before();
  await bench.send(event, { manner: { kind: "reset-after-request" } });
  const retry = await bench.send(event);
  if (!isAccepted(retry)) return duplicateRefused(retry);
  return validateOnce(bench, event, {
    before,
    // The first answer was lost; that the event was processed has to show in the answer to the retry.
    sent: [retry],
    what: "An event whose answer was lost, sent again,",
    lost: 1,
  });
}

async function handlesFailedFirst(bench: Bench): Promise<Finding> {
  const { calls } = bench.effects;
  if (calls === undefined) {
    return inconclusive(
      "Only a receiver that calls the sandbox can be made to fail once from outside.",
      "Let it call the sandbox that --sandbox-port opens.",
    );
  }
  const event = await bench.event();
  const before = bench.effects.before();
  const callsBefore = calls.count;
  calls.isFailing = true;
  const attempt = await bench.send(event);
  calls.isFailing = false;
  if (calls.count === callsBefore)
    return inconclusive("The receiver did not call the sandbox for this event.");
  const retry = await bench.send(event);
  const effect = await bench.effects.since(before, event, []);
  const evidence = [
    evidenceOf(attempt, "an event while the sandbox answers 503", "5xx, so that it comes again"),
    evidenceOf(retry, "the same event again", "2xx"),
  ];
  if (effect?.count === 1 && isAccepted(retry)) return PASS;
  if (effect?.count === 0) {
    return failed(
      isAccepted(attempt)
        ? "The event was acknowledged although its work failed, and is lost."
        : "The retry was treated as a duplicate of the failed attempt, and the event is lost.",
      "Mark an event as handled in the transaction that does its work, so that a failure leaves no mark.",
      evidence,
    );
  }
  return validateOnce(bench, event, {
    before,
    sent: [retry],
    what: "An event that failed first, sent again,",
  });
}

async function handlesSameFactOnce(bench: Bench): Promise<Finding> {
  const event = await bench.event();
  const before = bench.effects.before();
  const first = await bench.send(event);
  const later = (body: object): object => ({
    ...body,
    ...("updatedAt" in body && { updatedAt: "2026-12-01T00:00:00.000Z" }),
    ...("occurredAt" in body && { occurredAt: "2026-12-01T00:00:00.000Z" }),
  });
  const second = await bench.send(withFields(event, later));
  if (!isAccepted(second)) return duplicateRefused(second);
  return validateOnce(bench, event, {
    before,
    sent: [first, second],
    what: "The same status, reported again later,",
  });
}

interface Deliveries {
  readonly before: Before;
  readonly sent: readonly Sent[];
  readonly what: string;
  /** How many answers that would have named `processed` were lost. */
  readonly lost?: number;
}

async function validateOnce(
  bench: Bench,
  event: WebhookEvent,
  { before, sent, what, lost = 0 }: Deliveries,
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
