import {
  type SentEvidence,
  type Finding,
  PASS,
  type Sent,
  evidenceOf,
  failed,
  failedBy,
  skipped,
  warned,
} from "../finding.ts";
import { IN_MEMORY } from "../../../partner/states/lost-state.ts";
import { IGNORE, NOTHING_SHOWN, unwantedChange } from "../state-findings.ts";
import { type Probe, ifShown } from "../probe.ts";
import { type Bench, type ReceiverCheck, check, type SendOptions, isAccepted } from "../bench.ts";
import { effectsSince, outcomeOf } from "../effects.ts";
import { refusedAmong } from "../rejections.ts";
import { byFamily, lossyFinding, observedOf, sendInOrder, shownPart } from "../families.ts";
import { type ObjectKind, type WebhookEvent, withBody, withFields } from "../event-source.ts";
import { ANSWER_FIRST } from "./refusal.ts";

/** The number of simultaneous events, if they take no longer than this one after another. */
const BURST_MAX = 30;
const BURST_MIN = 8;
const BURST_MS = 2_000;
const KIB = 1024;
const MIXED = 20;

/** Returns true if the receiver asks for the event to come again later. */
function isPostponed({ status }: Pick<Sent, "status">): boolean {
  return status === 429 || status === 503;
}

const NO_MARK =
  "Make sure that a broken connection leaves no mark, and handle its error so that the process keeps running.";

/** Whether the receiver does its part in retries. */
export const retryChecks: readonly ReceiverCheck[] = [
  check("T1", "must", "Takes a retry after failed connections", NO_MARK, (bench) => takesRetry(bench, 2)),
  check("T2", "should", "Takes a resend after all attempts failed", NO_MARK, (bench) => takesRetry(bench, 5)),
  check(
    "T3",
    "should",
    "Answers an unreadable body with 4xx",
    "Catch the error of the JSON parser and answer 400.",
    async (bench, fix) => {
      const bodies = [
        ['{"event": "ORDER-PAYOUT.PAID", "id": ', "half a JSON object, correctly signed"],
        ["", "an empty body, correctly signed"],
      ] as const;
      for (const [body, what] of bodies) {
        const sent = await bench.send(withBody(await bench.event(), body));
        if (sent.status !== null && sent.status < 500) continue;
        return failed(`The receiver fails on ${what}, and the platform delivers it again after a 5xx.`, fix, [
          evidenceOf(sent, what, "4xx"),
        ]);
      }
      if (await bench.isAlive()) return PASS;
      return failed("After a body that is not JSON the receiver no longer accepts a good event.", fix);
    },
  ),
  check(
    "T4",
    "should",
    "Handles a burst",
    "Store events and process them one by one. If there are too many, answer 503 with Retry-After.",
    async (bench, fix) => {
      const { probe } = bench;
      const count = bench.countWithin(BURST_MS, { min: BURST_MIN, max: BURST_MAX });
      const burst = async (): Promise<WebhookEvent[]> => {
        const events: WebhookEvent[] = [];
        for (let index = 0; index < count; index += 1) events.push(await bench.event());
        return events;
      };
      const usual = await ifShown(
        bench.usualChange("a burst", (shown) =>
          bench.observe(shown, async () => sendInOrder(bench, await burst())),
        ),
      );
      const events = await burst();
      const before = await probe?.before();
      const sent = await bench.sendAll(events.map((event) => [event]));
      const wrong = sent.filter((one) => !isAccepted(one) && !isPostponed(one));
      if (wrong[0] !== undefined)
        return failed(
          `Of ${count} events at the same time, ${wrong.length} were neither accepted nor postponed.`,
          fix,
          [evidenceOf(wrong[0], `one of ${count} events at once`, "2xx, 429 or 503")],
        );
      if (probe === undefined || usual === undefined) return PASS;
      await sendInOrder(
        bench,
        events.filter((_, index) => isPostponed(sent[index]!)),
      );
      const observed = { events, before, after: await probe.afterWork(before) };
      const [first] = await probe.unusual(usual, observed, "any order");
      if (first === undefined) return PASS;
      const lossy = await lossyFinding(bench);
      if (lossy !== undefined) return lossy;
      const lost = withoutTrace(events, observed.after);
      if (lost > 0 && lost < events.length)
        return { ...failedBy("acknowledged-before-stored", lostText(count, lost), fix), level: "must" };
      const lostUpdate = failedBy(
        "lost-update",
        `${count} events about different objects, accepted at the same time, changed less or more than one by one: at ${first.path} the probe shows ${String(first.found)}, expected ${String(first.baseline)}.`,
        `A lost update of a value that they share, such as a balance. Change it in one statement (balance = balance + amount), or lock the row. ${IGNORE}`,
      );
      // The receiver may postpone any number of simultaneous events. But accepted events are money.
      return { ...lostUpdate, level: "must" };
    },
  ),
  check("T5", "should", "Answers before the work is done", ANSWER_FIRST, async () =>
    skipped("The slow part of the work is not visible from outside. B2 measures the answers."),
  ),
  // The moment of storing shows only if the process can be killed. An inbox or an outbox that is committed before the
  // answer rightly changes the state later too.
  check(
    "T6",
    "must",
    "Keeps acknowledged events",
    "Store the event, or put it into a durable queue, before you answer 2xx. Try again if its work fails.",
    async (bench, fix) => {
      const { probe } = bench;
      if (probe === undefined)
        return skipped(
          "Only the receiver's state shows if an acknowledged event was stored.",
          "Name a URL with --probe that returns this state as JSON.",
        );
      const { lost, acknowledged } = await bench.losses();
      if (lost === acknowledged) return NOTHING_SHOWN;
      if (lost > 0)
        return failedBy(
          "acknowledged-before-stored",
          `Of ${acknowledged} acknowledged events, ${lost} left no trace in the state: they were acknowledged, then lost.`,
          fix,
        );
      if (bench.options.partner !== undefined) return survivesKills(bench, probe);
      return skipped(
        `All ${acknowledged} acknowledged events took effect. Only a kill of the process shows if they are stored before the answer.`,
        "Let sandbank start and kill the process: --partner COMMAND --partner-ready URL, or --partner-start and --partner-stop for a container.",
      );
    },
  ),
];

/** Counts the events whose object a state does not show. */
function withoutTrace(events: readonly WebhookEvent[], state: unknown): number {
  const text = JSON.stringify(state);
  return events.filter(({ ids }) => !ids.some((id) => text.includes(id))).length;
}

function lostText(count: number, lost: number): string {
  return `Of ${count} events about different objects, accepted at the same time, ${lost} left no trace in the state: they were acknowledged, then lost.`;
}

/** Checks if the receiver handles the behaviour of networks. */
export const robustnessChecks: readonly ReceiverCheck[] = [
  check(
    "X1",
    "must",
    "Ignores a truncated body",
    "Wait for the whole body before you process it, and handle the error of an interrupted request.",
    async (bench, fix) => {
      for (const kind of ["truncate-then-close", "truncate-then-reset"] as const) {
        const event = await bench.event();
        const before = bench.writes;
        const { probe } = bench;
        const untouched = await probe?.before();
        const sent = await bench.send(event, { manner: { kind }, timeoutMs: 3_000 });
        const evidence = [evidenceOf(sent, "half of the announced body", "4xx or no answer")];
        if (isAccepted(sent))
          return failed("Half of a body was accepted as if it were complete.", fix, evidence);
        const effect = await effectsSince(bench, before, event, [outcomeOf(sent)]);
        if ((effect?.count ?? 0) > 0)
          return failed(`Half of a body took effect, by ${effect?.by}.`, fix, evidence);
        const changed = await unwantedChange(bench, {
          event,
          before: untouched,
          what: "Half of a body",
          fix,
        });
        if (changed !== undefined) return changed;
        if (!(await bench.isAlive()))
          return failed("After half of a body the receiver no longer accepts a good event.", fix);
      }
      return PASS;
    },
  ),
  check(
    "X2",
    "should",
    "Takes a slow body without blocking others",
    "Serve requests concurrently, behind a server that reads bodies before it occupies a worker.",
    async (bench, fix) => {
      const [slowEvent, otherEvent] = [await bench.event(), await bench.event()];
      const manner = { kind: "slow-body", pieces: 20, pauseMs: 60 } as const;
      let isFirstDone = false;
      let isLast = false;
      const [first, other] = await Promise.all([
        bench.send(slowEvent, { manner, timeoutMs: 15_000 }).finally(() => (isFirstDone = true)),
        bench.options.wall
          .pause(200)
          .then(() => bench.send(otherEvent))
          .finally(() => (isLast = isFirstDone)),
      ]);
      // A receiver that does not wait for the whole body also answers the slow event first.
      const isBlocked = isLast && first.durationMs >= manner.pieces * manner.pauseMs;
      if (isBlocked || !isAccepted(other))
        return failed(
          isBlocked
            ? "No other event was answered while one body came slowly: one sender blocks the whole receiver."
            : "While one body came slowly, another event was not accepted.",
          fix,
          [evidenceOf(other, "an event while another comes slowly", "2xx before the slow one is answered")],
        );
      if (isAccepted(first) || first.status === 408) return PASS;
      return warned(
        "An event that took a second to arrive was neither accepted nor answered with 408.",
        "Read the body to its end before you handle it.",
        [evidenceOf(first, "an event sent over a second", "2xx or 408")],
      );
    },
  ),
  check(
    "X3",
    "must",
    "Takes large bodies",
    "Raise the limit of the body parser to 1 MiB.",
    async (bench, fix) => {
      const evidence: SentEvidence[] = [];
      const refused: number[] = [];
      for (const sizeKib of [20, 99, 900]) {
        const description = "x".repeat(sizeKib * KIB);
        const sent = await bench.send(withFields(await bench.event(), (body) => ({ ...body, description })));
        if (isAccepted(sent)) continue;
        refused.push(sizeKib);
        evidence.push(evidenceOf(sent, `an event of ${sizeKib} KiB`, "2xx"));
      }
      if (refused.length === 0) return PASS;
      // The events of the platform are much smaller than 20 KiB. Larger sizes are a reserve for later.
      const report = refused.includes(20) ? failed : warned;
      return report(
        `A body of ${refused[0]} KiB is not accepted, usually because of a limit of the body parser.`,
        fix,
        evidence,
      );
    },
  ),
  check(
    "X4",
    "should",
    "Takes content types and chunks that may come",
    "Compare only the media type, without its parameters. Read bodies to their end, with or without Content-Length.",
    async (bench, fix) => {
      const contentType = "application/json; charset=utf-8";
      const { refused, evidence } = await refusedAmong(bench, [
        { what: `the content type ${contentType}`, options: { contentType } },
        { what: "a body in chunks", options: { manner: { kind: "chunked" } } },
      ]);
      if (refused.length === 0) return PASS;
      return failed(`An event with ${refused.join(" or ")} is not accepted.`, fix, evidence);
    },
  ),
  check(
    "X5",
    "info",
    "Answers GET and HEAD without effect",
    "Answer methods other than POST with 405.",
    async (bench, fix) => {
      const wrong: string[] = [];
      for (const method of ["GET", "HEAD"]) {
        const status = await bench.statusOf(method);
        if (status === null || status < 400 || status >= 500)
          wrong.push(`${method} is answered with ${status ?? "nothing"}`);
      }
      if (wrong.length === 0) return PASS;
      return warned(`${wrong.join(", ")}.`, fix);
    },
  ),
  check(
    "X6",
    "should",
    "Validates good and bad side by side",
    "Keep the body, the signature and the secret of each request in separate variables.",
    async (bench, fix) => {
      const bad = { secret: "not-the-secret-of-this-receiver" };
      const mix: (readonly [WebhookEvent, SendOptions])[] = [];
      for (let index = 0; index < MIXED; index += 1)
        mix.push([await bench.event(), index % 2 === 0 ? {} : bad]);
      const sent = await bench.sendAll(mix);
      const wrong = sent.filter((one, index) => !isPostponed(one) && isAccepted(one) !== (index % 2 === 0));
      if (wrong.length === 0) return PASS;
      const alone = await bench.send(await bench.event(), bad);
      if (isAccepted(alone) && wrong.every(isAccepted))
        return failed(
          "Badly signed events are accepted between good events too. Signatures are not verified, see S1.",
          "Verify the signature of every request before you answer it.",
        );
      return failed(
        `Of ${MIXED} events at the same time, good and bad in turn, ${wrong.length} were validated wrongly: the requests share variables.`,
        fix,
        [evidenceOf(wrong[0]!, "one of many events at once", "good 2xx, bad 4xx")],
      );
    },
  ),
];

async function takesRetry(bench: Bench, failures: number): Promise<Finding> {
  const event = await bench.event();
  for (let attempt = 0; attempt < failures; attempt += 1)
    await bench.send(event, { manner: { kind: "reset-on-connect" } });
  const sent = await bench.send(event);
  if (isAccepted(sent)) return PASS;
  return failed(`After ${failures} broken connections the event is no longer accepted.`, NO_MARK, [
    evidenceOf(sent, `an event after ${failures} broken connections`, "2xx"),
  ]);
}

/** Checks that events of each kind of object are stored after a kill right after the answer. */
function survivesKills(bench: Bench, probe: Probe): Promise<Finding> {
  // A state that is gone with the process is gone for all kinds.
  let gone: Finding | undefined;
  const survives = async (kinds: readonly ObjectKind[]): Promise<Finding> => {
    if (gone !== undefined) return gone;
    const { usual, count } = await shownPart(bench, kinds);
    const observed = await observedOf(bench, probe, kinds, async (events) => {
      const own = events.slice(0, count);
      for (const event of own) {
        await sendInOrder(bench, [event]);
        if (event === own[0] || event === own.at(-1)) await bench.restart();
      }
      return own;
    });
    const [first] = await probe.unusual(usual, observed);
    if (first === undefined) return PASS;
    const lost = (await probe.differences(observed.before, observed.after)).find(
      (one) => one.baseline !== undefined && one.found === undefined,
    );
    if (lost !== undefined) {
      gone = failedBy(
        "state-in-memory",
        `${IN_MEMORY.cause} After the kill, ${lost.path} is missing.`,
        IN_MEMORY.fix,
      );
      return gone;
    }
    return failedBy(
      "acknowledged-before-stored",
      `Acknowledged before it was stored: the process was killed right after its 2xx to an event of one ${kinds.join(", ")}, and at ${first.path} the probe shows ${String(first.found)} afterwards, expected ${String(first.baseline)}.`,
      "Store the event, or put it into a durable queue, before you answer 2xx. After a start, process the remaining events.",
    );
  };
  return byFamily(bench, survives, { isAlone: true });
}
