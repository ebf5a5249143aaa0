import type { Delivery } from "../../platform/webhook-events/delivery.ts";

/** The first attempt and its four retries (interface: Events, Delivery rule 2). */
const ATTEMPTS_MAX = 5;

/** Where a delivery stands, in words: `retrying 2/5, next in 4 m 12 s`. */
export function progressOf(
  { status, attempts, pending, nextAttemptAt, waitsFor }: Delivery,
  now: number,
): string {
  const made = attempts.filter(({ trigger }) => trigger === "scheduled").length;
  const next =
    pending.length > 0 ? "in flight" : nextAttemptAt === null ? "" : `next in ${span(nextAttemptAt - now)}`;
  const until = waitsFor === null ? "" : ` at the latest`;
  switch (status) {
    case "scheduled":
      return `scheduled${next === "" ? "" : `, ${next}${until}`}`;
    case "retrying":
      return `retrying ${made}/${ATTEMPTS_MAX}${next === "" ? "" : `, ${next}${until}`}`;
    case "delivered":
      return `delivered by attempt ${attempts.findLastIndex(({ error }) => error === null) + 1}`;
    case "undelivered":
      return `undelivered after ${attempts.length} ${attempts.length === 1 ? "attempt" : "attempts"}`;
    case "lost":
      return "lost: no attempt will be made";
  }
}

/** A length of time by its two largest units: `4 m 12 s`, `2 h 0 m`, `1 d 3 h`. */
function span(milliseconds: number): string {
  const seconds = Math.max(0, Math.ceil(milliseconds / 1000));
  const [d, h, m, s] = [seconds / 86_400, (seconds / 3600) % 24, (seconds / 60) % 60, seconds % 60].map(
    Math.floor,
  );
  if (d) return `${d} d ${h} h`;
  if (h) return `${h} h ${m} m`;
  return m ? `${m} m ${s} s` : `${s} s`;
}
