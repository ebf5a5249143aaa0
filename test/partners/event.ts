import { createHash } from "node:crypto";

/** An event, as far as the receiver reads it. */
export interface Event {
  readonly key: string;
  readonly name: string;
  readonly id: string;
  readonly status: string;
  readonly at: string;
  readonly hash: string;
  /** The object that has to be known before; undefined if any may come first. */
  readonly parent: string | undefined;
  readonly isOpening: boolean;
  readonly cents: number;
  /** The cents of a payout that came back because a part of its batch failed. */
  readonly returned: number;
}

/** Reads an event. Throws if the body is none. */
export function eventIn(body: string): Event {
  const read = JSON.parse(body) as {
    event: string;
    id?: string;
    refundId?: string;
    status?: string;
    updatedAt?: string;
    occurredAt?: string;
    amount?: { value: string };
    message?: string;
    subscription?: { id: string };
    data?: { id: string; status: string; subscriptionId?: string; cancellation?: { status: string } };
  };
  const { event: name, data } = read;
  const id = data?.id ?? read.id ?? "";
  if (typeof name !== "string" || id === "") throw new Error("not an event");
  const at = read.occurredAt ?? read.updatedAt ?? "";
  const status = data?.status ?? read.status ?? "";
  const own = data?.cancellation === undefined ? status : status === "CANCELED" ? "CANCELED" : "ACCEPTED";
  const isMoney = name.startsWith("ORDER-");
  const sign = name.endsWith(".REFUNDED") || name.startsWith("ORDER-PAYOUT") ? -1 : 1;
  return {
    key: `${name} ${id} ${read.refundId ?? ""} ${status} ${data?.cancellation?.status ?? ""} ${at}`,
    name,
    id,
    status: own,
    at,
    hash: createHash("sha256").update(body).digest("hex"),
    parent: name.includes("SCHEDULED_PAYMENT") ? data?.subscriptionId : undefined,
    isOpening: !name.includes("CANCELLATION") && !name.endsWith(".REFUNDED"),
    returned: Math.round(Number(/; (\S+) BRL went back/.exec(read.message ?? "")?.[1] ?? 0) * 100),
    cents: isMoney ? sign * Math.round(Number(read.amount?.value ?? "10.00") * 100) : 0,
  };
}

/** Returns the body as a parser and a serialiser leave it. */
export function rewritten(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body));
  } catch {
    return body;
  }
}
