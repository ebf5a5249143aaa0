import type { Attempt, Delivery } from "./delivery.ts";
import type { UndeliveredEvent } from "../../api/generated/shapes.ts";
import { formatInstant, formatMicroseconds } from "../../engine/instant.ts";

const MESSAGE_LENGTH_MAX = 1000;

/** The delivery as the undelivered list of the interface shows it (assumption: webhook.event-list). */
export function undeliveredEventShape(delivery: Delivery): UndeliveredEvent {
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
export function webhookEventShape(delivery: Delivery): object {
  const event = undeliveredEventShape(delivery);
  return delivery.status === "undelivered" ? event : { ...event, status: delivery.status.toUpperCase() };
}

/**
 * What the endpoint returned, or, where it returned nothing to read, what came of the attempt. A partner does not
 * learn from it that a fault was at work.
 */
function messageOf({ responseBody, message, error, status, injected }: Attempt): string {
  const returned = responseBody.trim().slice(0, MESSAGE_LENGTH_MAX);
  if (returned !== "") return returned;
  return injected.length > 0 && status === null ? `Failed to deliver: no answer came (${error}).` : message;
}
