import type { StateDifference } from "../../../partner/states/comparison.ts";
import { EFFECT_UNKNOWN, HOW_TO_OBSERVE } from "./signature.ts";
import { changedAgain, duplicateRefused, ONCE, otherChange } from "../state-findings.ts";
import { type Finding, PASS, type Sent, evidenceOf, failedBy, inconclusive, skipped } from "../finding.ts";
import { type Bench, type ReceiverCheck, check, isAccepted } from "../bench.ts";
import { effectsSince, outcomeOf } from "../effects.ts";
import { type ObjectKind, type WebhookEvent, jsonOf, withFields } from "../event-source.ts";
import {
  DIFFERS,
  byFamily,
  newObjects,
  observedOf,
  resent,
  sendInOrder,
  shownCount,
  shownPart,
} from "../families.ts";
import { NothingShown, type Probe } from "../probe.ts";

/** Checks that two copies of an event have the effect of one. */
export const idempotencyChecks: readonly ReceiverCheck[] = [
  check("I1", "must", "Handles a duplicate once", ONCE, handlesCopies),
  check("I2", "must", "Handles concurrent duplicates once", ONCE, async (bench) => {
    const finding = await handlesOnce(bench, "sent five times at the same moment,", async (event) => {
      const sent = await bench.sendTogether(event, 5);
      if (!sent.every(isAccepted)) sent.push(await bench.send(event));
      return { sent };
    });
    if (finding.code !== "handled-twice") return finding;
    // It is a race if copies one after another are handled once.
    const { verdict } = await handlesCopies(bench);
    if (verdict === "fail") return finding;
    const { code: _code, ...open } = finding;
    return verdict === "pass" ? { ...finding, code: "race-of-copies" } : open;
  }),
  check("I3", "must", "Handles a retry after a lost answer once", ONCE, (bench) =>
    handlesOnce(bench, "whose answer was lost, sent again,", async (event) => {
      await bench.send(event, { manner: { kind: "reset-after-request" } });
      // The first answer was lost, so the answer to the retry must show the processed event.
      return { sent: [await bench.send(event)], lost: 1 };
    }),
  ),
  check("I4", "must", "Handles a late duplicate once", ONCE, (bench) => {
    const { probe } = bench;
    return probe === undefined ? skippedLate() : handlesLateCopies(bench, probe);
  }),
  check(
    "I5",
    "must",
    "Handles an event whose first attempt failed",
    "Mark an event as handled in the transaction that does its work, so that a failure leaves no mark.",
    async (bench, fix) => {
      const { calls } = bench.options;
      if (calls === undefined)
        return skipped(
          "This check needs a receiver that calls the sandbox, because the sandbox's answer makes its work fail.",
          "Let the receiver call the sandbox that --sandbox-port opens.",
        );
      const event = await bench.event();
      const before = bench.writes;
      const callsBefore = calls.count;
      calls.isFailing = true;
      const attempt = await bench.send(event);
      calls.isFailing = false;
      if (calls.count === callsBefore)
        return skipped("The receiver did not call the sandbox for this event, so its work could not fail.");
      const retry = await bench.send(event);
      const effect = await effectsSince(bench, before, event, []);
      const evidence = [
        evidenceOf(attempt, "an event while the sandbox answers 503", "5xx, to get the event again"),
        evidenceOf(retry, "the same event again", "2xx"),
      ];
      if (effect?.count === 1 && isAccepted(retry)) return PASS;
      if (effect?.count === 0)
        return failedBy(
          isAccepted(attempt) ? "acknowledged-before-stored" : "marked-before-work",
          isAccepted(attempt)
            ? "The event was acknowledged although its work failed, and is lost."
            : "The retry was treated as a duplicate of the failed attempt, and the event is lost.",
          fix,
          evidence,
        );
      const what = "An event that failed first, sent again,";
      return onceFinding(bench, event, { before, sent: [retry], what });
    },
  ),
  check("I6", "info", "Handles a repeated report of the same status once", ONCE, async (bench) => {
    const event = await bench.event();
    const what = "The same status, reported again later";
    const counted = await countedCopies(bench, [event, reportedLater(event)], what);
    const finding = await withFamilies(bench, counted, (kinds, probe) =>
      changesNothingAgain(bench, probe, kinds, (events) => events.slice(-1).map(reportedLater), what),
    );
    if (finding.verdict !== "fail") return finding;
    // The platform API does not require a result for an event with another time.
    const note = "This is only advice: the platform repeats an event with the same bytes.";
    const { code: _code, ...advice } = finding;
    return { ...advice, verdict: "warn", cause: `${finding.cause ?? ""} ${note}` };
  }),
];

/** Delivers copies one after another. */
async function handlesCopies(bench: Bench): Promise<Finding> {
  const event = await bench.event();
  const counted = await countedCopies(bench, [event, event, event], "The same event, sent three times");
  return withFamilies(bench, counted, (kinds, probe) =>
    changesNothingAgain(bench, probe, kinds, (events) => [...events, ...events]),
  );
}

/** Returns the event with another time. */
function reportedLater(event: WebhookEvent): WebhookEvent {
  return withFields(event, (body) => ({
    ...body,
    ...("updatedAt" in body && { updatedAt: "2026-12-01T00:00:00.000Z" }),
    ...("occurredAt" in body && { occurredAt: "2026-12-01T00:00:00.000Z" }),
  }));
}

/** Delivers an event, then copies of it, and counts how often it took effect. */
async function countedCopies(
  bench: Bench,
  events: readonly [WebhookEvent, ...WebhookEvent[]],
  what: string,
): Promise<Finding> {
  const before = bench.writes;
  const sent: Sent[] = [];
  for (const event of events) sent.push(await bench.send(event));
  const refused = sent.slice(1).find((one) => !isAccepted(one));
  if (refused !== undefined) return duplicateRefused(refused);
  return onceFinding(bench, events[0], { before, sent, what: `${what},` });
}

/**
 * Decides for each kind of object by the state, if there is a probe. The counted effects are the stricter evidence: a
 * failure of either is a failure. If the probe shows no change at all, the count decides.
 */
async function withFamilies(
  bench: Bench,
  counted: Finding,
  run: (kinds: readonly ObjectKind[], probe: Probe) => Promise<Finding>,
): Promise<Finding> {
  const { probe } = bench;
  if (probe === undefined) return counted;
  const shown = await byFamily(bench, (kinds) => run(kinds, probe), { seesObjects: true });
  const { families } = shown;
  const isShown = families?.some(({ verdict }) => verdict !== "inconclusive") === true;
  if (counted.verdict === "fail") {
    const causes = new Set([counted.cause, ...(shown.verdict === "fail" ? [shown.cause] : [])]);
    return { ...counted, cause: [...causes].join(" "), ...(families && { families }) };
  }
  return isShown || counted.verdict === "inconclusive" ? shown : counted;
}

/**
 * Delivers the events of an object, then their copies, which must not change the state. Without `what` the cause names
 * the first event whose copy changes the state. If only later copies change it, the cause says so.
 */
async function changesNothingAgain(
  bench: Bench,
  probe: Probe,
  kinds: readonly ObjectKind[],
  copiesOf: (events: readonly WebhookEvent[]) => readonly WebhookEvent[],
  what?: string,
): Promise<Finding> {
  const counts = await Promise.all(kinds.map((kind) => shownCount(bench, kind)));
  // The changes of its events may cancel each other, like money that comes in and is given back.
  for (const count of new Set([Infinity, ...counts])) {
    const { differences, refused } = await repeated(bench, probe, kinds, { count, copiesOf });
    if (refused !== undefined) return duplicateRefused(refused);
    if (differences.length === 0) continue;
    if (kinds.length > 1) return DIFFERS;
    if (what !== undefined) return changedAgain(what, differences);
    return (
      (await firstAlone(bench, kinds, count, async (place, name) => {
        const alone = { count: place + 1, copiesOf: (events: readonly WebhookEvent[]) => events.slice(-1) };
        const { differences: own } = await repeated(bench, probe, kinds, alone);
        return own.length === 0 ? undefined : changedAgain(`A second copy of ${name}`, own);
      })) ?? changedAgain(SHORT_MEMORY, differences, "handled-events-forgotten")
    );
  }
  return PASS;
}

/** The number of other events before a late copy. */
const OTHERS = 100;

/** The number of them that come at the same time. */
const OTHERS_AT_ONCE = 10;

async function skippedLate(): Promise<Finding> {
  return skipped(
    "Only the receiver's state shows if a copy after many other events changed something.",
    "Name a URL with --probe that returns this state as JSON.",
  );
}

/**
 * Repeats the events of objects after many others, and once more after a kill of the process, if it can be killed. The
 * receiver's memory may also end by its own clock. That would show only days later, in real time.
 */
async function handlesLateCopies(bench: Bench, probe: Probe): Promise<Finding> {
  const originals = new Map<ObjectKind, readonly WebhookEvent[]>();
  const prepared = await byFamily(bench, async (kinds) => {
    const counts = await Promise.all(kinds.map((kind) => shownCount(bench, kind)));
    const objects = await newObjects(bench, kinds);
    const all = objects.map(({ events }, index) => events.slice(0, counts[index]));
    await Promise.all(all.map((own) => sendInOrder(bench, own)));
    for (const [index, kind] of kinds.entries()) originals.set(kind, all[index]!);
    return PASS;
  });
  if (originals.size === 0) return { ...prepared, verdict: "skipped" };
  for (let sent = 0; sent < OTHERS; sent += OTHERS_AT_ONCE) {
    const others: (readonly [WebhookEvent])[] = [];
    for (let one = 0; one < OTHERS_AT_ONCE; one += 1) others.push([await bench.event()]);
    await bench.sendAll(others);
  }
  const again = (memory: string, when: string): Promise<Finding> => {
    const changesNothing = async ([lifecycle]: readonly ObjectKind[]): Promise<Finding> => {
      const events = lifecycle && originals.get(lifecycle);
      if (events === undefined)
        throw new NothingShown("The probe showed no change after its accepted events.");
      const copied = async (): Promise<Sent | readonly StateDifference[]> => {
        const known = await probe.before();
        const refused = await firstRefused(bench, events);
        return refused ?? probe.differences(known, await probe.settled());
      };
      const late = await copied();
      if ("status" in late) return duplicateRefused(late);
      if (late.length === 0) return PASS;
      // A copy that is also handled again at once has another cause than memory.
      const atOnce = await copied();
      const isForgotten = !("status" in atOnce) && atOnce.length === 0;
      const copy = `copy of an event of one ${lifecycle}`;
      return isForgotten
        ? changedAgain(`${memory}: ${when} a ${copy}`, late, "handled-events-forgotten")
        : changedAgain(`A ${copy}`, late);
    };
    // A copy at once would be remembered by the next one.
    return byFamily(bench, changesNothing, { isAlone: true, seesObjects: true });
  };
  const late = await again("The memory of handled events is too short", `after ${OTHERS} other events`);
  if (late.verdict === "fail" || bench.options.partner === undefined) return late;
  const running = await probe.before();
  await bench.restart();
  // T6 reports a state that is lost with the process.
  if ((await probe.differences(running, await probe.settled())).length > 0) return late;
  return again("The memory of handled events is lost with the process", "after it was killed");
}

const SHORT_MEMORY =
  "The memory of handled events is too short: a copy at once changes nothing, but a copy after other events";

/** Returns the changes of copies in the state that the probe shows. */
async function repeated(
  bench: Bench,
  probe: Probe,
  kinds: readonly ObjectKind[],
  {
    count,
    copiesOf,
  }: {
    /** The number of the object's events that are sent. */
    readonly count: number;
    readonly copiesOf: (events: readonly WebhookEvent[]) => readonly WebhookEvent[];
  },
): Promise<{ readonly differences: readonly StateDifference[]; readonly refused?: Sent }> {
  const objects = await newObjects(bench, kinds);
  const all = objects.map(({ events }) => ({
    own: events.slice(0, count),
    copies: copiesOf(events.slice(0, count)),
  }));
  const untouched = await probe.before();
  await Promise.all(all.map(({ own }) => sendInOrder(bench, own)));
  const once = await probe.afterWork(untouched);
  const refused = await Promise.all(all.map(({ copies }) => firstRefused(bench, copies)));
  const first = refused.find((sent) => sent !== undefined);
  if (first !== undefined) return { differences: [], refused: first };
  const times = timesOf(all.flatMap(({ own, copies }) => [...own, ...copies]));
  return { differences: await probe.differences(once, await probe.settled(), times) };
}

/** Sends events one after another until one is refused, and returns its answer. */
async function firstRefused(bench: Bench, events: readonly WebhookEvent[]): Promise<Sent | undefined> {
  for (const event of events) {
    const sent = await bench.send(event);
    if (!isAccepted(sent)) return sent;
  }
  return undefined;
}

/** Tries the events of an object one by one. Returns the finding of the first event that shows it. */
async function firstAlone(
  bench: Bench,
  kinds: readonly ObjectKind[],
  count: number,
  find: (place: number, name: string) => Promise<Finding | undefined>,
): Promise<Finding | undefined> {
  const [object] = await newObjects(bench, kinds);
  for (const [place, { name }] of (object?.events ?? []).slice(0, count).entries()) {
    const found = await find(place, name);
    if (found !== undefined) return found;
  }
  return undefined;
}

interface Copies {
  /** The last one has to be accepted. */
  readonly sent: readonly Sent[];
  /** The number of lost answers that would have named `processed`. */
  readonly lost?: number;
}

/** Returns the last answer. After a 5xx the event comes again, as the platform sends it. */
async function acceptedLast(bench: Bench, event: WebhookEvent, last: Sent): Promise<Sent> {
  return last.status !== null && last.status >= 500 ? resent(bench, event) : last;
}

/** Delivers copies of one event, and compares their change with the change of one delivery. */
async function handlesOnce(
  bench: Bench,
  what: string,
  repeat: (event: WebhookEvent) => Promise<Copies>,
): Promise<Finding> {
  const event = await bench.event();
  const before = bench.writes;
  const copies = await repeat(event);
  const last = await acceptedLast(bench, event, copies.sent.at(-1)!);
  const counted = isAccepted(last)
    ? await onceFinding(bench, event, { ...copies, before, what: `The same event, ${what}` })
    : duplicateRefused(last);
  return withFamilies(bench, counted, async (kinds, probe) => {
    const { usual, count } = await shownPart(bench, kinds);
    const find = async (named: string, isRepeated: (place: number) => boolean) => {
      const refused: Sent[] = [];
      const observed = await observedOf(bench, probe, kinds, async (events) => {
        const own = events.slice(0, count);
        for (const [place, one] of own.entries()) {
          const { sent } = isRepeated(place) ? await repeat(one) : { sent: [await bench.send(one)] };
          const last = await acceptedLast(bench, one, sent.at(-1)!);
          if (!isAccepted(last)) refused.push(last);
        }
        return own;
      });
      if (refused[0] !== undefined) return duplicateRefused(refused[0]);
      const differences = await probe.unusual(usual, observed);
      return differences.length === 0
        ? undefined
        : otherChange(`${named}, ${what}`, differences, { code: "handled-twice", fix: ONCE });
    };
    const together = await find(`The events of one ${kinds.join(", ")}, each`, () => true);
    if (together === undefined) return PASS;
    if (kinds.length > 1) return DIFFERS;
    return (
      (await firstAlone(bench, kinds, count, (place, name) => find(name, (one) => one === place))) ?? together
    );
  });
}

/** Returns the times that a receiver may store. A newer time does not count as another state. */
function timesOf(events: readonly WebhookEvent[]): Map<string, string> {
  const all = events.flatMap((event) =>
    Object.entries(jsonOf(event)).filter(([name]) => name === "updatedAt" || name === "occurredAt"),
  );
  return new Map(all.map(([, time]) => [String(time), "its time"]));
}

async function onceFinding(
  bench: Bench,
  event: WebhookEvent,
  { before, sent, what, lost = 0 }: Copies & { readonly before: number; readonly what: string },
): Promise<Finding> {
  const effect = await effectsSince(bench, before, event, sent.map(outcomeOf));
  if (effect === undefined) return EFFECT_UNKNOWN;
  const count = effect.count + (effect.by.startsWith("its header") ? lost : 0);
  if (count === 1) return PASS;
  if (count === 0) return inconclusive(`${what} had no visible effect by ${effect.by}.`, HOW_TO_OBSERVE);
  return failedBy(
    "handled-twice",
    `${what} took effect ${count} times, by ${effect.by}: duplicates are not recognised, or two duplicates at once are not.`,
    ONCE,
  );
}
