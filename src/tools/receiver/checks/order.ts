import { type Finding, PASS, type Sent, evidenceOf, failed, inconclusive, skipped } from "../check.ts";
import { type Bench, type Check, isAccepted } from "../bench.ts";
import { LIFECYCLES, type Lifecycle, type WebhookEvent, jsonOf, withFields } from "../event-source.ts";
import { NothingShown } from "../probe.ts";
import { NOTHING_SHOWN, otherChange } from "../state-findings.ts";

/** Whether the order in which events arrive makes a difference. */
export const orderChecks: readonly Check[] = [
  { id: "E1", title: "Takes a pair of events in either order", level: "must", run: takesSwappedPair },
  { id: "E2", title: "Reaches the same state in every order", level: "should", run: isOrderIndependent },
  { id: "E3", title: "Is not set back by a late retry", level: "must", run: keepsNewerState },
  { id: "E4", title: "Reaches the same state at equal times", level: "should", run: breaksTies },
  {
    id: "E5",
    title: "Takes an event before the answer of its request",
    level: "should",
    run: async () =>
      skipped(
        "The check sends no requests on behalf of the partner; a scenario with event-before-commit shows it.",
      ),
  },
];

type Reorder = (events: readonly WebhookEvent[]) => readonly WebhookEvent[];

/** Events of one object: as they were caused, and how they arrive. */
interface Order {
  /** The name under which what they usually change is remembered. */
  readonly name: string;
  readonly caused: Reorder;
  readonly arriving: readonly Reorder[];
  readonly when: string;
}

const ALL: Pick<Order, "name" | "caused"> = { name: "three events", caused: (events) => events };

async function takesSwappedPair(bench: Bench): Promise<Finding> {
  return compare(bench, {
    name: "two events",
    caused: (events) => events.slice(0, 2),
    arriving: [(events) => events.toReversed()],
    when: "when its second event came before the first",
  });
}

async function isOrderIndependent(bench: Bench): Promise<Finding> {
  const orders: readonly (readonly number[])[] = [
    [0, 2, 1],
    [1, 0, 2],
    [1, 2, 0],
    [2, 0, 1],
    [2, 1, 0],
  ];
  const arriving = orders.map(
    (order): Reorder =>
      (events) =>
        order.map((index) => events[index]).filter((event) => event !== undefined),
  );
  return compare(bench, { ...ALL, arriving, when: "when its events came in another order" });
}

/** The first attempt of an event fails, newer ones are delivered, then the retry arrives. */
async function keepsNewerState(bench: Bench): Promise<Finding> {
  const arriving: Reorder[] = [(events) => [...events.slice(1), ...events.slice(0, 1)]];
  return compare(bench, { ...ALL, arriving, when: "when an old event was retried after newer ones" });
}

async function breaksTies(bench: Bench): Promise<Finding> {
  return compare(bench, {
    name: "events of the same time",
    caused: (events) =>
      events.map((event) =>
        withFields(event, (body) => ({ ...body, occurredAt: "2026-12-01T00:00:00.000Z" })),
      ),
    arriving: [(events) => events.toReversed()],
    when: "when events of the same time came in another order",
  });
}

/** A refusal that ends a comparison. */
class Refused extends Error {
  readonly sent: Sent;

  constructor(sent: Sent) {
    super("An event was not accepted.");
    this.sent = sent;
  }
}

/** Sends the events of new objects in each order, and compares what they changed. */
async function compare(bench: Bench, order: Order): Promise<Finding> {
  const undecided: Finding[] = [];
  for (const lifecycle of LIFECYCLES) {
    const finding = await compareOrders(bench, order, lifecycle);
    if (finding.verdict !== "inconclusive" || bench.effects.probe === undefined) return finding;
    undecided.push(finding);
  }
  const isOfPayouts = bench.showsBaseline && bench.baseline === "ORDER-PAYOUT.PAID";
  if (isOfPayouts && undecided.every((finding) => finding === NOTHING_SHOWN))
    return skipped(
      "The receiver shows something of payouts alone, and a payout has one event: there is no order.",
    );
  return undecided[0] ?? NOTHING_SHOWN;
}

async function compareOrders(bench: Bench, order: Order, lifecycle: Lifecycle): Promise<Finding> {
  const { probe } = bench.effects;
  const { name, caused, arriving, when } = order;
  const deliver = async (reorder: Reorder): Promise<readonly WebhookEvent[]> => {
    const events = caused(await bench.options.source.lifecycle(lifecycle));
    const refused = await sendAll(bench, reorder(events));
    if (refused !== undefined) throw new Refused(refused);
    return events;
  };
  try {
    const usual = await bench.usualChange(`${name} of a ${lifecycle}`, () => deliver((events) => events));
    for (const reorder of arriving) {
      if (probe === undefined || usual === undefined) {
        // Without a probe all orders look the same; this one shows that events out of order are accepted.
        await deliver(reorder);
        return inconclusive(
          "The state of an object in the receiver cannot be seen from outside.",
          "Name a URL with --probe that returns its state as JSON.",
        );
      }
      const differences = await probe.unusual(usual, await bench.observe(probe, () => deliver(reorder)));
      if (differences.length > 0)
        return otherChange(`The events of one ${lifecycle}, ${when},`, differences, NEWEST);
    }
    return PASS;
  } catch (error) {
    if (error instanceof Refused) return orderFinding(bench, error.sent, lifecycle);
    if (error instanceof NothingShown) return NOTHING_SHOWN;
    throw error;
  }
}

const NEWEST =
  "The last event to arrive wins: keep the time of the newest event of each object, and ignore older ones; or read the object back and store what it contains.";

/** Sends events one after another, again after a 5xx; returns the one that was not accepted. */
async function sendAll(bench: Bench, events: readonly WebhookEvent[]): Promise<Sent | undefined> {
  const retries: WebhookEvent[] = [];
  for (const event of events) {
    const sent = await bench.send(event);
    if (isAccepted(sent)) continue;
    if (sent.status === null || sent.status < 500) return sent;
    retries.push(event);
  }
  for (const event of retries) {
    const sent = await bench.send(event);
    if (!isAccepted(sent)) return sent;
  }
  return undefined;
}

/** A refusal is a matter of order only where the same events are accepted in their own order. */
async function orderFinding(bench: Bench, sent: Sent, lifecycle: Lifecycle): Promise<Finding> {
  for (const event of await bench.options.source.lifecycle(lifecycle)) {
    if (isAccepted(await bench.send(event))) continue;
    const name = String(jsonOf(event)["event"]);
    return inconclusive(
      `The event ${name} is not accepted in its own order either: the effect of the order cannot be checked.`,
      "Acknowledge every event, also those you have no use for, then check again.",
    );
  }
  return failed(
    "An event that came before the one it follows is not accepted.",
    "Accept events in any order, or answer 503 until the earlier one has arrived.",
    [evidenceOf(sent, "an event out of order", "2xx, or 5xx and then 2xx")],
  );
}
