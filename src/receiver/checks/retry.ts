import type { Bench } from "../bench.ts";
import type { Check, Finding } from "../check.ts";
import { evidenceOf, isAccepted } from "../bench.ts";
import { PASS, skipped } from "../check.ts";
import { withBody } from "../webhook-event.ts";

const BURST = 30;

/** Whether the receiver plays its part in retries. */
export const retryChecks: readonly Check[] = [
  {
    id: "T1",
    title: "Takes a retry after failed connections",
    level: "must",
    run: (bench) => takesRetry(bench, 2),
  },
  {
    id: "T2",
    title: "Takes a resend after all attempts failed",
    level: "should",
    run: (bench) => takesRetry(bench, 5),
  },
  { id: "T3", title: "Answers what cannot be read with 4xx", level: "should", run: answersUnreadable },
  { id: "T4", title: "Comes through a burst", level: "should", run: comesThroughBurst },
  {
    id: "T5",
    title: "Answers before the work is done",
    level: "should",
    run: async () =>
      skipped("Which of its work is slow is not to be seen from outside; B2 measures the answers."),
  },
  {
    id: "T6",
    title: "Keeps what it has acknowledged",
    level: "info",
    run: async () =>
      skipped("It takes a restart of the receiver right after an answer, which only its owner can make."),
  },
];

async function takesRetry(bench: Bench, failures: number): Promise<Finding> {
  const event = await bench.event();
  for (let attempt = 0; attempt < failures; attempt += 1) {
    await bench.send(event, { manner: { kind: "reset-on-connect" } });
  }
  const sent = await bench.send(event);
  if (isAccepted(sent)) return PASS;
  return {
    verdict: "fail",
    cause: `After ${failures} connections that broke the event is not accepted any more.`,
    mend: "Let a broken connection leave no mark, and handle its error so that the process lives on.",
    evidence: [evidenceOf(sent, `an event after ${failures} broken connections`, "2xx")],
  };
}

async function answersUnreadable(bench: Bench): Promise<Finding> {
  const bodies = [
    ['{"event": "ORDER-PAYOUT.PAID", "id": ', "half a JSON object, correctly signed"],
    ["", "an empty body, correctly signed"],
  ] as const;
  for (const [body, what] of bodies) {
    const sent = await bench.send(withBody(await bench.event(), body));
    if (sent.status !== null && sent.status < 500) continue;
    return {
      verdict: "fail",
      cause: `The receiver breaks on ${what}, and a 5xx is delivered again without end.`,
      mend: "Catch what the JSON parser throws and answer 400.",
      evidence: [evidenceOf(sent, what, "4xx")],
    };
  }
  if (await bench.isAlive()) return PASS;
  return {
    verdict: "fail",
    cause: "After a body that is not JSON the receiver accepts no good event any more.",
    mend: "Catch what the JSON parser throws and answer 400.",
  };
}

async function comesThroughBurst(bench: Bench): Promise<Finding> {
  const events = [];
  for (let index = 0; index < BURST; index += 1) events.push([await bench.event()] as const);
  const sent = await bench.sendAll(events);
  const wrong = sent.filter((one) => !isAccepted(one) && one.status !== 429 && one.status !== 503);
  if (wrong.length === 0) return PASS;
  return {
    verdict: "fail",
    cause: `Of ${BURST} events at the same time ${wrong.length} were neither accepted nor put off.`,
    mend: "Store events and work them off one by one; where that is too much, answer 503 with Retry-After.",
    evidence: wrong
      .slice(0, 1)
      .map((one) => evidenceOf(one, `one of ${BURST} events at once`, "2xx, 429 or 503")),
  };
}
