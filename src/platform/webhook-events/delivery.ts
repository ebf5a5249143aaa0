import type { Instant } from "../../core/instant.ts";
import type { StoredRecord } from "../../core/collection.ts";
import { collection } from "../../core/collection.ts";

/**
 * scheduled: no attempt has ended yet; retrying: one failed and another is to come; delivered: a 2xx came
 * back; undelivered: the last attempt failed; lost: a fault took the event before it was ever sent.
 */
export type DeliveryStatus = "scheduled" | "retrying" | "delivered" | "undelivered" | "lost";

/** Why an attempt is made: by the timetable, by hand, or by a fault. */
export type AttemptTrigger = "scheduled" | "manual" | "injected";

/** Why an attempt failed; `non-2xx` and `redirect` are answers, the rest is the wire. */
export type AttemptError =
  "dns" | "refused" | "tls" | "timeout" | "reset" | "protocol" | "non-2xx" | "redirect" | "egress-blocked";

/** One POST of an event and what came of it. How long it took in wall time is not part of a world's records. */
export interface Attempt {
  readonly number: number;
  readonly trigger: AttemptTrigger;
  readonly at: Instant;
  /** The receiver's HTTP status, null where none came back. */
  readonly status: number | null;
  readonly error: AttemptError | null;
  /** One sentence for a person. */
  readonly message: string;
  readonly requestHeaders: Readonly<Record<string, string>>;
  readonly requestBody: string;
  readonly responseHeaders: Readonly<Record<string, string>>;
  readonly responseBody: string;
  readonly injected: readonly string[];
}

/** One event on its way to one URL: serialised once, kept with every attempt. */
export interface Delivery extends StoredRecord {
  readonly companyId: string;
  readonly event: string;
  /** The object the event tells of; deliveries about one object leave in order. */
  readonly objectId: string;
  readonly url: string;
  /** The exact text that is signed and sent. */
  readonly body: string;
  readonly status: DeliveryStatus;
  /** Microseconds since the epoch, unique in a world, so that a timestamp is a cursor. */
  readonly createdAt: number;
  readonly updatedAt: Instant;
  readonly attempts: readonly Attempt[];
  readonly nextAttemptAt: Instant | null;
  readonly retryTimer: string | null;
  /** The attempts that are due or on their way, in order; after a restart they are made again. */
  readonly pending: readonly AttemptTrigger[];
  /** The journal entry that announced the event. */
  readonly announcedBy: number;
}

export const deliveries = collection<Delivery, "object" | "company" | "undelivered">("webhook-deliveries", {
  object: (delivery) => delivery.objectId,
  company: (delivery) => delivery.companyId,
  /** By company, those whose every attempt failed. */
  undelivered: (delivery) => (delivery.status === "undelivered" ? delivery.companyId : undefined),
});
