import {
  AT_ONCE_MS,
  type Check,
  type Found,
  type Observation,
  type Observer,
  type Pair,
  type Range,
  distance,
  either,
} from "./observer.ts";
import { type Call, type Traffic, type Webhook, textAt } from "./traffic.ts";

/** A receiver that acknowledged. */
function isAcknowledged({ status }: Webhook): boolean {
  return status >= 200 && status < 300;
}

/** The attempts of a delivery up to the first that was acknowledged: what follows is a copy, or sent by hand. */
function chainOf(attempts: readonly Webhook[]): readonly Webhook[] {
  const last = attempts.findIndex(isAcknowledged);
  return last === -1 ? attempts : attempts.slice(0, last + 1);
}

/** Attempts after the first one (interface: Limits). */
const RETRIES = 4;

/**
 * The interval before each retry, from the end of the attempt that failed. A chain that lacks an attempt has an
 * interval that is the sum of two: where other chains are whole, those decide.
 */
export function retryIntervals(how: string): Observer {
  return {
    how,
    observe: (traffic) => {
      // The recorder's clock does not show how far apart attempts are on another one.
      if (traffic.clocks === "two") return [];
      const chains = traffic.deliveries.map(chainOf).filter((chain) => chain.length > 1);
      const whole = chains.filter((chain) => chain.length === RETRIES + 1 || isAcknowledged(chain.at(-1)!));
      const measured = withoutGaps((whole.length > 0 ? whole : chains).map(distancesIn));
      return [...measured, ...traffic.deliveries.map(chainOf).flatMap((chain) => waitIn(traffic, chain))];
    },
  };
}

/** How long the session went on after an attempt that failed without another one: the interval is longer. */
function waitIn(traffic: Traffic, chain: readonly Webhook[]): Observation[] {
  const last = chain.at(-1);
  if (last === undefined || isAcknowledged(last) || chain.length > RETRIES) return [];
  const from = endOf(traffic) - last.recorded.to;
  return from < AT_ONCE_MS ? [] : [{ from, to: Infinity, place: chain.length - 1, entries: [last.entry] }];
}

function distancesIn(chain: readonly Webhook[]): Observation[] {
  return chain.slice(1).flatMap((attempt, index) => {
    const before = chain[index];
    if (before === undefined || index >= RETRIES) return [];
    const pair: Pair = {
      from: { from: before.recorded.to, to: before.recorded.to },
      to: { from: attempt.recorded.from, to: attempt.recorded.from },
      seen: [before, attempt],
    };
    const isAtOnce = attempt.recorded.from - before.recorded.to < AT_ONCE_MS;
    return isAtOnce ? [] : [distance(pair, index)];
  });
}

type Measured = Extract<Observation, { from: number }>;

/** Leaves out chains that another chain explains as one that lacks an attempt: the first one, or one in the middle. */
function withoutGaps(chains: readonly Observation[][]): Observation[] {
  const measured = chains.map((chain) => chain as Measured[]);
  return measured
    .filter(
      (chain) =>
        !measured.some((other) => other !== chain && (lacksFirst(chain, other) || lacksOne(chain, other))),
    )
    .flat();
}

/** Whether a chain is another one from its second attempt on. */
function lacksFirst(chain: readonly Measured[], other: readonly Measured[]): boolean {
  const isAsFar = chain.length > 0 && chain.length < other.length;
  const isSame = chain.every((interval, place) => meets(interval, other[place]));
  return isAsFar && !isSame && chain.every((interval, place) => meets(interval, other[place + 1]));
}

/** Whether an interval of a chain is the sum of two of another one. */
function lacksOne(chain: readonly Measured[], other: readonly Measured[]): boolean {
  return chain.some((interval, place) => {
    const [one, next] = [other[place], other[place + 1]];
    if (one === undefined || next === undefined || meets(interval, one)) return false;
    return meets(interval, { from: one.from + next.from, to: one.to + next.to });
  });
}

interface Interval {
  readonly from: number;
  readonly to: number;
}

function meets(one: Interval, other: Interval | undefined): boolean {
  return other !== undefined && one.from <= other.to && one.to >= other.from;
}

/** How long the platform waits for an answer: what it gave up on, and the longest that it took. */
export function* timeouts(traffic: Traffic): Iterable<Range> {
  for (const webhook of traffic.webhooks) {
    const waited = webhook.recorded.to - webhook.recorded.from;
    if (waited < 1_000) continue;
    if (isAcknowledged(webhook)) yield { from: waited, to: Infinity, seen: [webhook] };
    else if (webhook.status === 0 && /closed the connection|timeout|timed out/i.test(webhook.error ?? ""))
      yield { from: waited * 0.96 - 250, to: waited * 1.02 + 50, seen: [webhook] };
  }
}

/** A new secret from an answer, and the one before it. */
interface Rotation {
  readonly call: Call;
  readonly secret: string;
  readonly before: string | undefined;
  readonly until: number;
}

function rotationsIn(traffic: Traffic): Rotation[] {
  const shown = traffic.done("getWebhook", "rotateWebhookSecret");
  const rotations = shown.filter(({ operation }) => operation === "rotateWebhookSecret");
  return rotations.flatMap((call, index) => {
    const secret = textAt(call.answer, "secret");
    const earlier = shown.findLast(({ order, company }) => order < call.order && company === call.company);
    const until = rotations[index + 1]?.order ?? Infinity;
    return secret === undefined ? [] : [{ call, secret, before: textAt(earlier?.answer, "secret"), until }];
  });
}

/** The attempts after a rotation, with whether the former secret signed them. */
function signedAfter(traffic: Traffic, { call, secret, before, until }: Rotation) {
  return traffic.webhooks
    .filter(({ order, signedWith }) => order > call.order && order < until && signedWith !== null)
    .map((webhook) => ({
      webhook,
      isNew: webhook.signedWith === secret,
      isOld: before === undefined ? webhook.signedWith !== secret : webhook.signedWith === before,
    }))
    .filter(({ isNew, isOld }) => isNew || isOld);
}

/** How a new secret takes over: at once, after a while, or by turns. */
export function* rotations(traffic: Traffic): Iterable<Found> {
  for (const rotation of rotationsIn(traffic)) {
    const signed = signedAfter(traffic, rotation);
    const [first] = signed;
    const lastOld = signed.findLast(({ isOld }) => isOld);
    if (first === undefined) continue;
    const seen = [rotation.call, first.webhook];
    if (lastOld === undefined) {
      // Later than any overlap, a new signature says nothing.
      if (first.webhook.recorded.from - rotation.call.recorded.to < 60_000) yield { is: "immediate", seen };
    } else {
      const isByTurns = signed.slice(0, signed.indexOf(lastOld)).some(({ isNew }) => isNew);
      yield { is: isByTurns ? "flapping" : "delayed", seen: [rotation.call, lastOld.webhook] };
    }
  }
}

/** How long the former secret still signs: longer than to its last attempt, less than to the first of the new one after it. */
export function* rotationDelays(traffic: Traffic): Iterable<Range> {
  if (traffic.clocks === "two") return;
  for (const rotation of rotationsIn(traffic)) {
    const signed = signedAfter(traffic, rotation);
    const lastOld = signed.findLast(({ isOld }) => isOld);
    if (lastOld === undefined) continue;
    const after = signed.slice(signed.indexOf(lastOld) + 1).find(({ isNew }) => isNew);
    const since = ({ recorded }: Webhook): number => recorded.from - rotation.call.recorded.from;
    yield { from: since(lastOld.webhook), to: Infinity, seen: [rotation.call, lastOld.webhook] };
    // Where the two take turns, a new one after the former does not end the overlap.
    const isByTurns = signed.slice(0, signed.indexOf(lastOld)).some(({ isNew }) => isNew);
    if (after !== undefined && !isByTurns)
      yield { from: -Infinity, to: since(after.webhook), seen: [rotation.call, after.webhook] };
  }
}

/** Whether an answer without a returnCode, or a redirect, is taken for an acknowledgement. */
export function* acknowledgements(traffic: Traffic): Iterable<Check> {
  for (const attempts of traffic.deliveries) {
    for (const [index, attempt] of attempts.entries()) {
      const next = attempts[index + 1];
      const seen = next === undefined ? [attempt] : [attempt, next];
      const hasCode = textAt(attempt.answer, "returnCode") !== undefined;
      const isFirst = index === attempts.findIndex(isAcknowledged);
      if (isAcknowledged(attempt) && !hasCode && isFirst && isLongSince(traffic, attempt))
        yield either(
          next === undefined,
          ["any 2xx acknowledges", "a 2xx without a returnCode is retried"],
          seen,
          "2xx",
        );
      const isRedirect = attempt.status >= 300 && attempt.status < 400;
      if (isRedirect && index < RETRIES && (next !== undefined || isOverdue(traffic, attempt, index)))
        yield either(
          next !== undefined,
          ["a redirect is retried", "a redirect acknowledges"],
          seen,
          "redirect",
        );
    }
  }
}

/** Whether the session went on long enough for a retry. */
function isLongSince(traffic: Traffic, { recorded }: Webhook): boolean {
  return endOf(traffic) - recorded.to > 120_000;
}

/** Whether other webhooks that failed were long tried again after as many attempts. */
function isOverdue(traffic: Traffic, { recorded }: Webhook, index: number): boolean {
  const usual = traffic.deliveries.flatMap((attempts) => {
    const [one, next] = [attempts[index], attempts[index + 1]];
    return one === undefined || next === undefined ? [] : [next.recorded.from - one.recorded.to];
  });
  return usual.length > 0 && endOf(traffic) - recorded.to > Math.max(...usual) * 1.5;
}

/** When the last exchange of a session began, on the clock of the recorder. */
function endOf({ webhooks, calls }: Traffic): number {
  return Math.max(webhooks.at(-1)?.recorded.from ?? 0, calls.at(-1)?.recorded.from ?? 0);
}

/** What comes later than this may be another attempt, whose first one is missing. */
const AGAIN_MS = 20_000;

/** The first attempts of events about one object, in the order of the events. */
export function* eventOrder(traffic: Traffic): Iterable<Check> {
  const last = new Map<string, Webhook>();
  for (const event of traffic.events) {
    const id = textAt(event.body, "data.id") ?? textAt(event.body, "id");
    if (id === undefined || event.at === undefined) continue;
    const before = last.get(id);
    if (before?.at !== undefined)
      yield either(
        before.at <= event.at || event.recorded.from - before.recorded.from > AGAIN_MS,
        [
          "events about one object are sent in their order",
          `${event.event} is sent after the later ${before.event}`,
        ],
        [before, event],
        before.at <= event.at ? "" : event.event,
      );
    if (before?.at === undefined || before.at <= event.at) last.set(id, event);
  }
}
