import type { Delivery } from "../platform/webhook-events/delivery.ts";
import type { World } from "../worlds/world.ts";
import { formatInstant, formatMicroseconds } from "../core/instant.ts";
import { timestampOrNull } from "../platform/shape.ts";

/** A delivery as the sandbox's own API shows it, every attempt with what was sent and what came back. */
export function deliveryShape(world: World, delivery: Delivery): object {
  const { id, event, objectId, url, status, body } = delivery;
  return {
    id,
    event,
    objectId,
    url,
    status,
    body,
    attempts: delivery.attempts.map((attempt) => ({
      ...attempt,
      at: formatInstant(attempt.at),
      durationMs: world.attemptDurationMs(id, attempt.number),
    })),
    nextAttemptAt: timestampOrNull(delivery.nextAttemptAt),
    createdAt: formatMicroseconds(delivery.createdAt),
  };
}
