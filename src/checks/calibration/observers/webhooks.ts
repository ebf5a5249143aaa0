import {
  AT_ONCE_MS,
  type Check,
  type Observers,
  type Range,
  SHAPE,
  distance,
  either,
  observer,
} from "./observer.ts";
import { type TrafficCall, type Traffic, type Webhook, beginOf, finishOf } from "./traffic.ts";
import { assumptions } from "../../../simulator/platform/catalog.ts";
import { durationMs } from "../../../simulator/engine/instant.ts";
import { textAt } from "../../../simulator/engine/json.ts";

export const webhookObservers: Observers = {
  "webhook.config": SHAPE,
  "webhook.rotation": observer("The secret of the attempts after a rotation.", (traffic) =>
    rotationsIn(traffic).flatMap(({ call, first, lastOld, isByTurns }) => {
      if (lastOld !== undefined)
        return [{ is: isByTurns ? "flapping" : "delayed", seen: [call, lastOld.webhook] }];
      // Later than any overlap, a new signature says nothing.
      const isSoon = first !== undefined && first.webhook.recorded.from - call.recorded.to < 60_000;
      return isSoon ? [{ is: "immediate", seen: [call, first.webhook] }] : [];
    }),
  ),
  "webhook.rotation-delay": observer(
    "The last time of the former secret, and the time from which only the new secret signs.",
    rotationDelays,
  ),
  "webhook.retry-intervals": observer(
    "The time between the attempts of one webhook that was not acknowledged.",
    retryIntervals,
  ),
  "webhook.timeout": observer(
    "The time until the platform gives up an attempt, and the longest time that it waited for an answer.",
    timeouts,
  ),
  "webhook.egress":
    "It is a setting of the sandbox. The network of a platform decides which addresses it may call.",
  "webhook.event-list": SHAPE,
  "webhook.acknowledgement": observer(
    "The attempts after a 2xx without a returnCode, and after a redirect.",
    acknowledgements,
  ),
  "webhook.order": observer("The order of arrival of events about one object.", eventOrder),
};

/** Returns true if the receiver acknowledged the webhook. */
function isAcknowledged({ status }: Webhook): boolean {
  return status >= 200 && status < 300;
}

/**
 * Returns the attempts of a delivery up to the first acknowledged attempt. Later attempts are copies, or sent by hand.
 */
function chainOf(attempts: readonly Webhook[]): readonly Webhook[] {
  const last = attempts.findIndex(isAcknowledged);
  return last === -1 ? attempts : attempts.slice(0, last + 1);
}

/** Attempts after the first one (interface: Limits). */
const RETRIES = 4;

/**
 * Measures the interval before each retry, from the end of the failed attempt. If a chain lacks an attempt, an interval
 * is the sum of two. Complete chains decide if there are any.
 */
function retryIntervals(traffic: Traffic): Range[] {
  // The recorder's clock does not show the distance of attempts on another clock.
  if (traffic.clocks === "two" || traffic.missing.webhooks) return [];
  const all = traffic.deliveries.map(chainOf);
  const chains = all.filter((chain) => chain.length > 1);
  const whole = chains.filter((chain) => chain.length === RETRIES + 1 || isAcknowledged(chain.at(-1)!));
  const measured = (whole.length > 0 ? whole : chains).map(distancesIn);
  const sure = measured.filter((chain) => !mayLackOne(chain, measured));
  return [...withoutGaps(sure), ...all.flatMap((chain) => waitIn(traffic, chain))];
}

/** Returns the time from a failed attempt to the end of the session. The interval is longer than this. */
function waitIn(traffic: Traffic, chain: readonly Webhook[]): Range[] {
  const last = chain.at(-1);
  if (last === undefined || isAcknowledged(last) || chain.length > RETRIES) return [];
  const from = endOf(traffic) - last.recorded.to;
  return from < AT_ONCE_MS ? [] : [{ from, to: Infinity, place: chain.length - 1, seen: [last] }];
}

/** The known intervals in milliseconds. */
const KNOWN_MS = (assumptions["webhook.retry-intervals"]!.default as readonly string[]).map(durationMs);

/**
 * Returns true if an interval of a chain is a later known interval or a sum of them, and no other chain has the same interval. An
 * attempt between the two, or before them, may be missing in the file.
 */
function mayLackOne(chain: readonly Range[], chains: readonly Range[][]): boolean {
  return chain.some((interval, place) => {
    const isSeenAgain = chains.some((other) => other !== chain && meets(interval, other[place]));
    return (
      !isSeenAgain &&
      !meets(interval, exactly(KNOWN_MS[place])) &&
      sumsFrom(place).some((sum) => meets(interval, exactly(sum)))
    );
  });
}

function exactly(ms: number | undefined): Pick<Range, "from" | "to"> | undefined {
  return ms === undefined ? undefined : { from: ms, to: ms };
}

/** Returns the distances of two attempts, from a place on, between which or before which attempts are missing. */
function sumsFrom(place: number): number[] {
  return KNOWN_MS.slice(place).flatMap((_, begin) => {
    const rest = KNOWN_MS.slice(place + begin);
    const sums = rest.map((_other, count) => rest.slice(0, count + 1).reduce((sum, ms) => sum + ms, 0));
    return begin === 0 ? sums.slice(1) : sums;
  });
}

function distancesIn(chain: readonly Webhook[]): Range[] {
  return chain.slice(1, RETRIES + 1).flatMap((attempt, place) => {
    const before = chain[place]!;
    const [from, to] = [finishOf(before), beginOf(attempt)];
    if (to.to - from.from < AT_ONCE_MS) return [];
    return [{ ...distance({ from, to, seen: [before, attempt] }), place }];
  });
}

/** Leaves out chains that lack an attempt of another chain: the first one, or one in the middle. */
function withoutGaps(chains: readonly Range[][]): Range[] {
  return chains
    .filter(
      (chain) =>
        !chains.some((other) => other !== chain && (lacksFirst(chain, other) || lacksOne(chain, other))),
    )
    .flat();
}

/** Returns true if a chain equals another chain from its second attempt on. */
function lacksFirst(chain: readonly Range[], other: readonly Range[]): boolean {
  const isAsFar = chain.length > 0 && chain.length < other.length;
  const isSame = chain.every((interval, place) => meets(interval, other[place]));
  return isAsFar && !isSame && chain.every((interval, place) => meets(interval, other[place + 1]));
}

/** Returns true if an interval of a chain is the sum of two intervals of another chain. */
function lacksOne(chain: readonly Range[], other: readonly Range[]): boolean {
  return chain.some((interval, place) => {
    const [one, next] = [other[place], other[place + 1]];
    if (one === undefined || next === undefined || meets(interval, one)) return false;
    return meets(interval, { from: one.from + next.from, to: one.to + next.to });
  });
}

function meets(one: Pick<Range, "from" | "to">, other: Pick<Range, "from" | "to"> | undefined): boolean {
  return other !== undefined && one.from <= other.to && one.to >= other.from;
}

/** Finds how long the platform waits for an answer: attempts that it gave up, and the longest accepted answer. */
function* timeouts(traffic: Traffic): Iterable<Range> {
  for (const webhook of traffic.webhooks) {
    const mostMs = finishOf(webhook).from - webhook.recorded.from;
    const leastMs = mostMs - webhook.lateMs;
    if (leastMs < 1_000) continue;
    if (isAcknowledged(webhook)) yield { from: leastMs, to: Infinity, seen: [webhook] };
    else if (webhook.status === 0 && /closed the connection|timeout|timed out/i.test(webhook.error ?? ""))
      yield { from: leastMs * 0.96 - 250, to: mostMs * 1.02 + 50, seen: [webhook] };
  }
}

/** An attempt after a rotation, with the secret that signed it. */
interface Signed {
  readonly webhook: Webhook;
  readonly isNew: boolean;
  readonly isOld: boolean;
}

/** A new secret from an answer, and the attempts until the next rotation with this or the former secret. */
interface Rotation {
  readonly call: TrafficCall;
  readonly first: Signed | undefined;
  readonly lastOld: Signed | undefined;
  readonly newAfter: Signed | undefined;
  /** True if the two secrets take turns. */
  readonly isByTurns: boolean;
}

function rotationsIn(traffic: Traffic): Rotation[] {
  const shown = traffic.done("getWebhook", "rotateWebhookSecret");
  const rotations = shown.filter(({ operation }) => operation === "rotateWebhookSecret");
  return rotations.flatMap((call, index) => {
    const secret = textAt(call.answer, "secret");
    const earlier = shown.findLast(({ order, company }) => order < call.order && company === call.company);
    const before = textAt(earlier?.answer, "secret");
    const until = rotations[index + 1]?.order ?? Infinity;
    // Without tokens the secrets of several companies cannot be distinguished.
    if (secret === undefined || call.company === "") return [];
    const signed = traffic.webhooks
      .filter(({ order, signedWith }) => order > call.order && order < until && signedWith !== null)
      .map((webhook) => ({
        webhook,
        isNew: webhook.signedWith === secret,
        isOld: before === undefined ? webhook.signedWith !== secret : webhook.signedWith === before,
      }))
      .filter(({ isNew, isOld }) => isNew || isOld);
    const last = signed.findLastIndex(({ isOld }) => isOld);
    const isByTurns = signed.slice(0, Math.max(0, last)).some(({ isNew }) => isNew);
    const newAfter = signed.slice(last + 1).find(({ isNew }) => isNew);
    return [{ call, first: signed[0], lastOld: signed[last], newAfter, isByTurns }];
  });
}

/**
 * Finds how long the former secret still signs: longer than the time to its last attempt, shorter than the time to the
 * next attempt with the new secret.
 */
function* rotationDelays(traffic: Traffic): Iterable<Range> {
  if (traffic.clocks === "two") return;
  for (const { call, lastOld, newAfter, isByTurns } of rotationsIn(traffic)) {
    if (lastOld === undefined) continue;
    const [called, last] = [beginOf(call), beginOf(lastOld.webhook)];
    yield { from: last.from - called.to, to: Infinity, seen: [call, lastOld.webhook] };
    // If the two secrets take turns, a new secret after the former one does not end the overlap.
    if (newAfter !== undefined && !isByTurns)
      yield {
        from: -Infinity,
        to: beginOf(newAfter.webhook).to - called.from,
        seen: [call, newAfter.webhook],
      };
  }
}

const ACCEPTED = ["any 2xx acknowledges", "a 2xx without a returnCode is retried"] as const;
const REDIRECTED = ["a redirect is retried", "a redirect acknowledges"] as const;

/** Finds out if an answer without a returnCode, or a redirect, counts as an acknowledgement. */
function* acknowledgements(traffic: Traffic): Iterable<Check> {
  if (traffic.missing.webhooks) return;
  for (const attempts of traffic.deliveries) {
    for (const [index, attempt] of attempts.entries()) {
      const next = attempts[index + 1];
      const isRetried = next !== undefined;
      const seen = isRetried ? [attempt, next] : [attempt];
      const passedMs = endOf(traffic) - attempt.recorded.to;
      const hasCode = textAt(attempt.answer, "returnCode") !== undefined;
      // The session has to go on long enough for a retry.
      if (index === attempts.findIndex(isAcknowledged) && !hasCode && passedMs > 120_000)
        yield either(!isRetried, ACCEPTED, seen, "2xx");
      const isRedirect = attempt.status >= 300 && attempt.status < 400 && index < RETRIES;
      if (isRedirect && (isRetried || passedMs > usualMs(traffic, index) * 1.5))
        yield either(isRetried, REDIRECTED, seen, "redirect");
    }
  }
}

/** Returns the longest observed time between the attempt with this index and the next attempt. */
function usualMs({ deliveries }: Traffic, index: number): number {
  const usual = deliveries.flatMap((attempts) => {
    const [one, next] = [attempts[index], attempts[index + 1]];
    return one === undefined || next === undefined ? [] : [beginOf(next).to - finishOf(one).from];
  });
  return usual.length === 0 ? Infinity : Math.max(...usual);
}

/** Returns the beginning of the last exchange of a session, on the clock of the recorder. */
function endOf({ webhooks, calls }: Traffic): number {
  return Math.max(webhooks.at(-1)?.recorded.from ?? 0, calls.at(-1)?.recorded.from ?? 0);
}

/** A webhook that comes later than this may be another attempt. Its first attempt is then missing. */
const AGAIN_MS = 20_000;

/** Compares the first attempts of events about one object with the order of the events. */
function* eventOrder(traffic: Traffic): Iterable<Check> {
  const last = new Map<string, Webhook>();
  for (const event of traffic.events) {
    const id = textAt(event.body, "data.id") ?? textAt(event.body, "id");
    if (id === undefined || event.at === undefined) continue;
    const before = last.get(id);
    const isInOrder = before?.at === undefined || before.at.from <= event.at.to;
    if (isInOrder) last.set(id, event);
    if (before?.at === undefined) continue;
    const isRight = isInOrder || event.recorded.from - before.recorded.from > AGAIN_MS;
    const otherwise = `${event.event} is sent after the later ${before.event}`;
    const names = ["events about one object are sent in their order", otherwise] as const;
    yield either(isRight, names, [before, event], isInOrder ? "" : event.event);
  }
}
