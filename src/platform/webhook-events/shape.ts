import type { Delivery } from "./delivery.ts";
import { formatInstant, formatMicroseconds } from "../../core/instant.ts";

/** The delivery as the undelivered list of the interface shows it (assumption: webhook.event-list). */
export function webhookEventShape(delivery: Delivery): object {
  return {
    id: delivery.id,
    referenceId: delivery.objectId,
    url: delivery.url,
    status: delivery.status === "undelivered" ? "FAILED" : delivery.status.toUpperCase(),
    createdAt: formatMicroseconds(delivery.createdAt),
    updatedAt: formatInstant(delivery.updatedAt),
    attempts: delivery.attempts.map(({ message, status, at }) => ({
      message,
      statusCode: status,
      createdAt: formatInstant(at),
    })),
  };
}
