/** The fields of an event that the gym reads. It ignores all other fields. */
export interface PlatformEvent {
  readonly name: string;
  /** The object of the event: a subscription, a charge, an order. */
  readonly id: string;
  /** The status of the object after the event. */
  readonly status: string;
  /** The time of the event in UTC with milliseconds. So the order of the texts is the order of the times. */
  readonly at: string;
  /** Two deliveries with the same key are one event. */
  readonly key: string;
  /** The paid amount of an order or a payout. */
  readonly amount?: string;
  /** The id of the refund, in an event of a refund. */
  readonly refundId?: string;
  /** The gym's own charge, in an event of a resend after a settlement error. */
  readonly rootId?: string;
}

/** The endings of known event names. The gym ignores all other events. */
const KNOWN =
  /\.(PENDING|ACCEPTED|REJECTED|ERROR|COMPLETED|CANCELED|CANCELED_INSUFFICIENT_BALANCE|PAID|PARTIALLY_PAID|EXPIRED|REFUNDED)$/;

/** Reads the body of a webhook. Undefined if it is not a known event with an object, a status and a time. */
export function readEvent(text: string): PlatformEvent | undefined {
  const body = parse(text);
  const name = textOf(body["event"]);
  const data = recordOf(body["data"]) ?? body;
  const [id, status] = [textOf(data["id"]), textOf(data["status"])];
  const at = instantOf(body["occurredAt"] ?? body["updatedAt"]);
  if (name === undefined || !KNOWN.test(name)) return undefined;
  if (id === undefined || status === undefined || at === undefined) return undefined;
  const refundId = textOf(body["refundId"]);
  const part = textOf(recordOf(data["cancellation"])?.["id"]) ?? refundId ?? "";
  const amount = textOf(recordOf(body["amount"])?.["value"]);
  const rootId = textOf(data["settlementErrorRetryRootId"]);
  return {
    name,
    id,
    status,
    at,
    key: [name, id, part].join(" "),
    ...(amount !== undefined && { amount }),
    ...(refundId !== undefined && { refundId }),
    ...(rootId !== undefined && { rootId }),
  };
}

/** A time without a fraction, or with a fraction of any length. */
function instantOf(value: unknown): string | undefined {
  const at = new Date(textOf(value) ?? "");
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString();
}

function parse(text: string): Record<string, unknown> {
  try {
    return recordOf(JSON.parse(text)) ?? {};
  } catch {
    return {};
  }
}

function recordOf(value: unknown): Record<string, unknown> | undefined {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
