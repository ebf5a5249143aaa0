import {
  type CheckLevel,
  type Finding,
  PASS,
  evidenceOf,
  failed,
  inconclusive,
  skipped,
} from "../finding.ts";
import { type Bench, type Check, check } from "../bench.ts";
import { type Lifecycle, type WebhookEvent, withFields } from "../event-source.ts";
import { Refused, byFamily, ofFamily, sendInOrder, shownPart, usualOf } from "../families.ts";
import type { ChangeDifference } from "../state-change.ts";
import { otherChange } from "../state-findings.ts";

type Reorder = (events: readonly WebhookEvent[]) => readonly WebhookEvent[];

/** Events of one object: as they were caused, and how they arrive. */
interface Order {
  /** The name under which what they usually change is remembered. */
  readonly name: string;
  readonly caused: Reorder;
  readonly arriving: readonly Reorder[];
  readonly when: string;
}

const SAME_TIME = "events of the same time";
const ALL: Pick<Order, "name" | "caused"> = { name: "all events", caused: (events) => events };
const OTHER_ORDERS = [
  [0, 2, 1],
  [1, 0, 2],
  [1, 2, 0],
  [2, 0, 1],
  [2, 1, 0],
];

/** Whether the order in which events arrive makes a difference. */
export const orderChecks: readonly Check[] = [
  orderCheck("E1", "must", "Takes a pair of events in either order", {
    name: "two events",
    caused: (events) => events.slice(0, 2),
    arriving: [(events) => events.toReversed()],
    when: "when its second event came before the first",
  }),
  orderCheck("E2", "must", "Reaches the same state in every order", {
    ...ALL,
    arriving: OTHER_ORDERS.map(
      (order) => (events) => order.map((index) => events[index]).filter((event) => event !== undefined),
    ),
    when: "when its events came in another order",
  }),
  // The first attempt of an event fails, newer ones are delivered, then the retry arrives.
  orderCheck("E3", "must", "Is not set back by a late retry", {
    ...ALL,
    arriving: [(events) => [...events.slice(1), ...events.slice(0, 1)]],
    when: "when an old event was retried after newer ones",
  }),
  orderCheck("E4", "should", "Reaches the same state at equal times", {
    name: SAME_TIME,
    caused: (events) =>
      events.map((event) =>
        withFields(event, (body) => ({ ...body, occurredAt: "2026-12-01T00:00:00.000Z" })),
      ),
    arriving: [(events) => events.toReversed()],
    when: "when events of the same time came in another order",
  }),
  check("E5", "should", "Takes an event before the answer of its request", async () =>
    skipped(
      "The check sends no requests on behalf of the partner; a scenario with event-before-commit shows it.",
    ),
  ),
];

function orderCheck(id: string, level: CheckLevel, title: string, order: Order): Check {
  return check(id, level, title, (bench) => compare(bench, order));
}

/** Sends the events of new objects in each order, and compares what they changed, for each kind of object. */
function compare(bench: Bench, order: Order): Promise<Finding> {
  const run = (lifecycle: Lifecycle): Promise<Finding> => compareOrders(bench, order, lifecycle);
  return bench.effects.probe === undefined ? ofFamily(run, "order") : byFamily(bench, run);
}

async function compareOrders(bench: Bench, order: Order, lifecycle: Lifecycle): Promise<Finding> {
  const { probe } = bench.effects;
  const { name, caused, arriving, when } = order;
  // What shows nothing in its own order shows nothing in another one.
  if (probe !== undefined) await shownPart(bench, lifecycle);
  if (lifecycle === "payout")
    return skipped("What the integration is about has one event for each object: there is no order.");
  const usual = await usualOf(bench, lifecycle, name, caused);
  const played = new Set<string>();
  try {
    for (const reorder of arriving) {
      const { before, events: own } = await bench.options.source.lifecycle(lifecycle);
      const events = caused(own);
      const reordered = reorder(events);
      const places = reordered.map((event) => events.indexOf(event)).join();
      // Two events have one other order.
      if (played.has(places) || places === [...events.keys()].join()) continue;
      played.add(places);
      const deliver = async (): Promise<readonly WebhookEvent[]> => {
        await sendInOrder(bench, [...before, ...reordered]);
        return [...before, ...events];
      };
      if (probe === undefined || usual === undefined) {
        // Without a probe all orders look the same; this one shows that events out of order are accepted.
        await deliver();
        return inconclusive(
          "The state of an object in the receiver cannot be seen from outside.",
          "Name a URL with --probe that returns its state as JSON.",
        );
      }
      const differences = await probe.unusual(usual, await bench.observe(probe, deliver));
      if (differences.length > 0)
        return otherChange(
          `The events of one ${lifecycle}, ${when},`,
          differences,
          fixOf(order, differences),
        );
    }
    return PASS;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    // A refusal is a matter of order only where the same events are accepted in their own order.
    const { before, events } = await bench.options.source.lifecycle(lifecycle);
    await sendInOrder(bench, [...before, ...caused(events)]);
    return failed(
      "An event that came before the one it follows is not accepted.",
      "Accept events in any order, or answer 503 until the earlier one has arrived.",
      [evidenceOf(error.sent, "an event out of order", "2xx, or 5xx and then 2xx")],
    );
  }
}

/** What a difference shows decides what to do about it. */
function fixOf({ name }: Order, [first]: readonly ChangeDifference[]): string {
  const isLost = first?.found === "no change" || first?.found.endsWith(" less") === true;
  if (isLost && name === SAME_TIME)
    return "One of two events with equal times has no effect, because it is taken for the other: tell events apart by their name and object, not by their time.";
  if (isLost)
    return "An event that came early was acknowledged, then lost: keep it until its object is known, or answer 5xx so that it comes again.";
  return "An old event overwrites a newer state: keep the time of the newest event of each object, and ignore older ones; or read the object back and store what it contains.";
}
