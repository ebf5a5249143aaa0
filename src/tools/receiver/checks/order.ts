import {
  type CheckLevel,
  type FamilyVerdict,
  type Finding,
  PASS,
  type Sent,
  evidenceOf,
  failed,
  inconclusive,
  skipped,
} from "../finding.ts";
import { type Bench, type Check, check, isAccepted } from "../bench.ts";
import { LIFECYCLES, type Lifecycle, type WebhookEvent, jsonOf, withFields } from "../event-source.ts";
import type { ChangeDifference } from "../state-change.ts";
import { NothingShown, ifShown } from "../probe.ts";
import { NOTHING_SHOWN, otherChange } from "../state-findings.ts";

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

/** A refusal that ends a comparison. */
class Refused extends Error {
  readonly sent: Sent;

  constructor(sent: Sent) {
    super("An event was not accepted.");
    this.sent = sent;
  }
}

/** What an integration is about that has objects of each kind. */
const CAPABILITY_OF: Readonly<Record<Lifecycle, string>> = {
  order: "orders",
  subscription: "subscriptions",
  charge: "subscriptions",
  "canceled charge": "subscriptions",
};

/**
 * Sends the events of new objects in each order, and compares what they changed: for each kind of object, because a
 * receiver may handle some and ignore others. What it ignores is not decided, and neither is the whole.
 */
async function compare(bench: Bench, order: Order): Promise<Finding> {
  if (bench.effects.probe === undefined) return compareOrders(bench, order, "order");
  const { capabilities = [] } = bench.options;
  const isAbout = (capability: string): boolean =>
    capabilities.length === 0 || capabilities.includes(capability);
  const found: (readonly [Lifecycle, Finding])[] = [];
  for (const lifecycle of LIFECYCLES)
    if (isAbout(CAPABILITY_OF[lifecycle]))
      found.push([lifecycle, await compareOrders(bench, order, lifecycle)]);
  if (found.length === 0)
    return skipped("What the integration is about has one event for each object: there is no order.");
  const families = found.map(([lifecycle, { verdict, cause }]): FamilyVerdict => {
    return { family: `${lifecycle}s`, verdict, ...(cause !== undefined && verdict !== "pass" && { cause }) };
  });
  // A payout has one event and so no order.
  if (isAbout("payouts") && (await ifShown(bench.usualOfOne("ORDER-PAYOUT.PAID"))) === undefined)
    families.push({ family: "payouts", verdict: "inconclusive", cause: IGNORED });
  return { ...overAll(bench, found, families), families };
}

/** The verdict over all kinds of objects: a failure of any, otherwise what is not decided. */
function overAll(
  bench: Bench,
  found: readonly (readonly [Lifecycle, Finding])[],
  families: readonly FamilyVerdict[],
): Finding {
  const having = (verdict: string): Finding[] =>
    found.flatMap(([, finding]) => (finding.verdict === verdict ? [finding] : []));
  const failures = having("fail");
  if (failures[0] !== undefined)
    return { ...failures[0], cause: failures.map(({ cause }) => cause).join(" ") };
  const open = families.filter(({ verdict }) => verdict === "inconclusive");
  if (open.length === 0) return PASS;
  const isBlind = open.every(({ cause }) => cause === IGNORED);
  if (!isBlind) return having("inconclusive")[0] ?? NOTHING_SHOWN;
  if (having("pass").length === 0 && !bench.showsBaseline) return NOTHING_SHOWN;
  return inconclusive(
    `No event of ${open.map(({ family }) => family).join(", ")} changed what the probe shows.`,
    "Let the probe show them, or name what your integration is about, such as --capabilities orders,refunds.",
  );
}

async function compareOrders(bench: Bench, order: Order, lifecycle: Lifecycle): Promise<Finding> {
  const { probe } = bench.effects;
  const { name, caused, arriving, when } = order;
  const deliver = async (reorder: Reorder): Promise<readonly WebhookEvent[]> => {
    const { before, events: own } = await bench.options.source.lifecycle(lifecycle);
    const events = caused(own);
    const refused = await sendAll(bench, [...before, ...reorder(events)]);
    if (refused !== undefined) throw new Refused(refused);
    return [...before, ...events];
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
        return otherChange(
          `The events of one ${lifecycle}, ${when},`,
          differences,
          fixOf(order, differences),
        );
    }
    return PASS;
  } catch (error) {
    if (error instanceof Refused) return orderFinding(bench, error.sent, lifecycle);
    if (error instanceof NothingShown) return { ...NOTHING_SHOWN, cause: IGNORED };
    throw error;
  }
}

const IGNORED = "No event of theirs changed what the probe shows.";

/** What a difference shows decides what to do about it. */
function fixOf({ name }: Order, [first]: readonly ChangeDifference[]): string {
  const isLost = first?.found === "no change" || first?.found.endsWith(" less") === true;
  if (isLost && name === SAME_TIME)
    return "One of two events with equal times has no effect, because it is taken for the other: tell events apart by their name and object, not by their time.";
  if (isLost)
    return "An event that came early was acknowledged, then lost: keep it until its object is known, or answer 5xx so that it comes again.";
  return "An old event overwrites a newer state: keep the time of the newest event of each object, and ignore older ones; or read the object back and store what it contains.";
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
async function orderFinding(bench: Bench, sent: Sent, lifecycle: Lifecycle): Promise<Finding> {
  const { before, events } = await bench.options.source.lifecycle(lifecycle);
  for (const event of [...before, ...events]) {
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
