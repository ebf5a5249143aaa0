import type { JsonObject } from "../../simulator/engine/json.ts";
import { type Bench, type SendOptions, isAccepted } from "./bench.ts";
import {
  type SentEvidence,
  type Finding,
  PASS,
  type Sent,
  evidenceOf,
  failed,
  inconclusive,
} from "./finding.ts";
import { type WebhookEvent, withFields } from "./event-source.ts";

/** A good event that differs in one thing that a receiver has to tolerate: in its body, or in how it is sent. */
export interface Variant {
  readonly what: string;
  readonly change?: (body: JsonObject) => JsonObject;
  readonly options?: SendOptions;
}

/**
 * Sends every variant at once, and each refused variant once more alone. Returns the variants that were refused again.
 */
export async function refusedAmong(
  bench: Bench,
  variants: readonly Variant[],
): Promise<{ readonly refused: readonly string[]; readonly evidence: readonly SentEvidence[] }> {
  const refused: string[] = [];
  const evidence: SentEvidence[] = [];
  const all: (readonly [WebhookEvent, SendOptions])[] = [];
  for (const { change, options = {} } of variants) {
    const event = await bench.event();
    all.push([change === undefined ? event : withFields(event, change), options]);
  }
  for (const [index, sent] of (await refusedAlone(bench, all)).entries()) {
    const what = variants[index]?.what ?? "";
    if (sent === undefined) continue;
    refused.push(what);
    evidence.push(evidenceOf(sent, `an event with ${what}`, "2xx"));
  }
  return { refused, evidence };
}

/**
 * Sends events at once, and each refused event once more alone. Returns the answers to the events that are refused both
 * times, each at its place.
 */
export async function refusedAlone(
  bench: Bench,
  events: readonly (readonly [WebhookEvent, SendOptions?])[],
): Promise<(Sent | undefined)[]> {
  const answers: (Sent | undefined)[] = [];
  while (answers.length < events.length) {
    const some = events.slice(answers.length, answers.length + bench.countAtOnce(events.length));
    for (const [index, first] of (await bench.sendAll(some)).entries()) {
      const again = isAccepted(first) ? first : await bench.send(...some[index]!);
      answers.push(isAccepted(again) ? undefined : again);
    }
  }
  return answers;
}

/**
 * Validates answers to requests that a receiver has to reject with a 4xx, and checks that a good event is still
 * accepted afterwards: a receiver that has broken down rejects everything.
 */
export async function rejectionFinding(
  bench: Bench,
  rejections: readonly { readonly what: string; readonly sent: Sent }[],
  fix: string,
): Promise<Finding> {
  const wrong = rejections.filter(({ sent: { status } }) => status === null || status < 400 || status >= 500);
  const evidence = wrong.map(({ what, sent }) => evidenceOf(sent, what, "4xx"));
  const accepted = wrong.filter(({ sent }) => isAccepted(sent));
  if (accepted.length > 0) return failed(`An event with ${namesOf(accepted)} was accepted.`, fix, evidence);
  const broken = wrong.filter(({ sent }) => sent.status === null || sent.status >= 500);
  if (broken.length > 0) {
    const isSilent = broken.every(({ sent }) => sent.error === "timeout");
    const what = isSilent
      ? `The receiver does not answer an event with ${namesOf(broken)}`
      : `The receiver fails on ${namesOf(broken)}`;
    return failed(`${what}. The platform treats this as a failure and delivers it again.`, fix, evidence);
  }
  if (wrong.length > 0) {
    const cause = `An event with ${namesOf(wrong)} was redirected, but a 4xx is required.`;
    return failed(cause, "Answer 401.", evidence);
  }
  if (rejections.some(({ sent }) => sent.status === 429))
    return inconclusive("The receiver limits the rate of requests.", "Slow the check down with --rate.");
  if (await bench.isAlive()) return PASS;
  const cause = `After an event with ${namesOf(rejections)} the receiver no longer accepts a good event.`;
  return failed(cause, fix);
}

function namesOf(rejections: readonly { readonly what: string }[]): string {
  return rejections.map(({ what }) => what).join(", ");
}
