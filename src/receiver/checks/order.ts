import type { Bench, Sent } from "../bench.ts";
import type { Check, Finding } from "../check.ts";
import type { WebhookEvent } from "../event-source.ts";
import { evidenceOf, failed, inconclusive, PASS, skipped } from "../check.ts";
import { isAccepted } from "../bench.ts";
import { jsonOf, withFields } from "../event-source.ts";

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

const inOrder: Reorder = (events) => events;

async function takesSwappedPair(bench: Bench): Promise<Finding> {
  const pair: Reorder = (events) => events.slice(0, 2);
  return compare(
    bench,
    [pair, (events) => pair(events).toReversed()],
    "when its second event came before the first",
  );
}

async function isOrderIndependent(bench: Bench): Promise<Finding> {
  const orders: readonly (readonly number[])[] = [
    [0, 1, 2],
    [0, 2, 1],
    [1, 0, 2],
    [1, 2, 0],
    [2, 0, 1],
    [2, 1, 0],
  ];
  const reorders = orders.map(
    (order): Reorder =>
      (events) =>
        order.map((index) => events[index]).filter((event) => event !== undefined),
  );
  return compare(bench, reorders, "when its events came in another order");
}

/** The first attempt of an event fails, newer ones are delivered, then the retry arrives. */
async function keepsNewerState(bench: Bench): Promise<Finding> {
  return compare(
    bench,
    [inOrder, (events) => [...events.slice(1), ...events.slice(0, 1)]],
    "when an old event was retried after newer ones",
  );
}

async function breaksTies(bench: Bench): Promise<Finding> {
  const sameTime = (events: readonly WebhookEvent[]): WebhookEvent[] =>
    events.map((event) => withFields(event, (body) => ({ ...body, occurredAt: "2026-12-01T00:00:00.000Z" })));
  return compare(
    bench,
    [(events) => sameTime(events), (events) => sameTime(events.toReversed())],
    "when events of the same time came in another order",
  );
}

/** Sends the events of a new object in each order and compares the states. */
async function compare(bench: Bench, reorders: readonly Reorder[], what: string): Promise<Finding> {
  const states: unknown[] = [];
  for (const reorder of reorders) {
    const events = await bench.options.source.lifecycle();
    const ordered = reorder(events);
    const refused = await sendAll(bench, ordered);
    if (refused !== undefined) return orderFinding(bench, refused);
    states.push(await bench.effects.stateOf(ordered));
    // Without a probe all orders look the same; the second has shown that events out of order are accepted.
    if (states[0] === undefined && states.length === 2) {
      return inconclusive(
        "The state of an object in the receiver cannot be seen from outside.",
        "Name an address with --probe that returns its state as JSON, by the ids of the objects.",
      );
    }
  }
  const [first] = states;
  const other = states.find((state) => state !== first);
  if (other === undefined) return PASS;
  return failed(
    `The object ended as ${shown(other)} ${what}, and as ${shown(first)} otherwise: the last event to arrive wins.`,
    "Keep the time of the newest event of each object, and ignore older ones; or read the object back and store what it contains.",
  );
}

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
async function orderFinding(bench: Bench, sent: Sent): Promise<Finding> {
  for (const event of await bench.options.source.lifecycle()) {
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

function shown(state: unknown): string {
  const text = typeof state === "string" ? state : (JSON.stringify(state) ?? "nothing");
  return text.length > 160 ? `${text.slice(0, 159)}…` : text;
}
