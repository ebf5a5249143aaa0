import type { AppliedFault } from "../faults/fault.ts";
import type { Lifecycle } from "../../engine/lifecycle.ts";
import type { DURATION_MS, JournalEntry } from "../../engine/journal.ts";
import type { Instant } from "../../engine/instant.ts";
import type { UndrawnJson } from "../undrawn-qr-image.ts";
import { type StoredRecord, collection } from "../../engine/collection.ts";
import { type EffectName, effectOf } from "../faults/effects.ts";

type DeliveryStatus = (typeof deliveryLifecycle)["states"][number];

/** The reason of an attempt: its schedule, a manual resend, or a fault. */
export type AttemptTrigger = "scheduled" | "manual" | "injected";

/** The reason of a failed attempt. `non-2xx` and `redirect` are answers, the others are failures of the connection. */
export type AttemptError =
  | "dns"
  | "refused"
  | "tls"
  | "timeout"
  | "reset"
  | "protocol"
  | "non-2xx"
  | "redirect"
  | "egress-blocked"
  | "changed";

/** One POST of an event and its result. */
export interface Attempt {
  readonly number: number;
  readonly trigger: AttemptTrigger;
  /** Its place among all attempts of the world, in the order of their sending: many share an instant. */
  readonly sequence: number;
  readonly at: Instant;
  /** The receiver's HTTP status. Null without an answer. */
  readonly status: number | null;
  readonly error: AttemptError | null;
  /** One sentence for a person. */
  readonly message: string;
  readonly requestHeaders: Readonly<Record<string, string>>;
  /** The sent text, or its beginning if it was very large. */
  readonly requestBody: UndrawnJson | string;
  /** The number of all sent bytes. */
  readonly requestBytes: number;
  readonly responseHeaders: Readonly<Record<string, string>>;
  readonly responseBody: string;
  /** Whether there was more of the answer's body than was read. */
  readonly responseTruncated: boolean;
  /** The effects of the faults that touched it. */
  readonly injected: readonly EffectName[];
  /** The duration in wall time. Only this process knows it. */
  readonly [DURATION_MS]?: number;
}

/** Failures without a connection over which a request could be sent. */
const UNCONNECTED: ReadonlySet<AttemptError | null> = new Set([
  "dns",
  "refused",
  "tls",
  "egress-blocked",
  "changed",
]);

/** Whether an attempt brought a request to the receiver that it could answer. */
export function hasArrived({ error, injected }: Pick<Attempt, "error" | "injected">): boolean {
  return !UNCONNECTED.has(error) && injected.every((effect) => effectOf(effect).arrives !== false);
}

/** One event on its way to one URL: serialised once, kept with every attempt. */
export interface Delivery extends StoredRecord {
  readonly companyId: string;
  readonly event: string;
  /** The object that the event is about, and its collection; deliveries about one object leave in order. */
  readonly objectId: string;
  readonly collection: string;
  readonly url: string;
  /** The exact text that is signed and sent. */
  readonly body: UndrawnJson;
  readonly status: DeliveryStatus;
  /** Microseconds since the epoch, unique in a world, so that a timestamp is a cursor. */
  readonly createdAt: number;
  readonly updatedAt: Instant;
  readonly attempts: readonly Attempt[];
  readonly nextAttemptAt: Instant | null;
  /** The attempts that are due or on their way, in order; after a restart they are made again. */
  readonly pending: readonly AttemptTrigger[];
  /** The journal entry that announced the event. */
  readonly announcedBy: number;
  /** The call that announced it, by operationId. Null if the cause was not a call. */
  readonly operation: string | null;
  /** The delivery whose bytes this delivery repeats, because of a fault. Null for a new event. */
  readonly duplicateOf: string | null;
  /** The faults that apply to the delivery as a whole. */
  readonly faults: readonly AppliedFault[];
  /** The event or state that the next attempt waits for because of a fault. */
  readonly waitsFor: "next-event" | "newer-state" | "later-events" | "same-object" | null;
}

/**
 * The states of a delivery:
 * - scheduled: no attempt has ended yet;
 * - retrying: an attempt failed and another follows;
 * - delivered: a 2xx came back;
 * - undelivered: the last attempt failed;
 * - lost: a fault dropped the event before it was ever sent.
 *
 * A manual resend can still deliver any of them.
 */
export const deliveryLifecycle = {
  resource: "webhook-event",
  initial: "scheduled",
  states: ["scheduled", "retrying", "delivered", "undelivered", "lost"],
  ends: { delivered: "good", undelivered: "bad", lost: "bad" },
  transitions: [
    { from: ["scheduled"], action: "lose", to: "lost", act: null },
    {
      from: ["scheduled", "retrying", "delivered", "undelivered", "lost"],
      action: "deliver",
      to: "delivered",
      act: null,
    },
    { from: ["scheduled", "retrying"], action: "retry", to: "retrying", act: null },
    { from: ["scheduled", "retrying"], action: "give-up", to: "undelivered", act: null },
  ],
  timers: { "webhook.retry": ["scheduled", "retrying"] },
  isLogged: false,
} as const satisfies Lifecycle;

type DeliveryIndex = "object" | "company" | "undelivered" | "held" | "copies";

export const deliveries = collection<Delivery, DeliveryIndex>(
  "webhook-deliveries",
  {
    object: (delivery) => delivery.objectId,
    company: (delivery) => delivery.companyId,
    /** By company, the events whose every attempt failed. A failed copy does not count as an event. */
    undelivered: ({ status, duplicateOf, companyId }) =>
      status === "undelivered" && duplicateOf === null ? companyId : undefined,
    /** By company, the deliveries that wait because of a fault. */
    held: ({ waitsFor, companyId }) => (waitsFor === null ? undefined : companyId),
    /** By the delivery they repeat. */
    copies: ({ duplicateOf }) => duplicateOf ?? undefined,
  },
  deliveryLifecycle,
);

/** The attempts that ended with an entry of the journal: each is the last one of its delivery. */
export function endedAttempts({
  changes,
}: Pick<JournalEntry, "changes">): { readonly delivery: Delivery; readonly attempt: Attempt }[] {
  return changes.flatMap(({ collection: of, before, after }) => {
    if (of !== deliveries.name || after === undefined) return [];
    const delivery = after as Delivery;
    const attempt = delivery.attempts.at(-1);
    const isNew = delivery.attempts.length !== ((before as Delivery | undefined)?.attempts.length ?? 0);
    return attempt !== undefined && isNew ? [{ delivery, attempt }] : [];
  });
}
