import { type CheckLevel, type Finding, PASS, evidenceOf, failedBy, skipped } from "../finding.ts";
import { type Bench, type ReceiverCheck, check } from "../bench.ts";
import { type ObjectKind, type WebhookEvent, withFields } from "../event-source.ts";
import {
  DIFFERS,
  Refused,
  byFamily,
  newObjects,
  observedOf,
  ofFamily,
  sendInOrder,
  shownCount,
  usualOf,
} from "../families.ts";
import type { StateDifference } from "../../../partner/states/comparison.ts";
import { ifShown, type Probe } from "../probe.ts";
import { OBJECT_UNSEEN, otherChange } from "../state-findings.ts";

/** Events of one object: as they were caused, and how they arrive. */
interface ArrivalOrder {
  /** The name that their usual change is stored under. */
  readonly name: string;
  readonly caused: (events: readonly WebhookEvent[]) => readonly WebhookEvent[];
  /** Other events in their place, if these show no change. */
  readonly otherwise?: Pick<ArrivalOrder, "name" | "caused">;
  /** The places of so many events, in each order of arrival. */
  readonly arriving: (places: readonly number[]) => readonly (readonly number[])[];
  readonly when: string;
  /** The kinds of objects that it is about. All with several events if undefined. */
  readonly kinds?: readonly ObjectKind[];
  /** The events that a receiver has to know before take part. */
  readonly isWhole?: boolean;
}

const SAME_TIME = "events of the same time";
const ALL: Pick<ArrivalOrder, "name" | "caused"> = { name: "all events", caused: (events) => events };
const ORDERS_OF_THREE = [
  [0, 2, 1],
  [1, 0, 2],
  [1, 2, 0],
  [2, 0, 1],
  [2, 1, 0],
];

const EVERY_ORDER: ArrivalOrder = {
  ...ALL,
  arriving: (places) => (places.length < 3 ? [places.toReversed()] : ORDERS_OF_THREE),
  when: "when its events came in another order",
};

/** The first attempt of the event about the subscription fails, and its retry comes after the events of a charge. */
const PARENT_LAST: ArrivalOrder = {
  name: "all events and that of its subscription",
  caused: (events) => events,
  arriving: ([parent = 0, ...own]) => [[...own, parent]],
  when: "when its subscription became known after it",
  kinds: ["charge", "canceled charge"],
  isWhole: true,
};

const LOST = {
  reason: "An event that came early was acknowledged, then lost.",
  fix: "An event that came early was acknowledged, then lost: keep it until its object is known, or answer 5xx to get it again.",
};
const OVERWRITTEN = {
  code: "older-overwrites-newer",
  reason: "An old event overwrites a newer state.",
  fix: "An old event overwrites a newer state. Store the time of the newest event of each object, and ignore older events. Or read the object from the API and store that.",
} as const;
const UNDECIDED = {
  code: "depends-on-order",
  reason: "Of events with equal times the one that comes last wins, or they are taken for one event.",
  fix: "Of events with equal times the one that comes last wins, or they are taken for one event. Distinguish events by their name and object, and let a status only go forward. Or read the object from the API.",
} as const;

/** Checks if the order of arrival makes a difference. */
export const orderChecks: readonly ReceiverCheck[] = [
  orderCheck("E1", "must", "Takes a pair of events in either order", OVERWRITTEN.fix, {
    name: "two events",
    caused: (events) => events.slice(0, 2),
    otherwise: { name: "the last two events", caused: (events) => events.slice(-2) },
    arriving: (places) => [places.toReversed()],
    when: "when its second event came before the first",
  }),
  check("E2", "must", "Reaches the same state in every order", OVERWRITTEN.fix, async (bench) => {
    const finding = await compare(bench, EVERY_ORDER);
    if (finding.verdict !== "pass" || bench.probe === undefined) return finding;
    const late = await compare(bench, PARENT_LAST);
    return late.verdict === "fail" ? { ...late, families: mergedFamilies(finding, late) } : finding;
  }),
  // The first attempt of an event fails, newer events are delivered, then the retry arrives.
  orderCheck("E3", "must", "Is not set back by a late retry", OVERWRITTEN.fix, {
    ...ALL,
    arriving: ([first = 0, ...newer]) => [[...newer, first]],
    when: "when an old event was retried after newer ones",
  }),
  orderCheck("E4", "should", "Reaches the same state at equal times", UNDECIDED.fix, {
    name: SAME_TIME,
    caused: (events) =>
      events.map((event) =>
        withFields(event, (body) => ({ ...body, occurredAt: "2026-12-01T00:00:00.000Z" })),
      ),
    arriving: (places) => [places.toReversed()],
    when: "when events of the same time came in another order",
  }),
  check(
    "E5",
    "should",
    "Takes an event before the answer of its request",
    "Keep an event whose object you do not know yet, or answer 503 until you know the object.",
    async () =>
      skipped(
        "This check cannot send requests for the partner. A scenario with the fault event-before-commit shows it.",
      ),
  ),
];

function orderCheck(
  id: string,
  level: CheckLevel,
  title: string,
  fix: string,
  order: ArrivalOrder,
): ReceiverCheck {
  return check(id, level, title, fix, (bench) => compare(bench, order));
}

/** Sends the events of new objects in each order, and compares their changes, for each kind of object. */
function compare(bench: Bench, order: ArrivalOrder): Promise<Finding> {
  const run = (kinds: readonly ObjectKind[]): Promise<Finding> => compareOrders(bench, order, kinds);
  if (bench.probe === undefined) return ofFamily(run, "order");
  return byFamily(bench, run, { isAbout: (lifecycle) => isAbout(order, lifecycle), seesObjects: true });
}

/** Returns true if the order concerns a kind of object. A payout has one event, so it has no order. */
function isAbout({ kinds }: ArrivalOrder, lifecycle: ObjectKind): boolean {
  return kinds === undefined ? lifecycle !== "payout" : kinds.includes(lifecycle);
}

/** Replaces the verdicts of the first finding by the failed verdicts of the second finding. */
function mergedFamilies({ families = [] }: Finding, late: Finding): NonNullable<Finding["families"]> {
  const failed = new Map(
    late.families?.flatMap((one) => (one.verdict === "fail" ? [[one.family, one]] : [])),
  );
  return families.map((one) => failed.get(one.family) ?? one);
}

async function compareOrders(
  bench: Bench,
  order: ArrivalOrder,
  kinds: readonly ObjectKind[],
): Promise<Finding> {
  const { probe } = bench;
  const { arriving, when, isWhole } = order;
  // If events show no change in their own order, they show none in another order.
  if (probe !== undefined && kinds.length === 1) await shownCount(bench, kinds[0]!);
  if (!kinds.every((kind) => isAbout(order, kind)))
    return skipped("In the chosen --capabilities each object has one event, so events have no order.");
  let { name, caused } = order;
  let usual = await ifShown(usualOf(bench, kinds, { name, chosen: caused, isWhole }));
  if (probe !== undefined && usual === undefined && order.otherwise !== undefined) {
    ({ name, caused } = order.otherwise);
    usual = await ifShown(usualOf(bench, kinds, { name, chosen: caused, isWhole }));
  }
  if (probe !== undefined && usual === undefined)
    return skipped(`The probe shows no change after ${name} of a ${kinds.join(", ")}.`);
  const ordersOf = (events: readonly WebhookEvent[]) => arriving([...caused(events).keys()]);
  try {
    if (probe === undefined || usual === undefined) {
      // Without a probe all orders look the same. This order shows that events out of order are accepted.
      for (const { events } of await newObjects(bench, kinds, isWhole))
        await sendInOrder(bench, inPlaces(caused(events), ordersOf(events)[0] ?? []));
      return OBJECT_UNSEEN;
    }
    for (let number = 0, isMore = true; isMore; number += 1) {
      isMore = false;
      /** True if the newest event comes first, so its object is not known. */
      let isFirst = false;
      const deliver = async (all: readonly WebhookEvent[]): Promise<readonly WebhookEvent[]> => {
        const orders = ordersOf(all);
        isFirst = orders[number]?.[0] === caused(all).length - 1;
        isMore ||= number + 1 < orders.length;
        await sendInOrder(bench, inPlaces(caused(all), orders[number] ?? [...caused(all).keys()]));
        return caused(all);
      };
      const observed = await observedOf(bench, probe, kinds, deliver, isWhole);
      const differences = await probe.unusual(usual, observed);
      if (differences.length === 0) continue;
      const [kind] = kinds;
      if (kind === undefined || kinds.length > 1) return DIFFERS;
      const isLost =
        (await isNewestLost(bench, probe, kind, { caused, ordersOf, number, isWhole })) ??
        isMissing(differences);
      const what = `The events of one ${kind}, ${when},`;
      if (!isLost) return otherChange(what, differences, name === SAME_TIME ? UNDECIDED : OVERWRITTEN);
      const isUnknown = isWhole === true || isFirst;
      return otherChange(what, differences, {
        ...LOST,
        code: isUnknown ? "unknown-object-forgotten" : "event-lost",
      });
    }
    return PASS;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    // A refusal is about the order only if the same events are accepted in their own order.
    for (const { events } of await newObjects(bench, kinds, isWhole))
      await sendInOrder(bench, caused(events));
    return failedBy(
      "event-refused",
      "An event is not accepted before the event that it follows.",
      "Accept events in any order, or answer 503 until the earlier one has arrived.",
      [evidenceOf(error.sent, "an event out of order", "2xx, or first 5xx and later 2xx")],
    );
  }
}

function inPlaces(events: readonly WebhookEvent[], order: readonly number[]): WebhookEvent[] {
  return order.flatMap((place) => events[place] ?? []);
}

function isMissing([first]: readonly StateDifference[]): boolean {
  return first?.found === "no change" || String(first?.found).endsWith(" less");
}

/**
 * Returns true if the newest event has no effect when it comes before others. The end looks the same if it is lost, and
 * if an older event overwrites it. Undefined if it comes last.
 */
async function isNewestLost(
  bench: Bench,
  probe: Probe,
  kind: ObjectKind,
  {
    caused,
    ordersOf,
    number,
    isWhole,
  }: Pick<ArrivalOrder, "caused"> & {
    readonly isWhole: boolean | undefined;
    readonly ordersOf: (events: readonly WebhookEvent[]) => readonly (readonly number[])[];
    /** The number of one of the orders. */
    readonly number: number;
  },
): Promise<boolean | undefined> {
  const [object] = await newObjects(bench, [kind], isWhole);
  const own = caused(object?.events ?? []);
  for (const event of inPlaces(own, (ordersOf(own)[number] ?? []).slice(0, -1))) {
    const known = await probe.before();
    await bench.send(event);
    if (event === own.at(-1)) return !probe.isChanged(known, await probe.afterWork(known));
  }
  return undefined;
}
