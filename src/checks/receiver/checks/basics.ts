import { COMMON_EVENTS, type CommonEvent, withFields } from "../event-source.ts";
import { PASS, type Sent, evidenceOf, failed, skipped, warned } from "../finding.ts";
import { type ReceiverCheck, check, isAccepted } from "../bench.ts";
import { type Variant, refusedAmong } from "../rejections.ts";
import { parsed, textAt, type JsonObject } from "../../../simulator/engine/json.ts";
import { ANSWER_FIRST, refusalFinding, slow } from "./refusal.ts";

const RESPONSE_MAX_BYTES = 20 * 1024;
const FAST_SHARE = 0.25;
const FAST_SAMPLES = 5;
const STACK_TRACE =
  /Traceback \(most recent|Exception in thread|\n\s+at .+[:(]\d+|Stack trace:|goroutine \d+ \[/;

/** The conditions of every other check: a good event is accepted, fast, and with a sane answer. */
export const basicChecks: readonly ReceiverCheck[] = [
  check("B1", "must", "Accepts a good event", "Answer 2xx to each correctly signed event.", async (bench) => {
    let first: Sent | undefined;
    let accepted: CommonEvent | undefined;
    const { probe } = bench;
    for (const name of COMMON_EVENTS) {
      const before = await probe?.before();
      const sent = await bench.send(await bench.event(name));
      if (isAccepted(sent)) {
        accepted ??= name;
        // An event that is acknowledged and ignored says nothing about duplicates and order.
        if (probe !== undefined && !probe.isChanged(before, await probe.afterWork(before))) continue;
        bench.goodEvent = name;
        bench.showsGoodEvent = probe !== undefined;
        await probe?.learnPace(async (events) => {
          for (let sent = 0; sent < events; sent += 1) await bench.send(await bench.event());
        });
        return PASS;
      }
      if (accepted !== undefined) continue;
      first ??= sent;
      // Another event has the same problem with a redirect or a wrong secret.
      const { status, error } = sent;
      if (status === null || status === 401 || status === 403 || error === "redirect") break;
    }
    if (accepted !== undefined) {
      bench.goodEvent = accepted;
      return PASS;
    }
    return refusalFinding(bench, first!);
  }),
  check("B2", "should", "Answers fast", ANSWER_FIRST, async (bench) => {
    const { timeoutMs } = bench.options;
    const durations: number[] = [];
    for (let sample = 0; sample < FAST_SAMPLES; sample += 1) {
      const sent = await bench.send(await bench.event());
      if (sent.error === "timeout") {
        const evidence = [evidenceOf(sent, "a good event", `an answer within ${timeoutMs} ms`)];
        return { ...slow(`No answer came within ${timeoutMs} ms.`), evidence };
      }
      durations.push(sent.durationMs);
    }
    const slowest = Math.max(...durations);
    if (slowest <= timeoutMs * FAST_SHARE) return PASS;
    return { ...slow(`An answer took ${slowest} ms of the ${timeoutMs} ms allowed.`), verdict: "warn" };
  }),
  check(
    "B3",
    "must",
    "Does not redirect",
    "Use the address that answers as the webhook URL.",
    async (bench) => {
      const sent = await bench.send(await bench.event());
      return sent.error === "redirect" ? refusalFinding(bench, sent) : PASS;
    },
  ),
  check(
    "B4",
    "should",
    "Gives a small, sane response",
    'Answer 200 with {"returnCode":"OK"}.',
    async (bench, fix) => {
      const sent = await bench.send(await bench.event());
      const { responseBody, responseTruncated } = sent;
      const evidence = [evidenceOf(sent, "a good event", "a small JSON body with returnCode")];
      if (responseBody.includes(bench.options.secret))
        return failed(
          "The answer shows the webhook secret.",
          "Never write the secret into a response or a log.",
          evidence,
        );
      if (STACK_TRACE.test(responseBody))
        return failed(
          "The answer shows a stack trace.",
          "Answer errors with a short text and log the stack.",
          evidence,
        );
      if (responseTruncated || Buffer.byteLength(responseBody) > RESPONSE_MAX_BYTES)
        return failed(
          "The answer is too large or does not end, so the platform does not read it.",
          'Answer with a short body such as {"returnCode":"OK"}.',
          evidence,
        );
      if (textAt(parsed(responseBody), "returnCode") !== undefined) return PASS;
      return warned("The answer has no returnCode, which the platform API requires.", fix, evidence);
    },
  ),
  check(
    "B5",
    "should",
    "Tolerates an unknown event type or status",
    "Acknowledge unknown events and statuses with 200, and ignore them.",
    async (bench, fix) => {
      for (const { what, change } of UNKNOWN) {
        const sent = await bench.send(withFields(await bench.event(), change));
        if (isAccepted(sent)) continue;
        return failed(
          `An event ${what} is not acknowledged, so the platform delivers it again and again.`,
          fix,
          [evidenceOf(sent, `an event ${what}`, "2xx")],
        );
      }
      return PASS;
    },
  ),
  check(
    "B6",
    "must",
    "Tolerates extra, null, missing and reordered fields",
    "Read the fields that you need and ignore the rest. The platform may add fields at any time.",
    async (bench, fix) => {
      const variants: readonly Variant[] = [
        {
          what: "an extra field",
          change: (body) => ({ ...body, addedLater: { since: "2027", list: [1, null] } }),
        },
        {
          what: "its fields in another order",
          change: (body) => Object.fromEntries(Object.entries(body).reverse()),
        },
        { what: "an optional field that is null", change: (body) => ({ ...body, description: null }) },
        { what: "a missing optional field", change: ({ description: _removed, ...body }) => body },
      ];
      const { refused, evidence } = await refusedAmong(bench, variants);
      if (refused.length === 0) return PASS;
      return failed(
        `An event with ${refused.join(" or ")} is not accepted: the schema is closed, or an optional field is treated as required.`,
        fix,
        evidence,
      );
    },
  ),
  check(
    "B7",
    "must",
    "Has a valid TLS certificate",
    "Serve a certificate of a known authority for this host name, with its whole chain, over TLS 1.2 or later.",
    async (bench, fix) => {
      if (!bench.options.url.startsWith("https:"))
        return skipped("The URL is http, so it has no certificate.");
      const sent = await bench.send(await bench.event());
      if (sent.error !== "tls") return PASS;
      return failed(sent.message, fix);
    },
  ),
];

/** A new event of a known resource, one of a new resource, and a known one with a new status. */
const UNKNOWN: readonly Required<Omit<Variant, "options">>[] = [
  {
    what: "of the unknown type ORDER-PAYOUT.SCHEDULED",
    change: (body) => ({ ...body, event: "ORDER-PAYOUT.SCHEDULED" }),
  },
  { what: "of the unknown type LOYALTY.CREATED", change: (body) => ({ ...body, event: "LOYALTY.CREATED" }) },
  { what: "with the unknown status REVIEWED", change: (body) => withStatus(body, "REVIEWED") },
];

/** Replaces the status of an event. It is a field of the event, or of its data. */
function withStatus(body: JsonObject, status: string): JsonObject {
  const { data } = body;
  if (typeof data !== "object" || data === null) return { ...body, status };
  return { ...body, data: { ...data, status } };
}
