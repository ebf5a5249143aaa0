import type { Attempt, Delivery } from "../../platform/webhook-events/delivery.ts";
import type { World } from "../../worlds/world.ts";
import { curlOf } from "./curl.ts";
import { formatInstant, formatMicroseconds } from "../../engine/instant.ts";
import { progressOf } from "./progress.ts";
import { timestampOrNull } from "../../platform/shape.ts";

/** A delivery as the sandbox's own API shows it, every attempt with what was sent and what came back. */
export function deliveryShape(world: World, delivery: Delivery): object {
  const { id, event, objectId, url, status, body, duplicateOf, faults } = delivery;
  return {
    id,
    event,
    objectId,
    url,
    status,
    progress: progressOf(delivery, world.now),
    body,
    duplicateOf,
    injected: faults.map(({ effect }) => effect),
    attempts: delivery.attempts.map((attempt) => attemptShape(world, delivery, attempt)),
    nextAttemptAt: timestampOrNull(delivery.nextAttemptAt),
    createdAt: formatMicroseconds(delivery.createdAt),
  };
}

function attemptShape(world: World, { id, url }: Delivery, attempt: Attempt): object {
  return {
    ...attempt,
    at: formatInstant(attempt.at),
    durationMs: world.attemptDurationMs(id, attempt.number),
    curl: curlOf(url, attempt),
  };
}
