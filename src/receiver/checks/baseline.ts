import type { Bench, Sent } from "../bench.ts";
import type { Check, Finding } from "../check.ts";
import type { Variant } from "../variants.ts";
import type { JsonObject } from "../webhook-event.ts";
import { BASELINE_EVENTS } from "../event-source.ts";
import { BODY_FORMS } from "../body-forms.ts";
import { evidenceOf, isAccepted } from "../bench.ts";
import type { SignatureSlip } from "../signature-slips.ts";
import { SIGNATURE_SLIPS } from "../signature-slips.ts";
import { withBody, withFields } from "../webhook-event.ts";
import { PASS, skipped } from "../check.ts";
import { refusedAmong } from "../variants.ts";

const RESPONSE_MAX_BYTES = 20 * 1024;
const FAST_SHARE = 0.25;
const FAST_SAMPLES = 5;
/** A new event of a known resource, one of a resource that is new, and a known one with a status that is new. */
const NEWS: readonly Variation[] = [
  { what: "of the unknown type ORDER-PAYOUT.SCHEDULED", change: named("ORDER-PAYOUT.SCHEDULED") },
  { what: "of the unknown type LOYALTY.CREATED", change: named("LOYALTY.CREATED") },
  { what: "with the unknown status REVIEWED", change: (body) => withStatus(body, "REVIEWED") },
];
const STACK_TRACE =
  /Traceback \(most recent|Exception in thread|\n\s+at .+[:(]\d+|Stack trace:|goroutine \d+ \[/;

/** A variant in its body. */
type Variation = Required<Omit<Variant, "options">>;

/** What has to hold before anything else says much: a good event is accepted, at once and quietly. */
export const baselineChecks: readonly Check[] = [
  { id: "B1", title: "Accepts a good event", level: "must", run: acceptsGoodEvent },
  { id: "B2", title: "Answers fast", level: "should", run: answersFast },
  { id: "B3", title: "Does not redirect", level: "must", run: doesNotRedirect },
  { id: "B4", title: "Gives a small, sane response", level: "should", run: givesSaneResponse },
  {
    id: "B5",
    title: "Tolerates an unknown event type or status",
    level: "should",
    run: toleratesUnknownEvent,
  },
  {
    id: "B6",
    title: "Tolerates extra, null, missing and reordered fields",
    level: "must",
    run: toleratesNewFields,
  },
  { id: "B7", title: "Has a valid TLS certificate", level: "must", run: hasValidTls },
];

async function acceptsGoodEvent(bench: Bench): Promise<Finding> {
  let first: Sent | undefined;
  for (const name of BASELINE_EVENTS) {
    const sent = await bench.send(await bench.event(name));
    if (isAccepted(sent)) {
      bench.baseline = name;
      return PASS;
    }
    first ??= sent;
    // Another event will not mend a redirect or a wrong secret.
    if (sent.status === null || sent.status === 401 || sent.status === 403 || sent.error === "redirect")
      break;
  }
  return refusedFinding(bench, first!);
}

async function refusedFinding(bench: Bench, sent: Sent): Promise<Finding> {
  const evidence = [evidenceOf(sent, "a good event, correctly signed", "2xx")];
  const fail = (cause: string, mend: string): Finding => ({ verdict: "fail", cause, mend, evidence });
  if (sent.error === "redirect") {
    const location = sent.responseHeaders["location"] ?? "elsewhere";
    return fail(
      `The receiver redirects to ${location}, and a redirect counts as a failed delivery.`,
      `Give ${location} as the webhook URL.`,
    );
  }
  if (sent.error === "timeout")
    return { ...fail("", ""), ...slow(`No answer came within ${bench.options.timeoutMs} ms.`), isLate: true };
  if (sent.status === null) return fail(sent.message, "See that the receiver runs and answers in time.");
  if (sent.status >= 500) {
    return fail(
      "The receiver failed while it handled a good event.",
      "Look into its log for the error; every 5xx is delivered again.",
    );
  }
  if (sent.status === 404 || sent.status === 405) {
    return fail("There is no receiver for POST at this path.", "Check the path and method of the route.");
  }
  const form = await acceptedForm(bench);
  if (form !== undefined) {
    return fail(
      `The body was parsed and serialised again before the signature was checked: it is accepted only when it comes ${form}.`,
      "Compute the HMAC over the raw bytes as they came, before any parser has them.",
    );
  }
  if (isAccepted(await bench.send(await bench.event(), { secret: "" }))) {
    return fail(
      "The receiver verifies with an empty secret: it was started without one, and anybody can sign.",
      "Give the receiver its secret, and let it refuse to start without one.",
    );
  }
  const slip = await acceptedSlip(bench);
  if (slip !== undefined) return fail(slip.cause, slip.mend);
  return fail(
    "A correctly signed event was turned away: the secret is another one, or other bytes than those of the body are verified.",
    "Compare the receiver's secret with --secret, and compute the HMAC-SHA256 over the raw body.",
  );
}

/** The spelling in which a receiver takes the event after all: the one that its own serialiser writes. */
async function acceptedForm(bench: Bench): Promise<string | undefined> {
  for (const { told, write } of BODY_FORMS) {
    const event = await bench.event();
    const body = write(event.body.toString("utf8"));
    if (isAccepted(await bench.send(withBody(event, body)))) return told;
  }
  return undefined;
}

/** The wrong signature that the receiver takes for the right one, which tells what it computes. */
async function acceptedSlip(bench: Bench): Promise<SignatureSlip | undefined> {
  for (const slip of SIGNATURE_SLIPS) {
    const event = await bench.event(BASELINE_EVENTS[0]);
    const signature = slip.write(bench.options.secret, event.body);
    if (isAccepted(await bench.send(event, { signature }))) return slip;
  }
  return undefined;
}

async function answersFast(bench: Bench): Promise<Finding> {
  const { timeoutMs } = bench.options;
  const durations: number[] = [];
  for (let sample = 0; sample < FAST_SAMPLES; sample += 1) {
    const sent = await bench.send(await bench.event());
    if (sent.error === "timeout") {
      const evidence = [evidenceOf(sent, "a good event", `an answer within ${timeoutMs} ms`)];
      return { verdict: "fail", ...slow(`No answer came within ${timeoutMs} ms.`), evidence };
    }
    durations.push(sent.durationMs);
  }
  const slowest = Math.max(...durations);
  if (slowest <= timeoutMs * FAST_SHARE) return PASS;
  return { verdict: "warn", ...slow(`An answer took ${slowest} ms of the ${timeoutMs} ms there are.`) };
}

function slow(cause: string): { cause: string; mend: string } {
  return {
    cause: `${cause} The work is done before the answer.`,
    mend: "Store the event, answer 200, and do the work afterwards.",
  };
}

async function doesNotRedirect(bench: Bench): Promise<Finding> {
  const sent = await bench.send(await bench.event());
  return sent.error === "redirect" ? refusedFinding(bench, sent) : PASS;
}

async function givesSaneResponse(bench: Bench): Promise<Finding> {
  const sent = await bench.send(await bench.event());
  const { responseBody, responseTruncated } = sent;
  const evidence = [evidenceOf(sent, "a good event", "a small JSON body with returnCode")];
  const fail = (cause: string, mend: string): Finding => ({ verdict: "fail", cause, mend, evidence });
  if (responseBody.includes(bench.options.secret))
    return fail("The answer shows the webhook secret.", "Never write the secret into a response or a log.");
  if (STACK_TRACE.test(responseBody))
    return fail("The answer shows a stack trace.", "Answer errors with a short text and log the stack.");
  if (responseTruncated || Buffer.byteLength(responseBody) > RESPONSE_MAX_BYTES)
    return fail(
      "The answer is large or does not end: nobody reads it.",
      'Answer with a short body such as {"returnCode":"OK"}.',
    );
  if (hasReturnCode(responseBody)) return PASS;
  return {
    verdict: "warn",
    cause: "The answer has no returnCode, which the interface asks for.",
    mend: 'Answer 200 with {"returnCode":"OK"}.',
    evidence,
  };
}

function hasReturnCode(body: string): boolean {
  try {
    return typeof (JSON.parse(body) as { readonly returnCode?: unknown }).returnCode === "string";
  } catch {
    return false;
  }
}

async function toleratesUnknownEvent(bench: Bench): Promise<Finding> {
  for (const { what, change } of NEWS) {
    const sent = await bench.send(withFields(await bench.event(), change));
    if (isAccepted(sent)) continue;
    return {
      verdict: "fail",
      cause: `An event ${what} is not acknowledged, so it is delivered again and again.`,
      mend: "Acknowledge what you do not know with 200 and leave it alone.",
      evidence: [evidenceOf(sent, `an event ${what}`, "2xx")],
    };
  }
  return PASS;
}

function named(event: string): Variation["change"] {
  return (body) => ({ ...body, event });
}

/** The status stands beside the event, or among its data. */
function withStatus(body: JsonObject, status: string): JsonObject {
  const { data } = body;
  if (typeof data !== "object" || data === null) return { ...body, status };
  return { ...body, data: { ...data, status } };
}

async function toleratesNewFields(bench: Bench): Promise<Finding> {
  const changes: readonly Variation[] = [
    {
      what: "an extra field",
      change: (body) => ({ ...body, addedLater: { since: "2027", list: [1, null] } }),
    },
    { what: "its fields in another order", change: reversed },
    { what: "an optional field that is null", change: (body) => ({ ...body, description: null }) },
    { what: "an optional field less", change: ({ description: _left, ...body }) => body },
  ];
  const { refused, evidence } = await refusedAmong(bench, changes);
  if (refused.length === 0) return PASS;
  return {
    verdict: "fail",
    cause: `An event with ${refused.join(" or ")} is not accepted: the schema is closed, or a field is taken for granted.`,
    mend: "Read the fields you need and ignore the rest; the platform may add fields at any time.",
    evidence,
  };
}

function reversed(body: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(body).reverse());
}

async function hasValidTls(bench: Bench): Promise<Finding> {
  if (!bench.options.url.startsWith("https:")) return skipped("The URL is http: there is no certificate.");
  const sent = await bench.send(await bench.event());
  if (sent.error !== "tls") return PASS;
  return {
    verdict: "fail",
    cause: sent.message,
    mend: "Serve a certificate of a known authority for this very name, with its whole chain, over TLS 1.2 or later.",
  };
}
