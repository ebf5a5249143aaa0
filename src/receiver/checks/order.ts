import type { Bench, Sent } from "../bench.ts";
import type { Check, Finding } from "../check.ts";
import type { WebhookEvent } from "../webhook-event.ts";
import { evidenceOf, isAccepted } from "../bench.ts";
import { inconclusive, PASS, skipped } from "../check.ts";
import { jsonOf, withFields } from "../webhook-event.ts";

const NO_PROBE = "What the receiver remembers of an object is not to be seen from outside.";
const PROBE = "Name an address with --probe where it tells its state as JSON, by the ids of the objects.";
const NEWEST =
  "Keep the time of the newest event of each object, and let an older one change nothing; or read the object back and take what it says.";

/** Whether the order in which events arrive makes a difference. */
export const orderChecks: readonly Check[] = [
  { id: "E1", title: "Takes a pair of events in either order", level: "must", run: takesSwappedPair },
  { id: "E2", title: "Comes to the same state in every order", level: "should", run: isOrderIndependent },
  { id: "E3", title: "Is not set back by a late retry", level: "must", run: keepsNewerState },
  { id: "E4", title: "Comes to the same state at equal times", level: "should", run: breaksTies },
  {
    id: "E5",
    title: "Takes an event before the answer of its request",
    level: "should",
    run: async () =>
      skipped(
        "The check makes no requests in the partner's name; a scenario with event-before-commit shows it.",
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

/** The first attempt of an event fails, a newer one gets through, then comes the retry. */
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

/** Sends the life of a new object in each order and holds the states against each other. */
async function compare(bench: Bench, reorders: readonly Reorder[], what: string): Promise<Finding> {
  const states: unknown[] = [];
  for (const reorder of reorders) {
    const events = await bench.options.source.lifecycle();
    const ordered = reorder(events);
    const refused = await sendAll(bench, ordered);
    if (refused !== undefined) return refusedFinding(bench, refused);
    states.push(await bench.effects.stateOf(ordered));
    // Without a probe all orders look alike; one out of order has shown that it is accepted.
    if (states[0] === undefined && states.length === 2) return inconclusive(NO_PROBE, PROBE);
  }
  const [first] = states;
  const other = states.find((state) => state !== first);
  if (other === undefined) return PASS;
  return {
    verdict: "fail",
    cause: `The object ended as ${shown(other)} ${what}, and as ${shown(first)} otherwise: the last event to arrive wins.`,
    mend: NEWEST,
  };
}

/** Sends events one after another, again where the receiver asks for it; gives the one it would not take. */
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

/** A refusal says something about order only where the same events are accepted in the order they happened. */
async function refusedFinding(bench: Bench, sent: Sent): Promise<Finding> {
  for (const event of await bench.options.source.lifecycle()) {
    if (isAccepted(await bench.send(event))) continue;
    const name = String(jsonOf(event)["event"]);
    return inconclusive(
      `The event ${name} is not accepted in its own order either: what order does cannot be checked.`,
      "Acknowledge every event, also those you have no use for, then check again.",
    );
  }
  return {
    verdict: "fail",
    cause: "An event that came before the one it follows is not accepted.",
    mend: "Accept events in any order, or answer 503 until the earlier one is there.",
    evidence: [evidenceOf(sent, "an event out of order", "2xx, or 5xx and then 2xx")],
  };
}

function shown(state: unknown): string {
  const text = typeof state === "string" ? state : (JSON.stringify(state) ?? "nothing");
  return text.length > 160 ? `${text.slice(0, 159)}…` : text;
}
