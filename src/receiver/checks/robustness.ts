import type { Bench, SendOptions } from "../bench.ts";
import type { Check, Evidence, Finding } from "../check.ts";
import { evidenceOf, isAccepted, outcomeOf } from "../bench.ts";
import type { Variant } from "../variants.ts";
import { PASS } from "../check.ts";
import { refusedAmong } from "../variants.ts";
import { setTimeout as pause } from "node:timers/promises";
import { withFields } from "../webhook-event.ts";

const KIB = 1024;
const MIXED = 20;

/** Whether the receiver stands what a network does. */
export const robustnessChecks: readonly Check[] = [
  { id: "X1", title: "Ignores a truncated body", level: "must", run: ignoresTruncated },
  { id: "X2", title: "Takes a slow body without blocking others", level: "should", run: takesSlowBody },
  { id: "X3", title: "Takes large bodies", level: "must", run: takesLargeBodies },
  { id: "X4", title: "Takes content types and chunks that may come", level: "should", run: takesVariants },
  { id: "X5", title: "Answers GET and HEAD without effect", level: "info", run: answersOtherMethods },
  { id: "X6", title: "Validates good and bad side by side", level: "should", run: judgesMix },
];

async function ignoresTruncated(bench: Bench): Promise<Finding> {
  const mend =
    "Wait for the whole body before anything else, and handle the error of a request that breaks off.";
  for (const kind of ["truncate-then-close", "truncate-then-reset"] as const) {
    const event = await bench.event();
    const before = bench.effects.before();
    const sent = await bench.send(event, { manner: { kind }, timeoutMs: 3_000 });
    const evidence = [evidenceOf(sent, "half of the announced body", "4xx or no answer")];
    if (isAccepted(sent))
      return {
        verdict: "fail",
        cause: "Half of a body was accepted as if it were the whole.",
        mend,
        evidence,
      };
    const effect = await bench.effects.since(before, event, [outcomeOf(sent)]);
    if ((effect?.count ?? 0) > 0)
      return { verdict: "fail", cause: `Half of a body was acted upon, by ${effect?.by}.`, mend, evidence };
    if (!(await bench.isAlive()))
      return {
        verdict: "fail",
        cause: "After half of a body the receiver accepts no good event any more.",
        mend,
      };
  }
  return PASS;
}

async function takesSlowBody(bench: Bench): Promise<Finding> {
  const [slowEvent, otherEvent] = [await bench.event(), await bench.event()];
  const manner = { kind: "slow-body", pieces: 20, pauseMs: 150 } as const;
  const [first, other] = await Promise.all([
    bench.send(slowEvent, { manner, timeoutMs: 15_000 }),
    pause(500).then(() => bench.send(otherEvent, { timeoutMs: 2_000 })),
  ]);
  if (!isAccepted(other)) {
    return {
      verdict: "fail",
      cause: "While one body came slowly no other event was answered: one sender holds the whole receiver.",
      mend: "Serve requests concurrently, behind a server that reads bodies before it takes a worker.",
      evidence: [evidenceOf(other, "an event while another comes slowly", "2xx within 2 s")],
    };
  }
  if (isAccepted(first) || first.status === 408) return PASS;
  return {
    verdict: "warn",
    cause: "An event that took three seconds to arrive was neither accepted nor put off with 408.",
    mend: "Read the body to its end before you handle it.",
    evidence: [evidenceOf(first, "an event sent over three seconds", "2xx or 408")],
  };
}

async function takesLargeBodies(bench: Bench): Promise<Finding> {
  const evidence: Evidence[] = [];
  const refused: number[] = [];
  for (const sizeBytes of [20 * KIB, 99 * KIB, 900 * KIB]) {
    const event = withFields(await bench.event(), (body) => ({
      ...body,
      description: "x".repeat(sizeBytes),
    }));
    const sent = await bench.send(event);
    if (isAccepted(sent)) continue;
    refused.push(sizeBytes / KIB);
    evidence.push(evidenceOf(sent, `an event of ${sizeBytes / KIB} KiB`, "2xx"));
  }
  if (refused.length === 0) return PASS;
  // The events of the platform stay far below 20 KiB: more than that is room for what may come.
  return {
    verdict: refused.includes(20) ? "fail" : "warn",
    cause: `A body of ${refused[0]} KiB is not accepted: a limit of the body parser, most often.`,
    mend: "Raise the limit of the body parser to 1 MiB.",
    evidence,
  };
}

async function takesVariants(bench: Bench): Promise<Finding> {
  const variants: readonly Variant[] = [
    {
      what: "the content type application/json; charset=utf-8",
      options: { contentType: "application/json; charset=utf-8" },
    },
    { what: "a body in chunks", options: { manner: { kind: "chunked" } } },
  ];
  const { refused, evidence } = await refusedAmong(bench, variants);
  if (refused.length === 0) return PASS;
  return {
    verdict: "fail",
    cause: `An event with ${refused.join(" or ")} is not accepted.`,
    mend: "Compare the media type alone, without its parameters, and read bodies to their end whatever announces it.",
    evidence,
  };
}

async function answersOtherMethods(bench: Bench): Promise<Finding> {
  const answers = [];
  for (const method of ["GET", "HEAD"]) answers.push({ method, ...(await bench.probe(method)) });
  const wrong = answers.filter(({ status }) => status === null || status < 400 || status >= 500);
  if (wrong.length === 0) return PASS;
  const told = wrong
    .map(({ method, status }) => `${method} is answered with ${status ?? "nothing"}`)
    .join(", ");
  return { verdict: "warn", cause: `${told}.`, mend: "Answer other methods than POST with 405." };
}

async function judgesMix(bench: Bench): Promise<Finding> {
  const mix: (readonly [Awaited<ReturnType<Bench["event"]>>, SendOptions])[] = [];
  for (let index = 0; index < MIXED; index += 1) {
    const isGood = index % 2 === 0;
    mix.push([await bench.event(), isGood ? {} : { secret: "not-the-secret-of-this-receiver" }]);
  }
  const sent = await bench.sendAll(mix);
  const wrong = sent.filter((one, index) => {
    const isPutOff = one.status === 429 || one.status === 503;
    return !isPutOff && isAccepted(one) !== (index % 2 === 0);
  });
  if (wrong.length === 0) return PASS;
  const alone = await bench.send(await bench.event(), { secret: "not-the-secret-of-this-receiver" });
  if (isAccepted(alone) && wrong.every(isAccepted)) {
    return {
      verdict: "fail",
      cause: "Badly signed events are accepted among good ones too: signatures are not verified, see S1.",
      mend: "Verify the signature of every request before you answer it.",
    };
  }
  return {
    verdict: "fail",
    cause: `Of ${MIXED} events at the same time, good and bad in turn, ${wrong.length} were checked wrongly: requests share something they should not.`,
    mend: "Keep body, signature and secret of a request in variables of that request alone.",
    evidence: wrong
      .slice(0, 1)
      .map((one) => evidenceOf(one, "one of many events at once", "good 2xx, bad 4xx")),
  };
}
