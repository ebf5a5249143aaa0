import type { Lifecycle } from "../../engine/lifecycle.ts";
import {
  type Call,
  type Change,
  type Entry,
  type Span,
  type Webhook,
  at,
  instantAt,
  isDone,
  listAt,
  textAt,
} from "../../platform/observation/traffic.ts";
import { lifecycles } from "../../platform/catalog.ts";

/** A status of an object as an answer or an event shows it. */
interface Sighting {
  readonly resource: string;
  readonly id: string;
  readonly status: string;
  readonly at: Span;
  readonly order: number;
  readonly entry: Entry;
}

/** The statuses that an answer or an event shows: where the id is, where the status is, and of what. */
type Place = readonly [resource: string, id: string, status: string];

const IN_ANSWERS: Readonly<Record<string, readonly Place[]>> = {
  createSubscription: [["subscription", "id", "status"]],
  createScheduledPayment: [["scheduled-payment", "id", "status"]],
  createPayout: [["payout", "id", "status"]],
  createTransparentOrder: [["order", "id", "status"]],
  createTransparentOrderV3: [["order", "id", "status"]],
  refundOrder: [["refund", "id", "status"]],
  createClaim: [["claim", "claimId", "status"]],
  confirmClaim: [["claim", "claimId", "status"]],
  confirmDonor: [["claim", "claimId", "status"]],
  cancelClaim: [["claim", "claimId", "status"]],
};

/** The answers that show the state of an object when it was created, also when they are repeated later. */
const CREATIONS: ReadonlySet<string> = new Set([
  "createSubscription",
  "createScheduledPayment",
  "createPayout",
  "createTransparentOrder",
  "createTransparentOrderV3",
  "refundOrder",
  "createClaim",
]);

function placesIn(event: string, body: unknown): readonly Place[] {
  if (event.startsWith("ORDER-PAYOUT.")) return [["payout", "id", "status"]];
  if (event.startsWith("ORDER-PAYIN."))
    return textAt(body, "type") === "REFUND"
      ? [["refund", "refundId", "status"]]
      : [["order", "id", "status"]];
  const cancellation: Place = ["cancellation", "data.cancellation.id", "data.cancellation.status"];
  if (event.startsWith("SUBSCRIPTION.SCHEDULED_PAYMENT."))
    return [["scheduled-payment", "data.id", "data.status"], cancellation];
  return event.startsWith("SUBSCRIPTION.") ? [["subscription", "data.id", "data.status"], cancellation] : [];
}

/** Every change of status in a session, held against the lifecycle tables. */
export function changesIn(calls: readonly Call[], webhooks: readonly Webhook[]): Change[] {
  const created = new Set<string>();
  const sightings = [...calls.flatMap((call) => inCall(call, created)), ...webhooks.flatMap(inWebhook)];
  const byObject = Map.groupBy(sightings, ({ resource, id }) => `${resource} ${id}`);
  return [...byObject.values(), ...calls.flatMap(inHistories)].flatMap((seen) => changesOf(seen));
}

/** `created` has the objects whose creation was seen: the answer to the same request again shows the same status. */
function inCall(call: Call, created: Set<string>): Sighting[] {
  const { operation, answer, order, entry, at: moment } = call;
  if (operation === null || !isDone(call)) return [];
  const see = (resource: string, id: unknown, status: unknown, when = moment): Sighting[] =>
    typeof id === "string" && typeof status === "string"
      ? [{ resource, id, status, at: when, order, entry }]
      : [];
  const id = textAt(answer, "id") ?? textAt(answer, "claimId") ?? "";
  const isRepeated = created.has(`${operation} ${id}`) || "idempotency-replayed" in call.answerHeaders;
  if (CREATIONS.has(operation) && isRepeated) return [];
  created.add(`${operation} ${id}`);
  const named = (IN_ANSWERS[operation] ?? []).flatMap(([resource, id, status]) =>
    see(resource, at(answer, id), at(answer, status)),
  );
  const children = listAt(answer, "batch.transactions").flatMap((child) =>
    see("payout-transaction", at(child, "id"), at(child, "status")),
  );
  const listed =
    operation === "listAccounts"
      ? listAt(answer, "data").flatMap((account) => see("account", at(account, "id"), at(account, "status")))
      : [];
  return [...named, ...children, ...listed];
}

/** The histories of a subscription and of its cancellations, each with a time for each status. */
function inHistories(call: Call): Sighting[][] {
  if (call.operation !== "getSubscription" || !isDone(call)) return [];
  const { answer, order, entry } = call;
  const histories = [
    ["subscription", answer] as const,
    ...listAt(answer, "cancellations").map((cancellation) => ["cancellation", cancellation] as const),
  ];
  return histories.map(([resource, object]) =>
    listAt(object, "statusHistory").flatMap((change) => {
      const moment = instantAt(change, "createdAt");
      const [id, status] = [textAt(object, "id"), textAt(change, "status")];
      if (moment === undefined || id === undefined || status === undefined) return [];
      return [{ resource, id, status, at: { from: moment, to: moment }, order, entry }];
    }),
  );
}

function inWebhook({ event, body, at: moment, recorded, order, entry }: Webhook): Sighting[] {
  const when = moment === undefined ? recorded : { from: moment, to: moment };
  return placesIn(event, body).flatMap(([resource, idPath, statusPath]) => {
    const [id, status] = [textAt(body, idPath), textAt(body, statusPath)];
    return id === undefined || status === undefined ? [] : [{ resource, id, status, at: when, order, entry }];
  });
}

/** The changes of one object. What has a time comes in the order of its time, whenever it was sent. */
function changesOf(sightings: readonly Sighting[]): Change[] {
  const [first] = sightings;
  const table = lifecycles.find(({ resource }) => resource === first?.resource);
  if (first === undefined || table === undefined) return [];
  const ordered = sightings.toSorted(inTime);
  let status: string | null = null;
  return ordered.flatMap(({ resource, status: to, entry }): Change[] => {
    if (to === status) return [];
    const from = status;
    status = to;
    return [{ resource, from, to, verdict: verdictOf(table, from, to), entry }];
  });
}

function inTime(one: Sighting, other: Sighting): number {
  const isApart = one.at.to < other.at.from || other.at.to < one.at.from;
  return isApart ? one.at.from - other.at.from : one.order - other.order;
}

/** A status may have changed several times between two sightings. */
function verdictOf(table: Lifecycle, from: string | null, to: string): Change["verdict"] {
  if (!table.states.includes(to)) return "unknown";
  if (from === null || !table.states.includes(from)) return "legal";
  const reached = new Set<string>([from]);
  for (const state of reached)
    for (const row of table.transitions) if (row.from.includes(state)) reached.add(row.to);
  return reached.has(to) && to !== from ? "legal" : "out-of-order";
}
