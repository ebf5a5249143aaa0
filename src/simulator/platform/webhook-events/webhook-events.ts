import type { Call } from "../call.ts";
import type {
  ListUndeliveredEventsQuery,
  UndeliveredEvent,
  UndeliveredEventList,
} from "../../api/generated/shapes.ts";
import type { Transaction } from "../../engine/transaction.ts";
import { defineResource, timerOf } from "../resource.ts";
import { type Attempt, type Delivery, deliveries, deliveryLifecycle } from "./delivery.ts";
import { formatInstant, formatMicroseconds, parseMicroseconds } from "../../engine/instant.ts";
import { Problems } from "../problems.ts";
import { retryDelivery } from "./due-attempts.ts";
import { webhookEventApi } from "./operations.ts";

export const webhookEventResource = defineResource({
  name: "webhook-events",
  api: webhookEventApi,
  collection: deliveries,
  view: webhookEventView,
  lifecycles: [deliveryLifecycle],
  operations: { listUndeliveredEvents },
  timers: [timerOf(deliveries, "webhook.retry", retryDelivery)],
});

const DAY_MICROSECONDS = 86_400_000_000;

/**
 * Lists the company's events whose every attempt failed, page by page (interface: Endpoints 10; assumption:
 * webhook.event-list). Creation times are unique, so the time of the last item is a cursor that loses nothing.
 */
function listUndeliveredEvents(
  tx: Transaction,
  { companyId, query, problems: found }: Call<unknown, ListUndeliveredEventsQuery>,
): UndeliveredEventList {
  const problems = new Problems(found);
  const { limit = 20, sort = "desc" } = query;
  const isWanted = windowOf(query, problems);
  problems.refuse();
  const direction = sort === "asc" ? 1 : -1;
  const left = tx
    .find(deliveries, "undelivered", companyId)
    .filter(({ createdAt }) => isWanted(createdAt))
    .sort((one, other) => direction * (one.createdAt - other.createdAt));
  const items = left.slice(0, limit);
  const last = items.at(-1);
  return {
    limit,
    sort,
    nextCursor: last === undefined ? null : formatMicroseconds(last.createdAt),
    hasNext: left.length > limit,
    data: items.map(undeliveredEventView),
  };
}

/**
 * Returns true if a creation time, in microseconds, is within both bounds and after the cursor. Missing bounds do not
 * count.
 */
function windowOf(query: ListUndeliveredEventsQuery, problems: Problems): (createdAt: number) => boolean {
  const { cursor, sort = "desc", createdFrom, createdTo } = query;
  const from = timeOf(problems, "createdFrom", createdFrom, startOf);
  const to = timeOf(problems, "createdTo", createdTo, endOf);
  const after = timeOf(problems, "cursor", cursor, (text) =>
    parseMicroseconds(text, sort === "asc" ? "floor" : "ceil"),
  );
  if (from !== undefined && to !== undefined && from > to) {
    const description = `createdTo must not be earlier than createdFrom, ${createdFrom}; found ${createdTo}.`;
    problems.add("createdTo", "INVALID", description);
  }
  return (at) => {
    if (at < (from ?? -Infinity) || at > (to ?? Infinity)) return false;
    return after === undefined || (sort === "asc" ? at > after : at < after);
  };
}

function timeOf(
  problems: Problems,
  field: string,
  text: string | undefined,
  read: (text: string) => number | undefined,
): number | undefined {
  if (text === undefined || !problems.isSound(field)) return undefined;
  const time = read(text);
  if (time === undefined) {
    problems.add(field, "INVALID", `There is no such time: found "${text.slice(0, 60)}".`);
  }
  return time;
}

/** The time itself, or the first moment of a UTC day. */
function startOf(text: string): number | undefined {
  return parseMicroseconds(isDay(text) ? `${text}T00:00Z` : text, "ceil");
}

/** The time itself, or the last moment of a UTC day. */
function endOf(text: string): number | undefined {
  if (!isDay(text)) return parseMicroseconds(text, "floor");
  const start = startOf(text);
  return start === undefined ? undefined : start + DAY_MICROSECONDS - 1;
}

function isDay(text: string): boolean {
  return text.length === "2026-11-20".length;
}

const MESSAGE_LENGTH_MAX = 1000;

/** The delivery as the undelivered list of the platform API shows it (assumption: webhook.event-list). */
function undeliveredEventView(delivery: Delivery): UndeliveredEvent {
  return {
    id: delivery.id,
    referenceId: delivery.objectId,
    url: delivery.url,
    status: "FAILED",
    createdAt: formatMicroseconds(delivery.createdAt),
    updatedAt: formatInstant(delivery.updatedAt),
    attempts: delivery.attempts.map((attempt) => ({
      message: messageOf(attempt),
      statusCode: attempt.status,
      createdAt: formatInstant(attempt.at),
    })),
  };
}

/** A delivery in whatever status, in the same shape. */
function webhookEventView(delivery: Delivery) {
  const event = undeliveredEventView(delivery);
  const status: string = delivery.status === "undelivered" ? event.status : delivery.status.toUpperCase();
  return { ...event, status };
}

/** Returns the answer of the endpoint, or the result of the attempt. It does not show that a fault was applied. */
function messageOf({ responseBody, message, error, status, injected }: Attempt): string {
  const returned = responseBody.trim().slice(0, MESSAGE_LENGTH_MAX);
  if (returned !== "") return returned;
  return injected.length > 0 && status === null ? `Failed to deliver: no answer came (${error}).` : message;
}
